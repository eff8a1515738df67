"""What the checks around the reading of an answer found, and why: refusal, sufficiency, same meaning."""

from __future__ import annotations

from collections.abc import Iterator

from karenina_gui.gui.parts.markup import Html, joined, table, tag
from karenina_gui.schemas.result import ResultTemplate, VerificationResult

Row = tuple[str, str, str]


def checks(result: VerificationResult) -> Html | None:
    """None where no check was made; also there for an answer that was never read into fields."""
    template = result.template
    rows = list(_rows(template)) if template else []
    if template is None or not rows:
        return None
    made = table(("Check", "Found", "Why"), rows, caption="Checks")
    alike = template.embedding_similarity_score is not None
    return joined([made, tag("p", CAUTION, class_="rz-mut rz-after") if alike else None])


CAUTION = "Similarity cannot distinguish a meaning from its opposite, so an answer passes only if a judge confirms it."


def _rows(template: ResultTemplate) -> Iterator[Row]:
    if template.abstention_check_performed or template.abstention_reasoning:
        found = "refusal" if template.abstention_detected else "no refusal"
        yield "Refusal check", found, template.abstention_reasoning or ""
    if template.sufficiency_check_performed or template.sufficiency_reasoning:
        found = "insufficient" if template.sufficiency_detected is False else "sufficient"
        yield "Sufficiency check", found, template.sufficiency_reasoning or ""
    if template.embedding_similarity_score is not None:
        by = f" ({template.embedding_model_used})" if template.embedding_model_used else ""
        yield "Embedding check", f"similarity {template.embedding_similarity_score:.2f}{by}", _judged(template)


def _judged(template: ResultTemplate) -> str:
    """Whether the judge was asked can be told from its tokens alone; where none are counted, nothing is said."""
    if not template.embedding_check_performed:
        return "No judge could be asked, so the field results did not change."
    if template.embedding_override_applied:
        return "The judge confirmed that the found and expected values mean the same."
    usage = template.usage_metadata
    if not usage:
        return "The field results did not change."
    if "embedding_check" in usage:
        return "The judge did not confirm that they mean the same."
    return "The similarity was too low to ask the judge."
