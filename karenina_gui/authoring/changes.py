"""News of edits, so that every open window shows what is in the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from karenina_gui.events import Signal

ChangeKind = Literal["added", "edited", "removed", "replaced"]


@dataclass(frozen=True)
class Change:
    benchmark_id: int
    kind: ChangeKind
    """replaced: many questions at once, so read the list again."""
    number: int | None = None
    """Number of the question. None: the benchmark itself, or many of its questions."""

    @property
    def of_presence(self) -> bool:
        """True if the benchmark itself is new, deleted or restored."""
        return self.number is None and self.kind in ("added", "removed")


class Changes:
    """Tells every listener, in the thread that made the change."""

    def __init__(self) -> None:
        self._listeners: Signal[[Change]] = Signal()

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Call `callback` after each change; returns a function that ends it."""
        return self._listeners.add(callback)

    def emit(self, benchmark_id: int, kind: ChangeKind, number: int | None = None) -> None:
        self._listeners.emit(Change(benchmark_id, kind, number))
