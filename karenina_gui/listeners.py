"""Who wants to hear of something: asked from any thread, told in the thread in which it happens."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, ParamSpec

log = logging.getLogger(__name__)

P = ParamSpec("P")


class Listeners(Generic[P]):
    """Called with the news, each in turn; one that fails is logged and keeps it from nobody else."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[tuple[Callable[P, None]]] = []

    def add(self, callback: Callable[P, None]) -> Callable[[], None]:
        """Returns what ends it, which does nothing the second time."""
        entry = (callback,)
        with self._lock:
            self._entries.append(entry)

        def end() -> None:
            with self._lock:
                self._entries = [each for each in self._entries if each is not entry]

        return end

    def clear(self) -> None:
        """Nobody hears anything from now on."""
        with self._lock:
            self._entries = []

    def tell(self, *news: P.args, **named: P.kwargs) -> None:
        with self._lock:
            entries = list(self._entries)
        for (callback,) in entries:
            try:
                callback(*news, **named)
            except Exception:  # what happened is done; a window that fails to show it must not undo it
                log.exception("A listener failed")
