"""Active jobs of a run: stage and turn of each, and an estimate of the time left."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

from karenina_gui.schemas.job import Job

RECENT = 40
"""Finished jobs of each model from which the duration of later ones is estimated."""


@dataclass(frozen=True)
class ActiveJob:
    job: Job
    stage: str
    """Stage name; empty: not started."""
    turn: int | None
    """Turn of the agent in this stage, from 1; None: no agent."""
    seconds: float
    """Since the start of the job."""


@dataclass
class _ActiveJob:
    at: float
    stage: str = ""
    turn: int | None = None
    turns: int = 0
    """Turns of all agents of the job."""


@dataclass(frozen=True)
class _FinishedJob:
    seconds: float
    turns: int


class ActiveJobs:
    """Progress of active jobs, a `Watcher`. Thread-safe. `moved` is called after each change, on worker threads."""

    def __init__(self, moved: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._moved, self._clock = moved, clock
        self._lock = threading.Lock()
        self._active: dict[Job, _ActiveJob] = {}
        self._finished: dict[tuple[str, str | None], deque[_FinishedJob]] = {}
        """Latest finished jobs by answering model and condition."""

    def step(self, job: Job, stage: str, turn: int | None) -> None:
        with self._lock:
            active = self._active.setdefault(job, _ActiveJob(self._clock()))
            active.stage, active.turn = stage, turn
            active.turns += turn is not None
        self._moved()

    def note_end(self, job: Job) -> None:
        with self._lock:
            if active := self._active.pop(job, None):
                finished = _FinishedJob(self._clock() - active.at, active.turns)
                self._finished.setdefault(_configuration(job), deque(maxlen=RECENT)).append(finished)
        self._moved()

    def now(self) -> tuple[ActiveJob, ...]:
        """All active jobs, the longest running first."""
        with self._lock:
            moment = self._clock()
            return tuple(ActiveJob(job, work.stage, work.turn, moment - work.at) for job, work in self._active.items())

    def seconds_left(self) -> float | None:
        """Estimated seconds until the slowest active job ends; 0: none is active. None: unknown.

        From finished jobs of the same configuration, else of all. An agent is expected to take the mean number of
        turns, at its own pace. Unknown if there is no finished job, or if a job takes longer than all finished ones.
        """
        with self._lock:
            moment = self._clock()
            remaining = [self._seconds_of(job, active, moment - active.at) for job, active in self._active.items()]
        estimates = [seconds for seconds in remaining if seconds is not None]
        return max(estimates, default=0.0) if len(estimates) == len(remaining) else None

    def _seconds_of(self, job: Job, active: _ActiveJob, seconds: float) -> float | None:
        finished = self._finished.get(_configuration(job)) or list(chain.from_iterable(self._finished.values()))
        if not finished:
            return None
        if active.turns:
            turns_left = fmean(job.turns for job in finished) - active.turns + 1
            return turns_left * seconds / active.turns if turns_left > 0 else None
        longest = max(job.seconds for job in finished)
        return max(0.0, fmean(job.seconds for job in finished) - seconds) if seconds <= longest else None


def _configuration(job: Job) -> tuple[str, str | None]:
    return job.answering, job.condition
