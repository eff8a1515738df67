"""Conditions of a run that cannot be applied."""

from __future__ import annotations

from collections.abc import Iterator

from karenina_gui.errors import InputError
from karenina_gui.runs.models import can_be_agent
from karenina_gui.schemas.effective_models import effective_models, models_by_condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, verb


def refuse(config: VerificationConfig) -> None:
    """Raise `InputError` with all problems."""
    if problems := obstacles(config):
        raise InputError("\n".join(problems))


def obstacles(config: VerificationConfig) -> list[str]:
    """List the problems; empty: the run can start, or it has no conditions."""
    if not config.conditions:
        return []
    return [
        *_same_names(config),
        *(
            f"{model.id} has recorded answers, which conditions can’t change. Remove it, or run it without conditions."
            for model in config.answering_models
            if model.interface == "manual"
        ),
        *(
            f"{label}: its interface can’t use tools. Select another answering model, or a condition without MCP "
            "servers and tools."
            for label in models_by_condition(config, _has_unusable_tools)
        ),
        *_always_aborted(config),
    ]


def _same_names(config: VerificationConfig) -> Iterator[str]:
    """Conditions whose names differ only in case.

    This is checked only before a new run, so that stored runs with such names stay readable.
    """
    first: dict[str, str] = {}
    for condition in config.conditions:
        other = first.setdefault(condition.name.casefold(), condition.name)
        if other != condition.name:
            yield f"The conditions “{other}” and “{condition.name}” differ only in capitals. Rename one."


def _has_unusable_tools(model: ModelConfig) -> bool:
    tools = bool(model.tool_servers or model.workspace_tools)
    return tools and model.interface != "manual" and not can_be_agent(model)


def _always_aborted(config: VerificationConfig) -> Iterator[str]:
    """Conditions that require MCP tool calls although a model has no MCP server."""
    models = effective_models(config)
    for at, condition in enumerate(config.conditions):
        if not condition.require_mcp_tool_use:
            continue
        without = [
            str(config.answering_models[index].id)
            for (index, under), model in models.items()
            if under == at and not model.tool_servers and model.interface != "manual"
        ]
        if without:
            yield (
                f"The condition “{condition.name}” requires an MCP tool call, but {join_list(without)} "
                f"{verb(len(without), 'has', 'have')} no MCP server in it. Add a server, or turn off that rule."
            )
