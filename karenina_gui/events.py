"""Thread-safe callbacks. `subscribe` may be called on any thread; callbacks run on the thread that emits."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, ParamSpec

log = logging.getLogger(__name__)

P = ParamSpec("P")


class Signal(Generic[P]):
    """List of callbacks, called in order. A callback that fails is logged, and the others are still called."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[tuple[Callable[P, None]]] = []

    def subscribe(self, callback: Callable[P, None]) -> Callable[[], None]:
        """Add a callback. Returns a function that removes it, and does nothing when called again."""
        # A tuple, so that two registrations of the same callback are removed separately.
        entry = (callback,)
        with self._lock:
            self._entries.append(entry)

        def end() -> None:
            with self._lock:
                self._entries = [other for other in self._entries if other is not entry]

        return end

    def clear(self) -> None:
        """Remove all callbacks."""
        with self._lock:
            self._entries = []

    def emit(self, *news: P.args, **named: P.kwargs) -> None:
        with self._lock:
            entries = list(self._entries)
        for (callback,) in entries:
            try:
                callback(*news, **named)
            except Exception:  # the event has happened, and a window that fails to show it must not undo it
                log.exception("A listener failed")
