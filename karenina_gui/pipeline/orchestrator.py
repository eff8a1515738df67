"""Stage order of a job, and its execution."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

from karenina_gui.errors import InputError, RunCancelled
from karenina_gui.pipeline.agentic_parsing import AgenticParseTemplate
from karenina_gui.pipeline.agentic_rubric import AgenticRubricEvaluation
from karenina_gui.pipeline.artifacts import ArtifactKeys
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.enhancements import DeepJudgmentAutoFail, EmbeddingCheck
from karenina_gui.pipeline.finalization import FinalizeResult, close_workspace
from karenina_gui.pipeline.generation import GenerateAnswer
from karenina_gui.pipeline.guards import RecursionLimitAutoFail, TraceValidationAutoFail
from karenina_gui.pipeline.preparse import AbstentionCheck, SufficiencyCheck
from karenina_gui.pipeline.rubric_path import DeepJudgmentRubricAutoFail, RubricEvaluation
from karenina_gui.pipeline.setup import ValidateTemplate
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.template_path import ParseTemplate, VerifyTemplate
from karenina_gui.plugins import PLUGINS
from karenina_gui.schemas.result import StageRecord, VerificationResult
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.verification_config import EvaluationMode
from karenina_gui.work_clock import seconds_worked

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Composition:
    """Settings that decide which stages a job has."""

    evaluation_mode: EvaluationMode = "template_only"
    rubric: Rubric | None = None
    abstention_enabled: bool = False
    sufficiency_enabled: bool = False
    deep_judgment_enabled: bool = False
    agentic_parsing: bool = False

    @property
    def template(self) -> bool:
        return self.evaluation_mode != "rubric_only"

    @property
    def traits(self) -> bool:
        return self.evaluation_mode != "template_only" and self.rubric is not None and not self.rubric.is_empty

    @property
    def agentic_traits(self) -> bool:
        return self.traits and self.rubric is not None and bool(self.rubric.agentic_traits)


Included = Callable[[Composition], bool]


def always(_composition: Composition) -> bool:
    return True


PROGRAM: list[tuple[type[Stage], Included]] = [
    (ValidateTemplate, lambda of: of.template),
    (GenerateAnswer, always),
    (RecursionLimitAutoFail, always),
    (TraceValidationAutoFail, always),
    (AbstentionCheck, lambda of: of.abstention_enabled),
    (SufficiencyCheck, lambda of: of.sufficiency_enabled and of.template),
    (ParseTemplate, lambda of: of.template and not of.agentic_parsing),
    (AgenticParseTemplate, lambda of: of.template and of.agentic_parsing),
    (VerifyTemplate, lambda of: of.template),
    (EmbeddingCheck, lambda of: of.template),
    (DeepJudgmentAutoFail, lambda of: of.deep_judgment_enabled and of.template),
    (RubricEvaluation, lambda of: of.traits),
    (DeepJudgmentRubricAutoFail, lambda of: of.traits),
    (AgenticRubricEvaluation, lambda of: of.agentic_traits),
    (FinalizeResult, always),
]
"""All stages in order, with the condition for each (`verification-pipeline.md`, section 6).

A new stage needs one row; other packages add theirs by `register`.
"""


def register(stage: type[Stage], *, before: str, included: Included = always) -> None:
    """Insert a row before the stage of this name. Raises `ValueError` if there is none."""
    places = [index for index, (stage_type, _) in enumerate(PROGRAM) if stage_type.name == before]
    if not places:
        names = ", ".join(stage.name for stage, _ in PROGRAM)
        raise ValueError(f"There is no stage {before!r}. Choose one of: {names}.")
    PROGRAM.insert(places[0], (stage, included))


class StageOrchestrator:
    """Runs stages in order over one context. Always ends with a result."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = list(stages)

    @classmethod
    def from_config(
        cls,
        evaluation_mode: EvaluationMode = "template_only",
        rubric: Rubric | None = None,
        abstention_enabled: bool = False,
        sufficiency_enabled: bool = False,
        deep_judgment_enabled: bool = False,
        agentic_parsing: bool = False,
    ) -> StageOrchestrator:
        """The stages of `PROGRAM` for this composition. Raises `ValueError` for an unknown mode."""
        if evaluation_mode not in get_args(EvaluationMode):
            raise ValueError(f"Unknown evaluation mode {evaluation_mode!r}: use {', '.join(get_args(EvaluationMode))}.")
        # Plug-ins may register stages of their own.
        PLUGINS.load()
        of = Composition(
            evaluation_mode, rubric, abstention_enabled, sufficiency_enabled, deep_judgment_enabled, agentic_parsing
        )
        return cls([stage() for stage, included in PROGRAM if included(of)])

    def validate_dependencies(self) -> list[str]:
        """One message for every required artifact that no earlier stage produces; empty: the order is valid."""
        available: set[str] = set()
        problems = []
        if not self.stages or not isinstance(self.stages[-1], FinalizeResult):
            problems.append("The last stage must be FinalizeResult, which makes the result.")
        for stage in self.stages:
            problems += [
                f"Stage {stage.name} requires '{key}', which no earlier stage produces."
                for key in stage.requires
                if key not in available
            ]
            available.update(stage.produces)
        return problems

    def execute(self, context: VerificationContext) -> VerificationResult:
        """Run every stage. Raises `ValueError` before any work if the order is invalid, and `RunCancelled`."""
        if problems := self.validate_dependencies():
            raise ValueError(" ".join(problems))
        started = seconds_worked()
        try:
            for stage in self.stages:
                with context.running(stage):
                    record = _run_stage(stage, context)
                context.stages.append(record)
                context.execution_time = seconds_worked() - started
        except BaseException:
            # Only a complete run reaches FinalizeResult, which removes the working copy.
            close_workspace(context)
            raise
        result: VerificationResult = context.artifacts[ArtifactKeys.FINAL_RESULT]
        return result.model_copy(update={"stages": list(context.stages)})


def _run_stage(stage: Stage, context: VerificationContext) -> StageRecord:
    """Run one stage. Any exception becomes the context's error."""
    started, before = seconds_worked(), context.error
    why_skipped = _execute(stage, context)
    if why_skipped is not None:
        return StageRecord(name=stage.name, status="skipped", reason=why_skipped)
    failed = context.error is not None and context.error != before
    if failed:
        log.warning("Stage %s ended in an error for question %s: %s", stage.name, context.question_id, context.error)
    return StageRecord(
        name=stage.name,
        status="failed" if failed else "ran",
        reason=context.error if failed else None,
        seconds=round(seconds_worked() - started, 4),
    )


def _execute(stage: Stage, context: VerificationContext) -> str | None:
    """Run one stage if its rules allow it; returns the rule that skipped it, None: it ran."""
    try:
        if not stage.should_run(context):
            return stage.why_not(context) or "its own condition"
        stage.execute(context)
    except RunCancelled:
        raise
    except InputError as error:
        context.mark_error(str(error), "rejected")
    except Exception as error:
        # No later stage could turn this error into a result.
        if isinstance(stage, FinalizeResult):
            raise
        log.exception("Stage %s failed for question %s", stage.name, context.question_id)
        context.mark_error(f"{stage.name} stopped unexpectedly: {type(error).__name__}: {error}")
    return None
