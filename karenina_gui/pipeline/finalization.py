"""Stage 13: build the result, also after errors."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from karenina_gui.errors import InputError, PortError
from karenina_gui.pipeline.artifacts import ArtifactKeys as A
from karenina_gui.pipeline.context import VerificationContext
from karenina_gui.pipeline.stage import Stage
from karenina_gui.pipeline.workspaces import remove_folder
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import (
    ModelIdentity,
    ResultMetadata,
    ResultRubric,
    ResultTemplate,
    VerificationResult,
    make_result_id,
)
from karenina_gui.schemas.result_evidence import ResultDeepJudgment, ResultDeepJudgmentRubric
from karenina_gui.schemas.retry import RETRY_CATEGORIES
from karenina_gui.schemas.workspace import ResultWorkspace


class FinalizeResult(Stage):
    """Build the `VerificationResult` from the context. Runs after errors, too."""

    name = "FinalizeResult"
    produces = [A.FINAL_RESULT]

    def why_not(self, context: VerificationContext) -> str | None:
        return None

    def execute(self, context: VerificationContext) -> None:
        fields = context.result_fields
        if context.error is not None and context.failure is None:
            context.mark_error(context.error)
        recording = _recording(context)
        context.set_result_field("template.usage_metadata", _usage(context))
        deep = {"deep_judgment_mode": context.config.deep_judgment_mode, **_section(fields, "deep_judgment")}
        rubric_deep = _section(fields, "deep_judgment_rubric")
        rubric = {**fields.get("rubric", {}), **_section(fields, "rubric")}
        context[A.FINAL_RESULT] = VerificationResult(
            metadata=_metadata(context),
            template=ResultTemplate(**_section(fields, "template")),
            rubric=ResultRubric(**rubric) if rubric else None,
            deep_judgment=ResultDeepJudgment(**deep) if deep.get("deep_judgment_performed") else None,
            deep_judgment_rubric=ResultDeepJudgmentRubric(**rubric_deep)
            if rubric_deep.get("deep_judgment_rubric_performed")
            else None,
            evaluation_input=context.get_result_field("evaluation_input"),
            used_full_trace=context.get_result_field("used_full_trace", context.config.use_full_trace_for_template),
            trace_extraction_error=context.get_result_field("trace_extraction_error"),
            traits_read=context.get_result_field("traits_read"),
            error=context.error,
            completed_without_errors=context.completed_without_errors,
            answered_by=context.get_result_field("answered_by"),
            condition=context.job.condition,
            judge_replicate=context.job.judge_replicate,
            workspace=_workspace(context),
            investigations=context.get_result_field("investigations"),
            extractions={purpose: dict(methods) for purpose, methods in context.extractions.items()} or None,
            sandbox_level=context.tools.sandbox.level.name if context.tools else None,
            recording_label=recording,
        )
        close_workspace(context)


def identity(model: ModelConfig) -> ModelIdentity:
    """Identity of a model in a result."""
    name = model.model_name or ""
    return ModelIdentity(
        interface=model.interface,
        model_name=name,
        tools=sorted(model.tool_servers),
        config_id=model.id if model.id != name else None,
    )


def _metadata(context: VerificationContext) -> ResultMetadata:
    answering = identity(context.answering_model)
    parsing = identity(context.parsing_model) if context.parsing_model else None
    timestamp = datetime.now().strftime("%Y-%m-%d %H:%M:%S")
    return ResultMetadata(
        question_id=context.question_id,
        template_id=context.template_id,
        failure=context.failure,
        caveats=list(dict.fromkeys(context.caveats + (["retries_used"] if context.retries.total() else []))),
        warnings=context.warnings,
        retry_counts=_retry_counts(context),
        question_text=context.question_text,
        raw_answer=context.raw_answer,
        keywords=context.keywords,
        answering=answering,
        parsing=parsing,
        answering_system_prompt=context.answering_model.system_prompt,
        parsing_system_prompt=context.parsing_model.system_prompt if context.parsing_model else None,
        execution_time=context.execution_time,
        timestamp=timestamp,
        result_id=make_result_id(
            answering=answering,
            parsing=parsing,
            question_id=context.question_id,
            replicate=context.replicate,
            timestamp=timestamp,
            judge_replicate=context.job.judge_replicate,
        ),
        run_name=context.run_name,
        replicate=context.replicate,
        few_shot_enabled=bool(context.examples.chosen),
        few_shot_example_count=len(context.examples.chosen),
        evaluation_mode=context.config.evaluation_mode,
    )


def close_workspace(context: VerificationContext) -> None:
    """Remove the job's working copy if the run removes them (`agentic-evaluation.md`, section 5)."""
    if context.workspace_path and context.workspace_cleanup and context.workspace_is_copy:
        remove_folder(context.workspace_path)


def _workspace(context: VerificationContext) -> ResultWorkspace | None:
    workspace: ResultWorkspace | None = context.get_result_field("workspace")
    path, root = context.workspace_path, context.workspace_root
    keeps = path and context.workspace_is_copy and not context.workspace_cleanup
    if workspace is None or not keeps or path is None or root is None or not path.is_relative_to(root.resolve()):
        return workspace
    # Relative to the root, because results are read on other computers as well.
    return workspace.model_copy(update={"kept_at": path.relative_to(root.resolve()).as_posix()})


def _section(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return {key.removeprefix(f"{name}."): value for key, value in fields.items() if key.startswith(f"{name}.")}


def _usage(context: VerificationContext) -> dict[str, Any] | None:
    if not context.usage:
        return None
    total = {
        name: sum(entry[name] for entry in context.usage.values())
        for name in ("input_tokens", "output_tokens", "total_tokens")
    }
    return {**context.usage, "total": total}


def _retry_counts(context: VerificationContext) -> dict[str, dict[str, int]] | None:
    if not (context.models_called or context.retries):
        return None
    models = (context.answering_model, *([context.parsing_model] if context.parsing_model else []))
    # Retries of both models are counted together, so the larger budget is shown.
    policies = [model.retry_policy or context.config.retry_policy for model in models]
    return {
        category: {
            "used": context.retries[category],
            "budget": max(policy.budget(category).max_attempts for policy in policies),
        }
        for category in RETRY_CATEGORIES
    }


def _recording(context: VerificationContext) -> str | None:
    if context.tools is None:
        return None
    ports = context.tools.ports
    models = (context.answering_model, *([context.parsing_model] if context.parsing_model else []))
    try:
        return next((label for model in models if (label := ports.recording_label(model))), None)
    except (InputError, PortError) as error:
        context.warnings.append(str(error))
        return None
