"""Clock for the work of one job. It stops while the job waits for an unavailable model."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class _Pauses:
    seconds: float = 0.0


# A context variable, because an agent may run in an asyncio task on another thread.
_pauses: ContextVar[_Pauses | None] = ContextVar("pauses", default=None)
"""Pauses of the job on this thread or agent task. Later jobs on the same thread share the object."""


def seconds_worked() -> float:
    """Work time in seconds. Only differences are meaningful."""
    return time.perf_counter() - _job_pauses().seconds


def pause(seconds: float) -> None:
    """Subtract a wait that has just ended."""
    _job_pauses().seconds += seconds


def add(seconds: float) -> None:
    """Add work that was done earlier for this job and is reused."""
    _job_pauses().seconds -= seconds


def _job_pauses() -> _Pauses:
    pauses = _pauses.get()
    if pauses is None:
        pauses = _Pauses()
        _pauses.set(pauses)
    return pauses
