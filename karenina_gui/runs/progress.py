"""How far a run is: counted as jobs finish, told to whoever watches, a few times a second at most."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from karenina_gui.adapters.outages import Outage
from karenina_gui.listeners import Listeners
from karenina_gui.runs.expansion import Job
from karenina_gui.runs.under_way import JobsUnderWay, JobUnderWay
from karenina_gui.schemas.condition import named
from karenina_gui.schemas.figure import Figure
from karenina_gui.schemas.outcome import Outcome, outcome_of
from karenina_gui.schemas.result import VerificationResult

PAUSE = 0.2
"""Least seconds between two calls of the listeners."""
RECENT = 40
"""The time left is estimated from the pace of so many jobs that finished last."""
ENOUGH_JOBS, ENOUGH_SECONDS = 3, 1.0
"""Before so many jobs and so much time, nothing is said of the time left."""
ERRORS_SHOWN = 1000


JOBS_DONE = Figure(
    "jobs-done",
    "Jobs done",
    "Jobs of the run with a result, of all that were planned. A job is one question for one model, condition, "
    "replicate and judgment.",
    "Jobs that have a result and are tried again: they are named beside it until they are done.",
)
TIME_SPENT = Figure(
    "time-spent", "Time so far", "Time that the run has worked, all its parts together.", "Time between its parts."
)
TIME_LEFT = Figure(
    "time-left",
    "Time left",
    f"Jobs that are left, by the pace of the {RECENT} that finished last, but at least what the jobs under way still "
    "take by the time of earlier ones; an agent has the turns to go that earlier ones took, at its own pace.",
    "It is not said before some jobs have finished, nor while one takes longer than all before it.",
)


@dataclass(frozen=True)
class JobError:
    """A job that ended in an error, or without a verdict for a reason that is not the answer's content."""

    question_id: str
    question_text: str
    answering: str
    """The model, with the condition under which it was asked."""
    replicate: int | None
    message: str


@dataclass(frozen=True)
class Progress:
    """A run at one moment."""

    total: int
    done: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    running: int = 0
    """Jobs that are being worked on."""
    before: int = 0
    """Of them, those that were done before the run was resumed; 0: it was not."""
    seconds: float = 0.0
    """That the run has worked, also before it was resumed."""
    seconds_left: float | None = None
    """From the pace of the last jobs, and at least what those under way still take; None: too little is known yet, a
    job takes longer than those before it, or nothing is left to do."""
    under_way: tuple[JobUnderWay, ...] = ()
    """The one that was begun first comes first."""
    again: int = 0
    """Jobs that have a result and are done anew: until then that result counts among the outcomes of the library."""
    errors: tuple[JobError, ...] = ()
    """The last ones, the newest first."""
    cancelling: bool = False
    ended: bool = False
    outages: tuple[Outage, ...] = ()
    """Models that are waited for."""
    held: bool = False
    """Whether it is paused by hand."""

    def as_of(self, outcomes: Mapping[Outcome, int]) -> Progress:
        """The same by what the library had of its results at one moment, so that all of a page says the same."""
        return replace(self, outcomes=dict(outcomes), done=max(0, sum(outcomes.values()) - self.again))


class ProgressBoard:
    """Counts what finishes. Listeners are called from worker threads, and once more when the run has ended.

    `before`: outcomes of the jobs that a resumed run has already and does not do anew; `worked`: seconds that it
    worked for these; `again`: keys of the jobs that it has already and does anew.
    """

    def __init__(
        self,
        total: int,
        workers: int,
        before: Mapping[Outcome, int] | None = None,
        worked: float = 0.0,
        again: Collection[str] = (),
    ) -> None:
        self._lock = threading.Lock()
        self._total = total
        self._workers = workers
        self._worked = worked
        self._started = time.monotonic()
        self._stopped: float | None = None
        self._outcomes: dict[Outcome, int] = dict(before or {})
        self._before = sum(self._outcomes.values())
        self._again = set(again)
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._errors: deque[JobError] = deque(maxlen=ERRORS_SHOWN)
        self._cancelling = False
        self._listeners: Listeners[[]] = Listeners()
        self._told = 0.0
        self._timer: threading.Timer | None = None
        self.jobs = JobsUnderWay(self.moved)
        """Told by whoever does them."""

    def snapshot(self) -> Progress:
        with self._lock:
            done = sum(self._outcomes.values())
            ended = self._stopped is not None
            return Progress(
                total=self._total,
                done=done,
                outcomes=dict(self._outcomes),
                running=0 if ended else min(self._workers, self._total - done),
                before=self._before,
                seconds=self._worked + (self._stopped or time.monotonic()) - self._started,
                seconds_left=None if ended or self._cancelling else self._left(done),
                under_way=() if ended else self.jobs.now(),
                again=len(self._again),
                errors=tuple(self._errors),
                cancelling=self._cancelling and not ended,
                ended=ended,
            )

    def count(self, job: Job, result: VerificationResult, stands: Outcome | None = None) -> None:
        """`stands`: the outcome of the job's earlier result, where that is kept; None: the new one is."""
        outcome = stands or outcome_of(result)
        with self._lock:
            self._outcomes[outcome] = self._outcomes.get(outcome, 0) + 1
            self._again.discard(job.key)
            self._recent.append(time.monotonic())
            if outcome == "error":
                self._errors.appendleft(_job_error(job, result))
        self._changed()

    def moved(self) -> None:
        """Something else than a result is new."""
        self._changed()

    def cancelling(self) -> None:
        with self._lock:
            self._cancelling = True
        self._changed()

    def end(self) -> None:
        with self._lock:
            self._stopped = time.monotonic()
            if self._timer is not None:
                self._timer.cancel()
        self._tell()

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls `callback` after changes, bursts as one; returns what ends it."""
        return self._listeners.add(callback)

    def _left(self, done: int) -> float | None:
        now = time.monotonic()
        here = done - self._before
        if here < max(ENOUGH_JOBS, self._workers) or now - self._started < ENOUGH_SECONDS or done >= self._total:
            return None
        # The first of the recent jobs only marks where the others begin; while there are few, the start does.
        whole = len(self._recent) == here
        since, jobs = (self._started, here) if whole else (self._recent[0], len(self._recent) - 1)
        slowest = self.jobs.seconds_left()
        return None if slowest is None else max(slowest, (self._total - done) * (now - since) / jobs)

    def _changed(self) -> None:
        with self._lock:
            if self._timer is not None or self._stopped is not None:
                return
            moment = time.monotonic()
            wait = PAUSE - (moment - self._told)
            if wait <= 0:
                self._told = moment  # no other thread tells of the same burst
            else:
                self._timer = threading.Timer(wait, self._tell)
                self._timer.daemon = True
                self._timer.start()
                return
        self._tell()

    def _tell(self) -> None:
        with self._lock:
            self._timer = None
            self._told = time.monotonic()
        self._listeners.tell()


def _job_error(job: Job, result: VerificationResult) -> JobError:
    failure = result.metadata.failure
    message = result.error or (failure.reason if failure else "It ended without a verdict.")
    asked = named(job.answering_label, job.condition_name)
    return JobError(job.question_id, result.metadata.question_text, asked, job.replicate, message)
