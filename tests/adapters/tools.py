"""Tools for agents under test: real ones, small enough to read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.schemas.tools import ToolOutput, ToolSpec


@dataclass
class Worked:
    """A tool that does `work` with its arguments and remembers them."""

    name: str
    work: Callable[[dict[str, Any]], str]
    given: list[dict[str, Any]] = field(default_factory=list)
    seconds: list[float | None] = field(default_factory=list)
    """Time that was left for each call."""
    threads: set[int] = field(default_factory=set)

    @property
    def spec(self) -> ToolSpec:
        schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
        return ToolSpec(self.name, f"Does {self.name}.", schema)

    def call(self, arguments: dict[str, Any], seconds: float | None = None) -> ToolOutput:
        self.given.append(arguments)
        self.seconds.append(seconds)
        self.threads.add(threading.get_ident())
        return ToolOutput(self.work(arguments))


def multiply() -> Worked:
    return Worked("multiply", lambda given: str(given["a"] * given["b"]))
