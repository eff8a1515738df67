"""Template methods that run outside of their class, by the `MethodRunner` of the context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.trace_patterns import check_patterns


class MethodRunner(Protocol):
    """Runs the methods of one template for one answer."""

    def call(self, name: str, state: dict[str, Any], arguments: tuple[Any, ...]) -> tuple[Any, dict[str, Any]]:
        """Call a method; return its result and the answer's attributes afterwards. `state`: the attributes before.

        Raises what the author's code raises.
        """
        ...

    def check_patterns(self, patterns: Mapping[str, Any], text: str) -> dict[str, Any]:
        """See `trace_patterns.check_patterns`."""
        ...


_RUNNER: ContextVar[MethodRunner] = ContextVar("method_runner")


@contextmanager
def methods_run_by(runner: MethodRunner) -> Iterator[None]:
    """Set the runner of this context within the block."""
    token = _RUNNER.set(runner)
    try:
        yield
    finally:
        _RUNNER.reset(token)


def method_apart(name: str, attributes: list[str]) -> Any:
    """A method that passes an answer's fields and attributes to the runner, and applies the changes."""

    def method(self: BaseAnswer, *arguments: Any) -> Any:
        names = [item for item in (*type(self).model_fields, *attributes, "correct", "regex") if hasattr(self, item)]
        before = {item: getattr(self, item) for item in names}
        returned, after = _RUNNER.get().call(name, before, arguments)
        for key, value in after.items():
            if key not in before or not _same(before[key], value):
                setattr(self, key, value)
        return returned

    method.__name__ = name
    return method


def patterns_checked_apart(patterns: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Let the runner check patterns. Without patterns no process is needed."""
    return _RUNNER.get().check_patterns(patterns, text) if patterns else check_patterns(patterns, text)


def _same(before: Any, after: Any) -> bool:
    return type(before) is type(after) and bool(before == after)
