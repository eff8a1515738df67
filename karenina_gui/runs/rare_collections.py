"""Garbage is collected rarely while jobs run."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

NEW_OBJECTS = 20_000
"""Objects that come to be before young ones are looked at; Python's own 700 costs a run 64 jobs wide a tenth of its
time, since hardly any of them are garbage in circles."""

_lock = threading.Lock()
_runs = 0
_before = gc.get_threshold()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Until the last of the runs that are going side by side has ended."""
    global _runs, _before
    with _lock:
        if _runs == 0:
            _before = gc.get_threshold()
            gc.set_threshold(max(NEW_OBJECTS, _before[0]), *_before[1:])
        _runs += 1
    try:
        yield
    finally:
        with _lock:
            _runs -= 1
            if _runs == 0:
                gc.set_threshold(*_before)
