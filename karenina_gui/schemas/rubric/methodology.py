"""The judge of the methodology (`evaluation-methodology.md`): three scores from 1 to 5 with reasons, in one call."""

from __future__ import annotations

from typing import Any

from karenina_gui.schemas.rubric.llm import LLMRubricTrait

NAME = "answer_quality"
METRICS = ("factual_adherence", "completeness", "helpfulness_and_clarity")
LOWEST, HIGHEST = 1, 5
CLAIMS = "unverified_claims"

_ABOUT = """\
Compare the answer with the reference answer, and with nothing else that you may know. The three scores are \
independent of one another: an answer can be complete and wrong in one place, or right and of no use. Write each \
reasoning before its score."""

_ANCHORS = {
    "factual_adherence": """\
Does what the answer states agree with the reference answer? What is missing costs nothing here.
5: everything agrees.
4: the essential facts agree; a side remark is inexact.
3: the essential facts agree, but something else contradicts the reference or cannot be reconciled with it.
2: an essential fact contradicts the reference, though part of the answer agrees with it.
1: the answer contradicts the reference, is about something else, or states nothing.""",
    "completeness": """\
How much of what the reference answer holds is in the answer, in whatever words? What goes beyond it costs nothing here.
5: all of it.
4: all that is essential; a detail is missing.
3: the essence, but several points are missing.
2: only a part, without something essential.
1: hardly any of it, or nothing.""",
    "helpfulness_and_clarity": """\
Could the person who asked go on with this answer as it stands?
5: it answers the question directly, is easy to follow, and holds nothing that distracts.
4: it answers the question; wording, order or length could be better.
3: the answer has to be picked out of it, or leaves open how it is meant.
2: it is hard to follow, or mostly beside the question.
1: it cannot be understood, or does not answer the question at all.""",
}


def methodology_judge(name: str = NAME) -> LLMRubricTrait:
    """Create the trait, for any rubric. Results name its scores `answer_quality.factual_adherence` and so on."""
    properties: dict[str, Any] = {}
    for metric in METRICS:
        properties[f"{metric}_reasoning"] = {
            "type": "string",
            "description": f"One to three sentences: what in the answer leads to the score for {_with_spaces(metric)}.",
        }
        properties[metric] = {
            "type": "integer",
            "minimum": LOWEST,
            "maximum": HIGHEST,
            "higher_is_better": True,
            "description": _ANCHORS[metric],
        }
    properties[CLAIMS] = {
        "type": "array",
        "items": {"type": "string"},
        "description": "Statements of fact in the answer that the reference answer neither supports nor contradicts, "
        "each in a few words; an empty list where there are none.",
    }
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return LLMRubricTrait(
        name=name,
        description=_ABOUT,
        kind={"type": "template", "schema": schema},
        include_ground_truth=True,
        higher_is_better=None,
    )


def _with_spaces(metric: str) -> str:
    return metric.replace("_", " ")
