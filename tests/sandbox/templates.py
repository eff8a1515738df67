"""Harmless templates, and what a cell answers about them. They run in this very process."""

from __future__ import annotations

import json
from typing import Any

from karenina_gui.sandbox.template_code import execute
from karenina_gui.schemas.template import JudgeReply, TemplateOutline, TemplateProblem, TemplateVerdict

CLASSIC = """\
class Answer(BaseAnswer):
    year: int = Field(description="Year as a four digit integer", ge=1000)
    city: str = Field(description="City name")

    def ground_truth(self):
        self.correct = {"year": 1969, "city": "Houston"}

    def verify(self) -> bool:
        return self.year == self.correct["year"] and self.city == self.correct["city"]
"""

VERIFIED = """\
class Answer(BaseAnswer):
    target: str = VerifiedField(
        description="Target protein", ground_truth="SECRET9", verify_with=ExactMatch(), weight=3,
        extraction_hint="gene symbol",
    )
    dose: float = VerifiedField(
        description="Dose in mg", ground_truth=400, verify_with=NumericTolerance(tolerance=5, mode="absolute"))
    cites: bool = VerifiedField(
        description="Cites", ground_truth=True, verify_with=TraceRegex(pattern=r"\\[\\d+\\]"))
"""

REGEX_ONLY = """\
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"final": {"pattern": r"#### ([\\d,]+)", "expected": "1,969", "match_type": "exact"}}
"""


def outline(source: str) -> TemplateOutline:
    return TemplateOutline.model_validate(through_json(execute({"op": "outline", "source": source})))


def validate(source: str, values: Any) -> JudgeReply:
    return JudgeReply.model_validate(through_json(execute({"op": "validate", "source": source, "values": values})))


def verify(source: str, values: dict[str, Any] | None = None, trace: str = "", **item: Any) -> TemplateVerdict:
    items = [{"values": values, "trace": trace, **item}]
    reply = through_json(execute({"op": "verify", "source": source, "items": items}))
    (verdict,) = reply["items"]
    return TemplateVerdict.model_validate(verdict)


def traits(source: str, *texts: str, entry: str | None = None) -> list[dict[str, Any]]:
    return through_json(execute({"op": "trait", "source": source, "entry": entry, "texts": texts}))["items"]


def through_json(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply as it arrives on the other side: strict JSON."""
    received: dict[str, Any] = json.loads(json.dumps(reply, allow_nan=False))
    return received


def errors(found: TemplateOutline) -> list[TemplateProblem]:
    return [problem for problem in found.problems if problem.severity == "error"]


def warnings_of(source: str) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.message) for problem in outline(source).problems if problem.severity == "warning"]
