"""Long work in a thread beside open windows."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

PACE = 0.02
"""Seconds of work, each followed by a pause of the same length for windows and their typing."""


def at_half_speed(items: Iterable[Item], stop: threading.Event | None = None) -> Iterator[Item]:
    """Yield the items with a pause after each bit of work, until `stop` is set."""
    stop = stop or threading.Event()
    started = time.monotonic()
    for item in items:
        if stop.is_set():
            return
        yield item
        # Python runs one thread at a time: without pauses, every window would answer late.
        if (worked := time.monotonic() - started) > PACE:
            stop.wait(worked)
            started = time.monotonic()
