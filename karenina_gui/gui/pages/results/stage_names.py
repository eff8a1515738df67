"""Titles of the pipeline's stages, in the order in which they run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from karenina_gui.schemas.outcome import NO_FINAL_MESSAGE
from karenina_gui.schemas.result import StageRecord
from karenina_gui.text import duration


@dataclass(frozen=True, slots=True)
class StageName:
    """Texts of a stage: `title` on its chip, `purpose` in its tooltip."""

    name: str
    title: str
    purpose: str


STAGES: dict[str, StageName] = {
    stage.name: stage
    for stage in (
        StageName("ValidateTemplate", "Template check", "Loads the answer template and checks it for errors."),
        StageName("GenerateAnswer", "Generate answer", "Sends the question to the answering model."),
        StageName("RecursionLimitAutoFail", "Turn limit", "Fails answers whose model reached its turn limit."),
        StageName(
            "TraceValidationAutoFail",
            "Trace check",
            "Fails answers of models with tools if the trace has no final message.",
        ),
        StageName("AbstentionCheck", "Refusal check", "The judge checks whether the model declined to answer."),
        StageName(
            "SufficiencyCheck",
            "Sufficiency check",
            "The judge checks whether the answer can fill the fields.",
        ),
        StageName("ParseTemplate", "Field extraction", "The judge extracts the template’s fields from the answer."),
        StageName(
            "AgenticParseTemplate",
            "Agentic field extraction",
            "An agent investigates the workspace, the trace, or both, and fills the fields.",
        ),
        StageName("VerifyTemplate", "Comparison", "Compares extracted fields with expected values and patterns."),
        StageName("EmbeddingCheck", "Embedding check", "Checks failed fields for the same meaning in other words."),
        StageName("DeepJudgmentAutoFail", "Quote check", "Fails answers that lack a quote for any field."),
        StageName("RubricEvaluation", "Traits", "Scores the answer on each trait of the rubric."),
        StageName(
            "AgenticRubricEvaluation",
            "Agent traits",
            "Agents investigate the workspace, the trace, or both, and score traits.",
        ),
        StageName("DeepJudgmentRubricAutoFail", "Trait quote check", "Fails answers that lack a quote for any trait."),
        StageName("FinalizeResult", "Finalize", "Assembles the result. Always runs."),
    )
}


def describe(record: StageRecord) -> str:
    """Return status and reason of a stage for tooltip and screen readers."""
    stage = STAGES.get(record.name)
    happened = f"{title(record)} {record.status}{took(record)}"
    reason = f": {stage_reason(record).rstrip('.')}" if record.reason else ""
    return f"{happened}{reason}." + (f" {stage.purpose} Name in files: {stage.name}." if stage else "")


def stage_reason(record: StageRecord) -> str:
    """Return the reason of a stage in the words of the screens; empty: it has none."""
    return plain_reason(record.reason or "")


def plain_reason(stored: str) -> str:
    """Return the reason of a stage or failure in the words of the screens."""
    reason = _FAILED_STAGE.sub(lambda match: f"an earlier step failed ({_title_of(match[1])})", stored)
    reason = _STOPPED_STAGE.sub(lambda match: f"The step “{_title_of(match[1])}” stopped unexpectedly", reason)
    return _NO_FINAL_ANSWER.sub(lambda match: f"{match[1]}. {NO_FINAL_MESSAGE[match[2]]}", reason)


def title(record: StageRecord) -> str:
    """Return the title of a chip; unknown stages keep their name."""
    return _title_of(record.name)


def _title_of(name: str) -> str:
    stage = STAGES.get(name)
    return stage.title if stage else name


_FAILED_STAGE = re.compile(r"an earlier stage failed \((\w+)\)")
"""Reason as results store it, with the stage’s name in files."""
_STOPPED_STAGE = re.compile(r"^(\w+) stopped unexpectedly\b")
_NO_FINAL_ANSWER = re.compile(rf"(The trace has no final answer): ({'|'.join(map(re.escape, NO_FINAL_MESSAGE))})")


def took(record: StageRecord) -> str:
    """Format ` in 1.24 s`; empty for a stage that did not run."""
    return f" in {duration(record.seconds)}" if record.status != "skipped" else ""
