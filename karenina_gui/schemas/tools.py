"""Tools that an agent may call: what they are called, what they take, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool."""

    name: str
    """Letters, digits, `_` and `-`, at most 64: what every provider takes."""
    description: str
    input_schema: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    """JSON Schema of the arguments, an object."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call came to; an error is told to the model, which may try something else."""

    text: str
    is_error: bool = False


class Tool(Protocol):
    """One tool of one agent."""

    @property
    def spec(self) -> ToolSpec: ...

    def call(self, arguments: dict[str, Any], seconds: float | None = None) -> ToolOutput:
        """`seconds`: time that is left for it; None: only its own limits count.

        Errors: `ToolServerError` where what serves the tool is gone; whatever a model can do about a failure is a
        `ToolOutput` instead.
        """
        ...
