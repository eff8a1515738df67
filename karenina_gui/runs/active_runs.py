"""Runs in progress in this process, and the requests of users to pause or cancel them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from karenina_gui.adapters.outages import ModelKey, Outages
from karenina_gui.adapters.recording import Recorder
from karenina_gui.runs.progress import ClusterWorker, ProgressBoard
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.resume import UnfinishedRun

BENCHMARK_DELETED = "Stopped because its benchmark was deleted."


@dataclass
class ActiveRun:
    benchmark_id: int
    request: RunRequest
    recorder: Recorder | None
    board: ProgressBoard
    resumed: UnfinishedRun | None = None
    """State before it was resumed; None: the run is new."""
    cancelled: threading.Event = field(default_factory=threading.Event)
    why_cancelled: str = ""
    closing: bool = False
    outages: Outages = field(default_factory=Outages)
    """Models that the run waits for without a time limit. The user can fix the cause or stop the run."""
    workers: Callable[[], tuple[ClusterWorker, ...]] = tuple
    """Workers of the run's cluster."""
    thread: threading.Thread | None = None

    @cached_property
    def question_texts(self) -> dict[str, str]:
        return {key: question.question for key, question in self.request.questions.items()}

    def cancel(self, why: str) -> None:
        """Cancel the run. The first reason is kept."""
        self.why_cancelled = self.why_cancelled or why
        self.cancelled.set()
        self.board.cancelling()

    def goes_on_for(self, benchmark_id: int) -> bool:
        return self.benchmark_id == benchmark_id and not self.cancelled.is_set()


class ActiveRuns:
    """Running runs by id, in order of their start. Thread-safe. Calls for an unknown id do nothing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[int, ActiveRun] = {}

    def start(self, run_id: int, run: ActiveRun, thread: threading.Thread) -> None:
        """Register the run and start its thread."""
        run.thread = thread
        # Under the lock, so that the thread cannot finish and drop the run before it is registered.
        with self._lock:
            self._runs[run_id] = run
            thread.start()

    def drop(self, run_id: int) -> None:
        with self._lock:
            self._runs.pop(run_id)

    def get(self, run_id: int) -> ActiveRun | None:
        with self._lock:
            return self._runs.get(run_id)

    def all(self) -> dict[int, ActiveRun]:
        with self._lock:
            return dict(self._runs)

    def of_benchmark(self, benchmark_id: int) -> dict[int, ActiveRun]:
        """Runs of a benchmark that are not being cancelled."""
        return {run_id: run for run_id, run in self.all().items() if run.goes_on_for(benchmark_id)}

    def question_texts(self, run_id: int) -> dict[str, str]:
        """Question texts by id; empty for an unknown run."""
        run = self.get(run_id)
        return run.question_texts if run else {}

    def pause(self, run_id: int) -> None:
        """Make no further model calls until `go_on`. Calls in flight finish."""
        if run := self.get(run_id):
            run.outages.hold()

    def resume(self, run_id: int) -> None:
        """Continue after `pause`, and retry all models that the run waits for."""
        if run := self.get(run_id):
            run.outages.go_on()

    def try_now(self, run_id: int, key: ModelKey) -> None:
        """Retry a model that the run waits for."""
        if run := self.get(run_id):
            run.outages.try_now(key)

    def try_accounts(self) -> None:
        """Retry every model that waits for the user, after another key was entered."""
        for run in self.all().values():
            for outage in run.outages.now():
                if outage.account:
                    run.outages.try_now(outage.key)
