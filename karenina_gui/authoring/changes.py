"""News of edits, so that every open window shows what is in the library."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

log = logging.getLogger(__name__)

ChangeKind = Literal["added", "edited", "removed", "replaced"]


@dataclass(frozen=True)
class Change:
    benchmark_id: int
    kind: ChangeKind
    """replaced: many questions at once, so read the list again."""
    question_id: str | None = None
    """None: the benchmark itself, or many of its questions."""


class Changes:
    """Tells every listener, in the thread that made the change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: list[Callable[[Change], None]] = []

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Returns what ends it."""
        with self._lock:
            self._listeners.append(callback)

        def unsubscribe() -> None:
            with self._lock:
                if callback in self._listeners:
                    self._listeners.remove(callback)

        return unsubscribe

    def tell(self, benchmark_id: int, kind: ChangeKind, question_id: str | None = None) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            try:
                listener(Change(benchmark_id, kind, question_id))
            except Exception:  # the edit is saved; a window that fails to show it must not make it look lost
                log.exception("A listener of edits failed")
