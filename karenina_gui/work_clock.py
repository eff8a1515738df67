"""A clock for the work of one job. It stands while the job waits for a model that cannot be asked."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class _Pauses:
    seconds: float = 0.0


_pauses: ContextVar[_Pauses | None] = ContextVar("pauses", default=None)
"""Of the job that this thread, or this task of an agent, works on; jobs that follow in one thread share it."""


def worked() -> float:
    """Seconds; only the difference between two of them means something."""
    return time.perf_counter() - _of_job().seconds


def pause(seconds: float) -> None:
    """So long the job has just waited."""
    _of_job().seconds += seconds


def add(seconds: float) -> None:
    """So long somebody worked on the job before, and that work is used."""
    _of_job().seconds -= seconds


def _of_job() -> _Pauses:
    pauses = _pauses.get()
    if pauses is None:
        pauses = _Pauses()
        _pauses.set(pauses)
    return pauses
