"""Runs that are going in this process: how far each is, and what people want of it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property

from karenina_gui.adapters.outages import ModelKey, Outages
from karenina_gui.adapters.recording import Recorder
from karenina_gui.runs.progress import ProgressBoard
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.resumption import UnfinishedRun

BENCHMARK_DELETED = "Cancelled because its benchmark was deleted."


@dataclass
class ActiveRun:
    benchmark_id: int
    request: RunRequest
    recorder: Recorder | None
    board: ProgressBoard
    resumed: UnfinishedRun | None = None
    """As it was when it was taken up again; None: it is begun here."""
    cancelled: threading.Event = field(default_factory=threading.Event)
    why_cancelled: str = ""
    closing: bool = False
    outages: Outages = field(default_factory=Outages)
    """Models that the run waits for, without end: whoever looks at it can act, or cancel it."""
    thread: threading.Thread | None = None

    @cached_property
    def question_texts(self) -> dict[str, str]:
        return {key: question.question for key, question in self.request.questions.items()}

    def cancel(self, why: str) -> None:
        """The first reason counts."""
        self.why_cancelled = self.why_cancelled or why
        self.cancelled.set()
        self.board.cancelling()

    def goes_on_for(self, benchmark_id: int) -> bool:
        return self.benchmark_id == benchmark_id and not self.cancelled.is_set()


class ActiveRuns:
    """All of them by id, in the order of their start. Thread-safe; nothing happens for a run that is not here."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[int, ActiveRun] = {}

    def start(self, run_id: int, run: ActiveRun, thread: threading.Thread) -> None:
        """Start the thread that works on the run; it is found here before the thread does anything."""
        run.thread = thread
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
        """Those that go on for as long as nobody cancels them."""
        return {run_id: run for run_id, run in self.all().items() if run.goes_on_for(benchmark_id)}

    def question_texts(self, run_id: int) -> dict[str, str]:
        """{question id: text} of what the run asks; empty for a run that is not here."""
        run = self.get(run_id)
        return run.question_texts if run else {}

    def pause(self, run_id: int) -> None:
        """Make no further model call until `go_on`; those under way come to their end."""
        if run := self.get(run_id):
            run.outages.hold()

    def go_on(self, run_id: int) -> None:
        """Continue after `pause`, and try all models that the run waits for."""
        if run := self.get(run_id):
            run.outages.go_on()

    def try_now(self, run_id: int, key: ModelKey) -> None:
        """Ask a model that the run waits for."""
        if run := self.get(run_id):
            run.outages.try_now(key)

    def try_accounts(self) -> None:
        """Ask every model that waits for a person: another key was entered."""
        for run in self.all().values():
            for outage in run.outages.now():
                if outage.account:
                    run.outages.try_now(outage.key)
