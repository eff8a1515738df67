"""Verification of one job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from karenina_gui.pipeline.context import NO_JOB, OnStep, PipelineTools, VerificationContext
from karenina_gui.pipeline.few_shot import examples_for
from karenina_gui.pipeline.generated_answer import Generation, OnAnswer
from karenina_gui.pipeline.orchestrator import StageOrchestrator
from karenina_gui.pipeline.unused_settings import unused_settings
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.problems import as_sentence, problem_of
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import Rubric, merge_rubrics
from karenina_gui.schemas.template_identity import template_id
from karenina_gui.schemas.verification_config import EvaluationMode, VerificationConfig

__all__ = ["PipelineTools", "VerificationTask", "verify"]


@dataclass(frozen=True)
class VerificationTask:
    """Input of one job as plain data."""

    question: Question
    config: VerificationConfig
    answering_model: ModelConfig
    parsing_model: ModelConfig | None = None
    """None: the run has no judge."""
    rubric: Rubric | None = None
    """Traits of the benchmark. Those of the question are merged in."""
    job: Job = NO_JOB
    """Its condition is already applied to `answering_model`."""
    run_name: str | None = None
    workspace_root: Path | None = None
    trusted: bool = False
    """True: the benchmark's code may run on a computer without a sandbox for it."""

    def merged_rubric(self) -> tuple[Rubric | None, dict[str, str] | None]:
        """Traits of benchmark and question with the provenance of each. Raises `ValueError` for invalid traits."""
        own = Rubric.model_validate(self.question.question_rubric) if self.question.question_rubric else None
        rubric, provenance = merge_rubrics(self.rubric, own)
        return rubric, provenance or None


def verify(
    task: VerificationTask,
    tools: PipelineTools,
    *,
    answer: Generation | None = None,
    counted: bool = True,
    on_answer: OnAnswer | None = None,
    on_step: OnStep | None = None,
) -> tuple[VerificationResult, Generation | None]:
    """Verify one job; returns the result, and the answer or failure for other judges of the same answer.

    `answer`: such a shared answer; the model is then not called again. `counted`: another job's result includes its
    tokens. `on_answer`: called with an answer generated here, before it is judged. `on_step`: called with the progress
    of the job. The returned answer is None if the job ended before the model was called. Raises `RunCancelled` only.
    """
    context = _context(task, tools, answer)
    context.answer_counted, context.on_answer = answer is not None and counted, on_answer
    context.on_step = on_step
    # With every result, so that a reader of a single one knows of settings that had no effect.
    context.warnings.extend([*unused_settings(task.config), *context.examples.problems])
    try:
        context.rubric, context.trait_provenance = task.merged_rubric()
    except ValueError as error:
        problem = as_sentence(problem_of(error))
        _without_rubric(context, f"The traits of this question don’t work: {problem}")
    mode = effective_mode(task.config.evaluation_mode, context.rubric)
    orchestrator = StageOrchestrator.from_config(
        evaluation_mode=mode,
        rubric=context.rubric,
        abstention_enabled=task.config.abstention_enabled,
        sufficiency_enabled=task.config.sufficiency_enabled,
        deep_judgment_enabled=task.config.deep_judgment_enabled,
        agentic_parsing=task.config.agentic_parsing,
    )
    result = orchestrator.execute(context)
    result.metadata.evaluation_mode = mode
    return result, context.generation


def effective_mode(mode: EvaluationMode, rubric: Rubric | None) -> EvaluationMode:
    """Mode of a run. A rubric with traits turns `template_only` into `template_and_rubric`.

    See `agentic-rubric-evaluation.md`.
    """
    return "template_and_rubric" if mode == "template_only" and rubric is not None and not rubric.is_empty else mode


def _context(task: VerificationTask, tools: PipelineTools, answer: Generation | None) -> VerificationContext:
    question, source = task.question, task.question.answer_template or ""
    return VerificationContext(
        question_id=question.id,
        template_id=template_id(source),
        question_text=question.question,
        template_code=source,
        answering_model=task.answering_model,
        parsing_model=task.parsing_model,
        config=task.config,
        raw_answer=question.raw_answer,
        examples=examples_for(question, task.config.few_shot_config),
        keywords=question.keywords or None,
        job=task.job,
        run_name=task.run_name,
        trusted=task.trusted,
        workspace_root=task.workspace_root,
        question_workspace_path=question.workspace_path,
        tools=tools,
        cached_answer_data=answer,
    )


def _without_rubric(context: VerificationContext, problem: str) -> None:
    """Warn of an invalid rubric. The template still decides; in mode `rubric_only` the job ends with an error."""
    context.warnings.append(problem)
    if context.config.evaluation_mode == "rubric_only":
        context.mark_error(problem, "template_validation")
