"""Conditions: alternatives that a run compares on every question (`evaluation-methodology.md`).

A condition is a named set of an answering model's prompt, tools and settings. Everything else of a run stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_serializer

from karenina_gui.schemas.extra_kwargs import without_secrets
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.workspace import WorkspaceToolName
from karenina_gui.text.hidden_characters import hidden_sign

SEPARATOR = " · "
"""Separates model and condition in a combined name."""


class AnsweringSettings(BaseModel):
    """Settings of answering models; only those that are given change something, None included."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=16384, ge=1)
    mcp_tool_filter: list[str] | None = None
    """Applies to all servers that the model then works with, its own or the condition's."""
    workspace_tools: list[WorkspaceToolName] | None = None
    extra_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Replace the model's parameters of the same names; its others stay."""

    @field_validator("extra_kwargs")
    @classmethod
    def _without_secrets(cls, value: dict[str, Any]) -> dict[str, Any]:
        return without_secrets(value)

    @property
    def explicit(self) -> dict[str, Any]:
        """{name: value} of the given settings, as fields of `ModelConfig`."""
        return {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}

    def __eq__(self, other: object) -> bool:
        # A given setting that equals its default still changes a model, so comparing fields is not enough.
        return isinstance(other, AnsweringSettings) and self.explicit == other.explicit

    @model_serializer(mode="wrap")
    def _only_set(self, dump: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if name in self.model_fields_set}


class Condition(BaseModel):
    """One way to ask. The first condition of a run is its baseline."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    name: str = Field(min_length=1, max_length=100)
    """Unique name within a run, shown in results and charts."""
    description: str | None = None
    system_prompt: str | None = None
    """Replaces the model's own; None: the model's own stays; empty: none."""
    mcp_servers: dict[str, ToolServer] | None = None
    """{name: entry} of MCP servers that replace the model's own; None: its own stay; empty: none.

    The model's `mcp_tool_filter` applies only to servers that the model has identically; the others offer what their
    entries say.
    """
    settings: AnsweringSettings = Field(default_factory=AnsweringSettings)
    require_mcp_tool_use: bool = False
    """Abort the job if the model has called no tool of an MCP server."""
    require_mcp_tool_success: bool = False
    """Abort the job if every such call has failed. A job without calls passes; require use as well."""

    @field_validator("name")
    @classmethod
    def _clean_name(cls, name: str) -> str:
        name = " ".join(name.split())
        if not name:
            # Two conditions that look the same could not be distinguished in a chart.
            raise ValueError("A condition needs a name.")
        if hidden := hidden_sign(name):
            raise ValueError(f"The condition’s name contains an invisible character ({hidden}). Remove it.")
        return name

    def apply_to(self, model: ModelConfig) -> ModelConfig:
        """Return the model under this condition. Raises `ValueError` if the condition cannot change it."""
        changes = dict(self.settings.explicit)
        if "extra_kwargs" in changes:
            # Merged: a condition that sets one parameter must not drop the model's other ones.
            changes["extra_kwargs"] = {**model.extra_kwargs, **changes["extra_kwargs"]}
        if self.system_prompt is not None:
            changes["system_prompt"] = self.system_prompt
        if self.mcp_servers is not None:
            changes |= {"mcp_urls_dict": None, "mcp_servers": self._servers(model) or None}
            # The model's filter names tools of its own servers, which are replaced here.
            changes.setdefault("mcp_tool_filter", None)
        if model.interface == "manual":
            raise ValueError(
                f"{model.id!r} has recorded answers, which conditions can’t change. Run it without conditions."
            )
        return model.model_copy(update=changes)

    @property
    def filters_tools(self) -> bool:
        """True if it overrides which tools of servers are offered."""
        return "mcp_tool_filter" in self.settings.explicit

    def _servers(self, model: ModelConfig) -> dict[str, ToolServer]:
        own, allowed = model.tool_servers, None if self.filters_tools else model.mcp_tool_filter
        servers = (self.mcp_servers or {}).items()
        return {name: server.only(allowed) if own.get(name) == server else server for name, server in servers}


def combined_name(model: str, condition: str | None) -> str:
    """Combined name of model and condition: `gpt · with graph`; None: the model alone."""
    return model if condition is None else f"{model}{SEPARATOR}{condition}"


def without_condition(name: str, condition: str | None) -> str:
    """The inverse of `combined_name`."""
    return name if condition is None else name.removesuffix(f"{SEPARATOR}{condition}")
