"""Table of the checks of an answer: refusal, sufficiency, same meaning."""

from __future__ import annotations

from collections.abc import Iterator

from karenina_gui.gui.components.html import Html, join_html, table, tag
from karenina_gui.schemas.result import ResultTemplate, VerificationResult

Row = tuple[str, str, str]


def checks(result: VerificationResult) -> Html | None:
    """Return the table of checks, also for answers without extracted fields. None: no check ran."""
    template = result.template
    rows = list(_rows(template)) if template else []
    if template is None or not rows:
        return None
    made = table(("Check", "Found", "Why"), rows, caption="Checks")
    has_similarity = template.embedding_similarity_score is not None
    return join_html([made, tag("p", CAUTION, class_="result-muted result-after") if has_similarity else None])


CAUTION = "Similarity cannot distinguish a meaning from its opposite, so an answer passes only if a judge confirms it."


def _rows(template: ResultTemplate) -> Iterator[Row]:
    if template.abstention_check_performed or template.abstention_reasoning:
        result = "refusal" if template.abstention_detected else "no refusal"
        yield "Refusal check", result, template.abstention_reasoning or ""
    if template.sufficiency_check_performed or template.sufficiency_reasoning:
        result = "insufficient" if template.sufficiency_detected is False else "sufficient"
        yield "Sufficiency check", result, template.sufficiency_reasoning or ""
    if template.embedding_similarity_score is not None:
        result = _similarity(template, template.embedding_similarity_score)
        yield "Embedding check", result, _embedding_verdict(template)


def _similarity(template: ResultTemplate, score: float) -> str:
    by = f" ({template.embedding_model_used})" if template.embedding_model_used else ""
    return f"similarity {score:.2f}{by}"


def _embedding_verdict(template: ResultTemplate) -> str:
    """Return whether the judge confirmed the same meaning, in words."""
    if not template.embedding_check_performed:
        return "No judge could be asked, so the fields’ verdicts did not change."
    if template.embedding_override_applied:
        return "The judge confirmed that the found and expected values mean the same."
    usage = template.usage_metadata
    if not usage:
        return "The fields’ verdicts did not change."
    # Only the judge's tokens show whether it was asked.
    if "embedding_check" in usage:
        return "The judge did not confirm that they mean the same."
    return "The similarity was too low to ask the judge."
