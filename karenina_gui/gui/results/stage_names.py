"""The pipeline's stages in plain words, in the order in which they run."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.schemas.result import StageRecord
from karenina_gui.text import duration


@dataclass(frozen=True, slots=True)
class StageName:
    """How a stage is shown: `title` on its chip, `purpose` when one asks."""

    name: str
    title: str
    purpose: str


STAGES: dict[str, StageName] = {
    stage.name: stage
    for stage in (
        StageName("ValidateTemplate", "Template check", "Loads the answer template and looks for mistakes in it."),
        StageName("GenerateAnswer", "Answer", "Sends the question to the answering model and keeps its answer."),
        StageName("RecursionLimitAutoFail", "Turn limit", "Fails an answer whose model ran out of turns."),
        StageName("TraceValidationAutoFail", "Trace check", "Fails a tool-using answer that does not end in a reply."),
        StageName("AbstentionCheck", "Refusal check", "Asks the judge whether the model declined to answer."),
        StageName("SufficiencyCheck", "Enough said?", "Asks the judge whether the answer holds what the fields need."),
        StageName("ParseTemplate", "Reading", "Lets the judge read the template’s fields out of the answer."),
        StageName("AgenticParseTemplate", "Reading", "An agent looks into the workspace before the fields are read."),
        StageName("VerifyTemplate", "Comparison", "Compares what was read with the expected values and patterns."),
        StageName("EmbeddingCheck", "Same meaning?", "A second look at failed fields: same meaning in other words."),
        StageName("DeepJudgmentAutoFail", "Evidence", "Fails fields for which the answer holds no verbatim evidence."),
        StageName("RubricEvaluation", "Traits", "Rates the answer on each trait of the rubric."),
        StageName("AgenticRubricEvaluation", "Agent traits", "An agent rates traits by looking into the workspace."),
        StageName("DeepJudgmentRubricAutoFail", "Trait evidence", "Fails traits that lack verbatim evidence."),
        StageName("FinalizeResult", "Record", "Puts everything together; runs whatever happened before."),
    )
}


def described(record: StageRecord) -> str:
    """What happened and why, for the tooltip and for screen readers."""
    stage = STAGES.get(record.name)
    happened = f"{record.name} {record.status}{took(record)}"
    reason = f": {record.reason.rstrip('.')}" if record.reason else ""
    return f"{happened}{reason}." + (f" {stage.purpose}" if stage else "")


def title(record: StageRecord) -> str:
    """The chip's text; a stage that is not in the table keeps its own name."""
    stage = STAGES.get(record.name)
    return stage.title if stage else record.name


def took(record: StageRecord) -> str:
    """` in 1.24 s`; empty for a stage that did not run."""
    return f" in {duration(record.seconds)}" if record.status != "skipped" else ""
