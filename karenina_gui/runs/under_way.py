"""Jobs that are being worked on: the stage and turn of each, and how long the slowest of them will still take."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from karenina_gui.runs.expansion import Job

RECENT = 40
"""Jobs of each model that the time of further ones is estimated from."""


@dataclass(frozen=True)
class JobUnderWay:
    job: Job
    stage: str
    """Name of the stage; empty: it has not begun the first one."""
    turn: int | None
    """Of the agent that works in this stage, from 1; None: none does."""
    seconds: float
    """Since it was begun."""


@dataclass
class _Begun:
    at: float
    stage: str = ""
    turn: int | None = None
    turns: int = 0
    """Of all its agents."""


@dataclass(frozen=True)
class _Ended:
    seconds: float
    turns: int


class JobsUnderWay:
    """A `Watcher` of a run. Thread-safe. `moved` is called after each change, from worker threads."""

    def __init__(self, moved: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._moved, self._clock = moved, clock
        self._lock = threading.Lock()
        self._begun: dict[Job, _Begun] = {}
        self._ended: dict[tuple[str, str | None], deque[_Ended]] = {}
        """The last ones, by answering model and condition."""

    def step(self, job: Job, stage: str, turn: int | None) -> None:
        with self._lock:
            begun = self._begun.setdefault(job, _Begun(self._clock()))
            begun.stage, begun.turn = stage, turn
            begun.turns += turn is not None
        self._moved()

    def left(self, job: Job) -> None:
        with self._lock:
            if begun := self._begun.pop(job, None):
                ended = _Ended(self._clock() - begun.at, begun.turns)
                self._ended.setdefault(_asked(job), deque(maxlen=RECENT)).append(ended)
        self._moved()

    def now(self) -> tuple[JobUnderWay, ...]:
        """The one that was begun first comes first."""
        with self._lock:
            moment = self._clock()
            return tuple(JobUnderWay(job, each.stage, each.turn, moment - each.at) for job, each in self._begun.items())

    def seconds_left(self) -> float | None:
        """Of the slowest job, from those of the same model that have ended (else from all); 0: none is under way.

        An agent has the turns to go that agents before it took, at its own pace. None: some job takes longer than all
        before it, or it is the first.
        """
        with self._lock:
            moment = self._clock()
            left = [self._left(job, begun, moment - begun.at) for job, begun in self._begun.items()]
        known = [each for each in left if each is not None]
        return max(known, default=0.0) if len(known) == len(left) else None

    def _left(self, job: Job, begun: _Begun, seconds: float) -> float | None:
        ended = self._ended.get(_asked(job)) or [each for ended in self._ended.values() for each in ended]
        if not ended:
            return None
        if begun.turns:
            turns_left = fmean(each.turns for each in ended) - begun.turns + 1
            return turns_left * seconds / begun.turns if turns_left > 0 else None
        longest = max(each.seconds for each in ended)
        return max(0.0, fmean(each.seconds for each in ended) - seconds) if seconds <= longest else None


def _asked(job: Job) -> tuple[str, str | None]:
    return job.answering_label, job.condition_name
