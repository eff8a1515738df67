"""One job from question to result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from karenina_gui.pipeline.context import PipelineTools, VerificationContext
from karenina_gui.pipeline.generated_answer import GeneratedAnswer
from karenina_gui.pipeline.orchestrator import StageOrchestrator
from karenina_gui.schemas.config import EvaluationMode, ModelConfig, VerificationConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import Rubric, merge_rubrics
from karenina_gui.schemas.template_identity import template_id

__all__ = ["PipelineTools", "VerificationTask", "verify"]


@dataclass(frozen=True)
class VerificationTask:
    """One job with everything it needs, as plain data."""

    question: Question
    config: VerificationConfig
    answering_model: ModelConfig
    parsing_model: ModelConfig | None = None
    """None: the run has no judge."""
    rubric: Rubric | None = None
    """The benchmark's traits; the question's own are merged in."""
    replicate: int | None = None
    """1-based; None when the run has one replicate."""
    run_name: str | None = None
    workspace_root: Path | None = None
    trusted: bool = False


def verify(
    task: VerificationTask, tools: PipelineTools, *, answer: GeneratedAnswer | None = None
) -> tuple[VerificationResult, GeneratedAnswer | None]:
    """The result, and the answer for a further judge of the same generation (None: there is none to share).

    `answer` is such a shared generation; the model is then not asked again. Errors: `RunCancelled` only.
    """
    context = _context(task, tools, answer)
    mode = effective_mode(task.config.evaluation_mode, context.rubric)
    context.warnings.extend(unused_settings(task.config))
    orchestrator = StageOrchestrator.from_config(
        evaluation_mode=mode,
        rubric=context.rubric,
        abstention_enabled=task.config.abstention_enabled,
        sufficiency_enabled=task.config.sufficiency_enabled,
        deep_judgment_enabled=task.config.deep_judgment_enabled,
    )
    result = orchestrator.execute(context)
    result.metadata.evaluation_mode = mode
    return result, context.generated


def effective_mode(mode: EvaluationMode, rubric: Rubric | None) -> EvaluationMode:
    """A rubric with traits turns `template_only` into `template_and_rubric` (`agentic-rubric-evaluation.md`)."""
    return "template_and_rubric" if mode == "template_only" and rubric is not None and not rubric.is_empty else mode


def unused_settings(config: VerificationConfig) -> list[str]:
    """Sentences about settings that were changed from their default and that this version does not act upon."""
    asked = {
        "Deep judgment": config.deep_judgment_enabled or config.deep_judgment_rubric_mode != "disabled",
        "The embedding check": config.embedding_check_enabled,
        "Few-shot examples": config.few_shot_config is not None and config.few_shot_config.source != "disabled",
        "Agentic parsing": config.agentic_parsing,
        "Parsing only": config.parsing_only,
    }
    without = "was asked for, but is not part of this version: the run went without."
    return [f"{what} {without}" for what, on in asked.items() if on]


def _context(task: VerificationTask, tools: PipelineTools, answer: GeneratedAnswer | None) -> VerificationContext:
    question, source = task.question, task.question.answer_template or ""
    rubric, provenance, conflict = _rubric(task)
    return VerificationContext(
        question_id=question.id,
        template_id=template_id(source),
        question_text=question.question,
        template_code=source,
        answering_model=task.answering_model,
        parsing_model=task.parsing_model,
        rubric=rubric,
        config=task.config,
        raw_answer=question.raw_answer,
        keywords=question.keywords or None,
        replicate=task.replicate,
        run_name=task.run_name,
        trait_provenance=provenance,
        rubric_conflict=conflict,
        trusted=task.trusted,
        workspace_root=task.workspace_root,
        tools=tools,
        cached_answer_data=answer,
    )


def _rubric(task: VerificationTask) -> tuple[Rubric | None, dict[str, str] | None, str | None]:
    try:
        own = Rubric.model_validate(task.question.question_rubric) if task.question.question_rubric else None
        rubric, provenance = merge_rubrics(task.rubric, own)
    except ValueError as error:
        return task.rubric, None, f"The traits of this question cannot be used: {error}"
    return rubric, provenance or None, None
