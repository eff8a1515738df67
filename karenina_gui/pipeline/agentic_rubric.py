"""Stage 11b: agents investigate the agent traits, one by one or all together.

`agentic-rubric-evaluation.md`, sections 3 to 8.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karenina_gui.errors import InputError, RunCancelled
from karenina_gui.judging.investigation import Findings
from karenina_gui.judging.judge import model_error_text
from karenina_gui.judging.trace_file import TraceFile, write_trace_file
from karenina_gui.pipeline.answer_trace import trace_file
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.rubric_path import report_unknown_traits, selected_rubric
from karenina_gui.pipeline.stage import Stage
from karenina_gui.rubric.agentic import AgenticTask, AgenticTraitEvaluator, Score
from karenina_gui.rubric.scales import scales
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.rubric import AgenticRubricTrait

log = logging.getLogger(__name__)


@dataclass
class _Outcome:
    """Results of all investigations of one answer."""

    scores: dict[str, Any] = field(default_factory=dict)
    """Score by `trait` or `trait.field`; None: no score."""
    traces: dict[str, str | None] = field(default_factory=dict)
    report: TraitScores = field(default_factory=TraitScores)
    """Problems and failures of traits without a score."""

    def keep(self, trait: AgenticRubricTrait, score: Score | None, trace: str | None) -> None:
        self.traces[trait.name] = trace
        if isinstance(score, dict):
            self.scores.update({f"{trait.name}.{name}": value for name, value in score.items()})
        else:
            self.scores[trait.name] = score


@dataclass(frozen=True)
class _Subject:
    """Common input of the investigations of one answer."""

    context: VerificationContext
    task: AgenticTask
    models: dict[str, ModelConfig]
    """Investigating model by trait."""
    file: TraceFile | None


class AgenticRubricEvaluation(Stage):
    """Score agent traits only. A failure costs one trait its score and nothing else."""

    name = "AgenticRubricEvaluation"
    requires = [A.RAW_LLM_RESPONSE]
    consults = [A.RUBRIC_RESULT]
    produces = [A.AGENTIC_RUBRIC_EVALUATION_PERFORMED, A.AGENTIC_TRAIT_SCORES, A.AGENTIC_TRAIT_INVESTIGATION_TRACES]

    def rule(self, context: VerificationContext) -> str | None:
        if context.rubric is None or not context.rubric.agentic_traits:
            return "the rubric has no agent traits"
        return None if selected_rubric(context).agentic_traits else "no selected trait is an agent trait"

    def execute(self, context: VerificationContext) -> None:
        rubric = selected_rubric(context)
        traits, outcome = rubric.agentic_traits, _Outcome()
        # Otherwise RubricEvaluation has warned of them already.
        if A.RUBRIC_RESULT not in context:
            report_unknown_traits(context)
        with ExitStack() as stack:
            models = self._models(context, traits, outcome)
            able = [trait for trait in traits if trait.name in models]
            file = None
            if any(trait.materialize_trace for trait in traits):
                keep = any(trait.persist_trace for trait in traits)
                raw = context[A.RAW_LLM_RESPONSE]
                file = stack.enter_context(trace_file(context, raw, keep=keep, write=self._write_trace_file))
            subject = _Subject(context, _task(context), models, file)
            shared = context.agentic_rubric_strategy == "shared"
            (self._execute_shared if shared else self._execute_individual)(subject, able, outcome)
        _store(context, outcome)
        context.set_result_field("rubric.trait_scales", scales(rubric))

    def _execute_individual(self, subject: _Subject, traits: Sequence[AgenticRubricTrait], outcome: _Outcome) -> None:
        """Run one agent for each trait."""
        for trait in traits:
            evaluator = AgenticTraitEvaluator(subject.models[trait.name], subject.task)
            outcome.keep(trait, *evaluator.evaluate_trait(trait, subject.file))
            _note(subject.context, evaluator, outcome)

    def _execute_shared(self, subject: _Subject, traits: Sequence[AgenticRubricTrait], outcome: _Outcome) -> None:
        """Run one agent for all traits; one for each trait if their models differ or the shared agent fails."""
        # Each of these reports by itself why it has no score.
        blind = [trait for trait in traits if subject.task.hides_all_from(trait)]
        self._execute_individual(subject, blind, outcome)
        traits = [trait for trait in traits if trait not in blind]
        models = [subject.models[trait.name] for trait in traits]
        if len({(model.interface, model.model_provider, model.model_name) for model in models}) > 1:
            subject.context.warnings.append("Agent traits were investigated one by one: their judges differ.")
        elif traits and self._score_together(subject, traits, outcome):
            return
        self._execute_individual(subject, traits, outcome)

    def _score_together(self, subject: _Subject, traits: Sequence[AgenticRubricTrait], outcome: _Outcome) -> bool:
        """Score the traits by one agent; False: it failed."""
        evaluator = AgenticTraitEvaluator(subject.models[traits[0].name], subject.task)
        findings = self._investigate_together(evaluator, traits, subject)
        if findings is not None:
            for trait in traits:
                outcome.keep(trait, _shared_score(evaluator, trait, findings), findings.trace)
        _note(subject.context, evaluator, outcome)
        return findings is not None

    def _investigate_together(
        self, evaluator: AgenticTraitEvaluator, traits: Sequence[AgenticRubricTrait], subject: _Subject
    ) -> Findings | None:
        """Findings of the shared agent; None: it failed. Raises `RunCancelled`."""
        try:
            findings = evaluator.run_shared_investigation(traits, subject.file)
        except RunCancelled:
            raise
        except Exception as error:
            _warn_of_single_investigations(subject.context, error, str(error))
            return None
        if findings.error is None:
            return findings
        _warn_of_single_investigations(subject.context, findings.error, findings.problem)
        return None

    def _models(
        self, context: VerificationContext, traits: Sequence[AgenticRubricTrait], outcome: _Outcome
    ) -> dict[str, ModelConfig]:
        """Investigating model by trait. Traits without a model that runs agents get neither score nor trace."""
        models = {}
        for trait in traits:
            model = self._resolve_model(context, trait, outcome.report)
            if model is None:
                outcome.keep(trait, None, None)
            else:
                models[trait.name] = model
        return models

    def _resolve_model(
        self, context: VerificationContext, trait: AgenticRubricTrait, report: TraitScores
    ) -> ModelConfig | None:
        """The trait's own model, or the run's judge; None: it cannot run agents, which is reported."""
        own = trait.model_override
        model = context.parsing_model if own is None else ModelConfig.model_validate(own)
        if model is None:
            report.miss(
                [trait.name], "an agent must investigate it, but the run has no judge. Choose one and run again."
            )
            return None
        try:
            if context.world.ports.runs_agents(model):
                return model
        except InputError as error:
            report.miss([trait.name], model_error_text(model, error), "rejected")
            return None
        report.miss(
            [trait.name],
            f"{model.id} can’t be used as an agent. Select another judge for the run, or another model for this trait.",
        )
        return None

    @staticmethod
    def _write_trace_file(
        trace: str, workspace_path: Path | None, question_id: str, scenario_turn: int | None = None
    ) -> Path:
        """Call `write_trace_file`."""
        # The specification names this method.
        return write_trace_file(trace, workspace_path, question_id, scenario_turn)


def _warn_of_single_investigations(context: VerificationContext, error: Exception, why: str | None) -> None:
    log.warning("The shared investigation came to nothing", exc_info=error)
    context.warnings.append(
        f"Agent traits were investigated one by one: their shared investigation failed. {why or ''}".strip()
    )


def _task(context: VerificationContext) -> AgenticTask:
    prompts = context.config.prompt_config
    return AgenticTask(
        question=context.question_text,
        trace=context[A.RAW_LLM_RESPONSE],
        judge=context.judge,
        view=context.judging_view,
        workspace=context.workspace_path,
        instructions=prompts.rubric_evaluation if prompts else None,
    )


def _shared_score(evaluator: AgenticTraitEvaluator, trait: AgenticRubricTrait, findings: Findings) -> Score | None:
    if findings.problem is None:
        return evaluator.run_extraction(trait, findings.trace or "")
    evaluator.scores.miss([trait.name], findings.problem, findings.category)
    return None


def _note(context: VerificationContext, evaluator: AgenticTraitEvaluator, outcome: _Outcome) -> None:
    outcome.report.add(evaluator.scores)
    for investigation in evaluator.investigations:
        context.keep_investigation(investigation)


def _store(context: VerificationContext, outcome: _Outcome) -> None:
    """Save the scores next to those of other traits."""
    before = context.get_artifact(A.RUBRIC_RESULT) or {}
    faults = {**(before.get("trait_faults") or {}), **outcome.report.faults}
    context.set_artifact_and_result(A.AGENTIC_RUBRIC_EVALUATION_PERFORMED, True)
    context.set_artifact_and_result(A.AGENTIC_TRAIT_SCORES, outcome.scores)
    context.set_artifact_and_result(A.AGENTIC_TRAIT_INVESTIGATION_TRACES, outcome.traces)
    context.set_result_field("rubric.trait_faults", faults or None)
    context.set_result_field("rubric.trait_provenance", context.trait_provenance)
    context.warnings.extend(outcome.report.problems)
