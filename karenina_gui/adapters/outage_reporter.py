"""Reports of a run’s waits for unavailable models, for a terminal or a log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from karenina_gui.adapters.outages import ModelKey, Outage


class OutageReporter:
    """Reports each model when the wait for it begins and ends. Thread-safe."""

    def __init__(self, write: Callable[[str], None], max_wait: float | None) -> None:
        """`write` receives each message. `max_wait`: in seconds; None: no limit."""
        self._write = write
        self._limit = "" if max_wait is None else f" for at most {max_wait:g} s (provider_wait_seconds)"
        # Changes are reported on several worker threads.
        self._lock = threading.Lock()
        self._waited_for: dict[ModelKey, Outage] = {}

    def __call__(self, outages: Sequence[Outage]) -> None:
        """Report the changes since the last call. `outages`: all current ones of the run."""
        now = {outage.key: outage for outage in outages}
        with self._lock:
            begun = [outage for key, outage in now.items() if key not in self._waited_for]
            over = [outage for key, outage in self._waited_for.items() if key not in now]
            self._waited_for = now
        for outage in begun:
            self._write(f"Waiting for {outage.model}{self._limit}: {outage.why}")
        for outage in over:
            self._write(f"No longer waiting for {outage.model}.")
