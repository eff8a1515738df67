"""Tools that an agent may call: their name, arguments and output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Description of a tool for a model."""

    name: str
    """Letters, digits, `_` and `-`, at most 64: accepted by every provider."""
    description: str
    input_schema: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    """JSON Schema of the arguments, an object."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """Output of a call. An error is reported to the model, which may try something else."""

    text: str
    is_error: bool = False


class Tool(Protocol):
    """One tool of one agent."""

    @property
    def spec(self) -> ToolSpec: ...

    def call(self, arguments: dict[str, Any], seconds: float | None = None) -> ToolOutput:
        """Run the tool. `seconds`: remaining time; None: only its own limits apply.

        Raises `ToolServerError` if the server of the tool is gone; a failure that the model can deal with is a
        `ToolOutput` instead.
        """
        ...
