"""Progress of a run, counted as jobs finish and reported a few times a second at most."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from karenina_gui.adapters.outages import Outage
from karenina_gui.events import Signal
from karenina_gui.runs.active_jobs import ActiveJob, ActiveJobs
from karenina_gui.schemas.condition import combined_name
from karenina_gui.schemas.figure import Figure
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.outcome import Outcome, outcome_of
from karenina_gui.schemas.result import VerificationResult

PAUSE = 0.2
"""Minimum seconds between two notifications."""
RECENT = 40
"""Number of last finished jobs from which the time left is estimated."""
ENOUGH_JOBS, ENOUGH_SECONDS = 3, 1.0
"""Minimum jobs and seconds before the time left is estimated."""
ERRORS_SHOWN = 1000


JOBS_DONE = Figure(
    "jobs-done",
    "Jobs done",
    "Jobs of the run with a result, of all planned. A job is one question for one model, condition, replicate, and "
    "judgment.",
    "Jobs with a result that are being retried; they are listed separately until they are done.",
)
TIME_SPENT = Figure(
    "time-spent",
    "Time elapsed",
    "Time that the run was active, added up over interruptions.",
    "Time between interruptions and resuming.",
)
TIME_LEFT = Figure(
    "time-left",
    "Time left",
    f"Remaining jobs at the pace of the last {RECENT}, but at least what the jobs in progress still need, judging by "
    "earlier jobs; for agents, by the turns that earlier ones took.",
    "Not shown before some jobs have finished, or while a job takes longer than all before it.",
)


@dataclass(frozen=True)
class JobError:
    """Job that ended with an error, or without a verdict for a reason other than the answer's content."""

    question_id: str
    question_text: str
    answering: str
    """Model, with its condition if there is one."""
    replicate: int | None
    message: str


@dataclass(frozen=True)
class ClusterWorker:
    """Worker of a cluster that takes part in a run."""

    name: str
    address: str
    jobs: frozenset[str] = frozenset()
    """Keys of the jobs that it verifies now."""


@dataclass(frozen=True)
class RunProgressState:
    """Progress of a run at one moment."""

    total: int
    done: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    running: int = 0
    """Jobs being executed."""
    before: int = 0
    """Part of `done` finished before the run was resumed; 0: not resumed."""
    seconds: float = 0.0
    """Seconds worked, including those before the run was resumed."""
    seconds_left: float | None = None
    """Estimated seconds left; None: unknown, or nothing is left.

    From the pace of recent jobs, and at least the time that active jobs still need. Unknown at the start, and if a job
    takes longer than all before it.
    """
    under_way: tuple[ActiveJob, ...] = ()
    """Active jobs, the longest running first."""
    again: int = 0
    """Jobs with a result that are being retried. Until then the library counts their earlier outcome."""
    errors: tuple[JobError, ...] = ()
    """Latest errors, the newest first."""
    cancelling: bool = False
    ended: bool = False
    outages: tuple[Outage, ...] = ()
    """Models that the run waits for."""
    held: bool = False
    """True if the user paused the run."""
    workers: tuple[ClusterWorker, ...] = ()
    """Workers of the cluster; empty: this computer verifies the jobs, or no worker is there."""

    def as_of(self, outcomes: Mapping[Outcome, int]) -> RunProgressState:
        """The same progress with outcomes read from the library, so that all parts of a page agree."""
        return replace(self, outcomes=dict(outcomes), done=max(0, sum(outcomes.values()) - self.again))


class ProgressBoard:
    """Counter of finished jobs. Listeners are called on worker threads, and once more at the end.

    `before`: outcomes of a resumed run that are kept. `worked`: seconds worked before it was resumed. `again`: keys of
    jobs that have a result and are retried.
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
        self.changed: Signal[[]] = Signal()
        """There is another state; at most every `PAUSE` seconds."""
        self._notified_at = 0.0
        self._timer: threading.Timer | None = None
        self.jobs = ActiveJobs(self.note_change)
        """Updated by the threads that execute the jobs."""

    def snapshot(self) -> RunProgressState:
        with self._lock:
            done = sum(self._outcomes.values())
            ended = self._stopped is not None
            return RunProgressState(
                total=self._total,
                done=done,
                outcomes=dict(self._outcomes),
                running=0 if ended else min(self._workers, self._total - done),
                before=self._before,
                seconds=self._worked + (self._stopped or time.monotonic()) - self._started,
                seconds_left=None if ended or self._cancelling else self._seconds_left(done),
                under_way=() if ended else self.jobs.now(),
                again=len(self._again),
                errors=tuple(self._errors),
                cancelling=self._cancelling and not ended,
                ended=ended,
            )

    def count(self, job: Job, result: VerificationResult, stands: Outcome | None = None) -> None:
        """Count a finished job. `stands`: outcome of its earlier result if that is kept; None: the new one is."""
        outcome = stands or outcome_of(result)
        with self._lock:
            self._outcomes[outcome] = self._outcomes.get(outcome, 0) + 1
            self._again.discard(job.key)
            self._recent.append(time.monotonic())
            if outcome == "error":
                self._errors.appendleft(_job_error(job, result))
        self._notify_later()

    def note_change(self) -> None:
        """Report that something other than a result has changed."""
        self._notify_later()

    def cancelling(self) -> None:
        with self._lock:
            self._cancelling = True
        self._notify_later()

    def end(self) -> None:
        with self._lock:
            self._stopped = time.monotonic()
            if self._timer is not None:
                self._timer.cancel()
        self._notify()

    def _seconds_left(self, done: int) -> float | None:
        now = time.monotonic()
        here = done - self._before
        if here < max(ENOUGH_JOBS, self._workers) or now - self._started < ENOUGH_SECONDS or done >= self._total:
            return None
        # With a full window, its first job only marks the start of the interval; before that, the run's start does.
        whole = len(self._recent) == here
        since, jobs = (self._started, here) if whole else (self._recent[0], len(self._recent) - 1)
        slowest = self.jobs.seconds_left()
        return None if slowest is None else max(slowest, (self._total - done) * (now - since) / jobs)

    def _notify_later(self) -> None:
        with self._lock:
            if self._timer is not None or self._stopped is not None:
                return
            moment = time.monotonic()
            wait = PAUSE - (moment - self._notified_at)
            if wait <= 0:
                self._notified_at = moment  # other threads of the same burst see this and do not notify again
            else:
                self._timer = threading.Timer(wait, self._notify)
                # A pending notification must not keep the process from exiting.
                self._timer.daemon = True
                self._timer.start()
                return
        self._notify()

    def _notify(self) -> None:
        with self._lock:
            self._timer = None
            self._notified_at = time.monotonic()
        self.changed.emit()


def _job_error(job: Job, result: VerificationResult) -> JobError:
    failure = result.metadata.failure
    message = result.error or (failure.reason if failure else "Ended without a verdict.")
    model = combined_name(job.answering, job.condition)
    return JobError(job.question_id, result.metadata.question_text, model, job.replicate, message)
