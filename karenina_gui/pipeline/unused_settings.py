"""Settings that this version ignores. Where they are changed, each result reports it."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list

CLAUDE_CODE = "claude_agent_sdk"
"""The only interface with its own tools."""

UNUSED_OF_RUN = frozenset(
    {
        "parsing_only",
        "allow_partial_trace_scoring",
        "agentic_parsing_trigger",
        "agentic_rubric_parallel",
        "workspace_output_mode",
        "workspace_output_dir",
        "workspace_output_exclude_patterns",
        "db_config",
        "scenario_turn_limit",
        "replay_parse_on_hydration_mismatch",
        "custom_error_patterns",
        "max_requeue_count",
    }
)
"""Fields of `VerificationConfig` that this version keeps and ignores."""
UNUSED_OF_MODEL = frozenset({"max_retries", "agent_runtime", "max_context_tokens"})
"""Fields of `ModelConfig` that this version keeps and ignores."""

RUN_SETTINGS = frozenset(VerificationConfig.model_fields) - UNUSED_OF_RUN
"""Fields of `VerificationConfig` that influence a run."""


def unused_settings(config: VerificationConfig) -> list[str]:
    """Messages about changed settings without effect: one for the run, one for each model; empty: none."""
    named: list[tuple[str, BaseModel, frozenset[str]]] = [("The run", config, UNUSED_OF_RUN)]
    named += [(f"{model.id}", model, UNUSED_OF_MODEL) for model in (*config.answering_models, *config.parsing_models)]
    return [
        f"{name}: this version ignores {join_list(changed)}."
        for name, model, unused in named
        if (changed := _ignored_settings(model, unused))
    ]


def unused_of_model(model: ModelConfig) -> list[str]:
    """Names of a model's changed settings without effect."""
    return _ignored_settings(model, UNUSED_OF_MODEL)


def _ignored_settings(model: BaseModel, unused: frozenset[str]) -> list[str]:
    # Other interfaces ignore this setting.
    if getattr(model, "interface", CLAUDE_CODE) != CLAUDE_CODE:
        unused |= {"claude_code_tools"}
    defaults = _defaults(type(model)).items()
    return [name for name, default in defaults if name in unused and getattr(model, name) != default]


@cache
def _defaults(model: type[BaseModel]) -> dict[str, Any]:
    """Default by field name. Shared by all callers, so it must not be modified."""
    return {name: field.get_default(call_default_factory=True) for name, field in model.model_fields.items()}
