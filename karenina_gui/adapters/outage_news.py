"""Sentences about waits of a run for unavailable models, for a terminal or a log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from karenina_gui.adapters.outages import ModelKey, Outage


class OutageNews:
    """Reports each model when the wait for it begins and ends. Thread-safe."""

    def __init__(self, tell: Callable[[str], None], most: float | None) -> None:
        """`tell` receives each sentence. `most`: maximum wait in seconds; None: no limit."""
        self._tell = tell
        self._limit = "" if most is None else f" for at most {most:g} s (provider_wait_seconds)"
        # Changes are reported on several worker threads.
        self._lock = threading.Lock()
        self._waited_for: dict[ModelKey, Outage] = {}

    def __call__(self, outages: Sequence[Outage]) -> None:
        """`outages`: all of the run at this moment."""
        now = {outage.key: outage for outage in outages}
        with self._lock:
            begun = [outage for key, outage in now.items() if key not in self._waited_for]
            over = [outage for key, outage in self._waited_for.items() if key not in now]
            self._waited_for = now
        for outage in begun:
            self._tell(f"Waiting for {outage.model}{self._limit}: {outage.why}")
        for outage in over:
            self._tell(f"No longer waiting for {outage.model}.")
