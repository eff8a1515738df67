"""Settings that this version uses. Other changed settings are reported with each result."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list

CLAUDE_CODE = "claude_agent_sdk"
"""The only interface with its own tools."""

RUN_SETTINGS = frozenset(
    {
        "answering_models",
        "parsing_models",
        "replicate_count",
        "conditions",
        "judge_replicates",
        "fixed_judges",
        "rubric_evaluation_strategy",
        "rubric_trait_names",
        "evaluation_mode",
        "use_full_trace_for_template",
        "use_full_trace_for_rubric",
        "abstention_enabled",
        "sufficiency_enabled",
        "include_extraction_hints",
        "embedding_check_enabled",
        "embedding_check_model",
        "embedding_check_threshold",
        "deep_judgment_mode",
        "deep_judgment_max_excerpts_per_attribute",
        "deep_judgment_fuzzy_match_threshold",
        "deep_judgment_excerpt_retry_attempts",
        "deep_judgment_search_enabled",
        "deep_judgment_search_tool",
        "deep_judgment_rubric_max_excerpts_default",
        "deep_judgment_rubric_fuzzy_match_threshold_default",
        "deep_judgment_rubric_excerpt_retry_attempts_default",
        "deep_judgment_rubric_search_tool",
        "deep_judgment_rubric_mode",
        "deep_judgment_rubric_global_excerpts",
        "deep_judgment_rubric_config",
        "agentic_parsing",
        "agentic_judge_context",
        "agentic_parsing_max_turns",
        "agentic_parsing_timeout",
        "agentic_parsing_materialize_trace",
        "agentic_parsing_persist_trace",
        "agentic_rubric_strategy",
        "async_enabled",
        "async_max_workers",
        "max_concurrent_requests",
        "batch_timeout_seconds",
        "provider_wait_seconds",
        "task_ordering",
        "answerer_concurrency_limits",
        "few_shot_config",
        "prompt_config",
        "workspace_copy",
        "workspace_cleanup",
        "workspace_limits",
        "allow_unconfined_commands",
        "allow_programs",
        "request_timeout",
        "retry_policy",
    }
)
"""Fields of `VerificationConfig` that influence a run."""

MODEL_SETTINGS = frozenset(
    {
        "id",
        "model_name",
        "model_provider",
        "temperature",
        "max_tokens",
        "interface",
        "system_prompt",
        "endpoint_base_url",
        "endpoint_api_key",
        "anthropic_base_url",
        "anthropic_api_key",
        "api_key_env",
        "extra_kwargs",
        "manual_traces",
        "mcp_urls_dict",
        "mcp_servers",
        "mcp_tool_filter",
        "mcp_tool_description_overrides",
        "mcp_http_timeout",
        "mcp_sse_read_timeout",
        "workspace_tools",
        "claude_code_tools",
        "agent_middleware",
        "agent_timeout",
        "recording",
        "request_timeout",
        "retry_policy",
    }
)
"""Fields of `ModelConfig` that influence the calls of a model."""


def unused_settings(config: VerificationConfig) -> list[str]:
    """Messages about changed settings without effect: one for the run, one for each model; empty: none."""
    named: list[tuple[str, BaseModel, frozenset[str]]] = [("The run", config, RUN_SETTINGS)]
    named += [(f"{model.id}", model, MODEL_SETTINGS) for model in (*config.answering_models, *config.parsing_models)]
    return [
        f"{name}: this version ignores {join_list(changed)}."
        for name, model, acted_upon in named
        if (changed := _ignored_settings(model, acted_upon))
    ]


def unused_of_model(model: ModelConfig) -> list[str]:
    """Names of a model's changed settings without effect."""
    return _ignored_settings(model, MODEL_SETTINGS)


def _ignored_settings(model: BaseModel, acted_upon: frozenset[str]) -> list[str]:
    # Other interfaces ignore this setting.
    if getattr(model, "interface", CLAUDE_CODE) != CLAUDE_CODE:
        acted_upon -= {"claude_code_tools"}
    defaults = _defaults(type(model)).items()
    return [name for name, default in defaults if name not in acted_upon and getattr(model, name) != default]


@cache
def _defaults(model: type[BaseModel]) -> dict[str, Any]:
    """Default by field name. Shared by all callers, so it must not be modified."""
    return {name: field.get_default(call_default_factory=True) for name, field in model.model_fields.items()}
