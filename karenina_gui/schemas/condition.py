"""Conditions: what a run holds beside one another, each on every question (`evaluation-methodology.md`).

A condition is a name for what an answering model is told, works with and is set to. All else of a run stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_serializer

from karenina_gui.schemas.further_parameters import without_secrets
from karenina_gui.schemas.hidden_signs import hidden_sign
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.workspace import WorkspaceToolName

if TYPE_CHECKING:
    from karenina_gui.schemas.config import ModelConfig

SEPARATOR = " · "
"""Between model and condition, where a result names both in one."""


class AnsweringSettings(BaseModel):
    """Settings of answering models; only those that are given change something, None included."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=16384, ge=1)
    mcp_tool_filter: list[str] | None = None
    """For all servers that the model then works with, whosever they are."""
    workspace_tools: list[WorkspaceToolName] | None = None
    extra_kwargs: dict[str, Any] = Field(default_factory=dict)
    """In place of the model's own parameters of these names; its others stay."""

    @field_validator("extra_kwargs")
    @classmethod
    def _without_secrets(cls, value: dict[str, Any]) -> dict[str, Any]:
        return without_secrets(value)

    @property
    def given(self) -> dict[str, Any]:
        """{name: value} of what was given, as fields of `ModelConfig`."""
        return {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnsweringSettings) and self.given == other.given

    @model_serializer(mode="wrap")
    def _only_given(self, dump: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if name in self.model_fields_set}


class Condition(BaseModel):
    """One way to ask. The first condition of a run is its baseline."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    name: str = Field(min_length=1, max_length=100)
    """By which results and charts know it; unique within a run."""
    description: str | None = None
    system_prompt: str | None = None
    """In place of the model's own; None: the model's own stays; empty: none."""
    mcp_servers: dict[str, ToolServer] | None = None
    """{name: entry} of MCP servers in place of the model's own; None: its own stay; empty: none.

    The model's own `mcp_tool_filter` is for its own servers: of those given here it holds for such as the model has
    just so itself, and the others offer what their entries say.
    """
    settings: AnsweringSettings = Field(default_factory=AnsweringSettings)
    require_mcp_tool_use: bool = False
    """Whether a sample is aborted when the model has called no tool of an MCP server."""
    require_mcp_tool_success: bool = False
    """Whether a sample is aborted when every such call has failed. One without calls passes; ask for use as well."""

    @field_validator("name")
    @classmethod
    def _one_line(cls, name: str) -> str:
        name = " ".join(name.split())
        if not name:
            raise ValueError("A condition needs a name.")
        if hidden := hidden_sign(name):
            raise ValueError(f"A condition's name holds a sign that cannot be seen ({hidden}). Take it out.")
        return name

    def applied(self, model: ModelConfig) -> ModelConfig:
        """The model as it is asked under this condition. Errors: `ValueError` where it cannot be."""
        changes = dict(self.settings.given)
        if "extra_kwargs" in changes:
            changes["extra_kwargs"] = {**model.extra_kwargs, **changes["extra_kwargs"]}
        if self.system_prompt is not None:
            changes["system_prompt"] = self.system_prompt
        if self.mcp_servers is not None:
            changes |= {"mcp_urls_dict": None, "mcp_servers": self._servers(model) or None}
            changes.setdefault("mcp_tool_filter", None)
        if model.interface == "manual":
            raise ValueError(
                f"{model.id!r} holds recorded answers, which no condition can change. Run it without conditions."
            )
        return model.model_copy(update=changes)

    @property
    def filters_tools(self) -> bool:
        """Whether it says which tools of servers are offered, in place of what the model says."""
        return "mcp_tool_filter" in self.settings.given

    def _servers(self, model: ModelConfig) -> dict[str, ToolServer]:
        own, wanted = model.tool_servers, None if self.filters_tools else model.mcp_tool_filter
        given = (self.mcp_servers or {}).items()
        return {name: server.only(wanted) if own.get(name) == server else server for name, server in given}


def named(model: str, condition: str | None) -> str:
    """Model and condition in one: `gpt · with graph`; None: the model alone."""
    return model if condition is None else f"{model}{SEPARATOR}{condition}"


def without_condition(name: str, condition: str | None) -> str:
    """The inverse of `named`."""
    return name if condition is None else name.removesuffix(f"{SEPARATOR}{condition}")
