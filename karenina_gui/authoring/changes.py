"""News of edits, so that every open window shows what is in the library."""

from __future__ import annotations

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
    revision: int | None = None
    """Revision of the question after the edit; None: it is not known."""

    @property
    def of_presence(self) -> bool:
        """True if the benchmark itself is new, deleted or restored."""
        return self.number is None and self.kind in ("added", "removed")


class Changes:
    """Announces every change, in the thread that made it."""

    def __init__(self) -> None:
        self.made: Signal[[Change]] = Signal()

    def emit(self, benchmark_id: int, kind: ChangeKind, number: int | None = None, revision: int | None = None) -> None:
        self.made.emit(Change(benchmark_id, kind, number, revision))
