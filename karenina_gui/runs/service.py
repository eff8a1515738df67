"""Runs as durable jobs: planned in the library before the first call, worked on in the background, watched."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.adapters.open import Adapters
from karenina_gui.adapters.outages import Patience
from karenina_gui.adapters.recording import Recorder
from karenina_gui.errors import InputError, NotFoundError, NotSavedError
from karenina_gui.listeners import Listeners
from karenina_gui.runs import conditions
from karenina_gui.runs.active import BENCHMARK_DELETED, ActiveRun, ActiveRuns
from karenina_gui.runs.agents import CommandConfinement, command_confinement
from karenina_gui.runs.aids import embeds_always
from karenina_gui.runs.benchmark_changes import BenchmarkChanges, changes_since
from karenina_gui.runs.expansion import Job
from karenina_gui.runs.models import ModelShelf
from karenina_gui.runs.opened import ResultsOpener
from karenina_gui.runs.presets import PresetShelf
from karenina_gui.runs.price_list import PriceList
from karenina_gui.runs.progress import Progress, ProgressBoard
from karenina_gui.runs.reconnection import connections_of
from karenina_gui.runs.reproducibility import record_of
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.resumption import Remaining, UnfinishedRuns
from karenina_gui.runs.selection import Selection, Wanted, candidates_of, light_candidates, select
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.outcome import RetryClass
from karenina_gui.schemas.reproducibility import Connection
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.run_name import by_date, told_apart
from karenina_gui.schemas.summaries import RunStatus, RunSummary
from karenina_gui.store.database import now
from karenina_gui.store.library import Library
from karenina_gui.store.runs import PlannedJob, RunPlan
from karenina_gui.store.snapshots import Snapshot

if TYPE_CHECKING:
    from karenina_gui.runs.preview import Preview
    from karenina_gui.runs.recorded import Unrecorded

log = logging.getLogger(__name__)

UNSTORED_PAUSE = 2.0
"""Seconds until the end of a run that could not be stored is stored again."""

OpenAdapters = Callable[[Recorder | None], Adapters]
"""Opens what reaches the models for one run; the recorder, when there is one, gets every exchange."""


@dataclass(frozen=True)
class RunOrder:
    """What a person starts."""

    benchmark_id: int
    config: VerificationConfig
    question_ids: Collection[str] | None = None
    """None: all that are finished and have a usable template."""
    name: str = ""
    """Empty: the date and time."""
    record: Path | None = None
    """Keep every exchange with a model in this file; None: do not."""
    only_finished: bool = True

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.question_ids, self.only_finished)


@dataclass(frozen=True)
class Who:
    """Places in a run's configuration."""

    answering: int
    judge: int | None
    """None: there is none."""
    condition: int | None = None
    """None: there is none."""


class RunService:
    """Starts runs and keeps hold of them. Thread-safe; runs do not depend on any window.

    On opening, runs that a former process left unfinished are marked as interrupted.
    """

    def __init__(
        self, library: Library, sandbox: Sandbox, open_adapters: OpenAdapters, patience: Patience | None = None
    ) -> None:
        """`patience`: with models that cannot be asked."""
        self._patience = patience or Patience()
        self._library = library
        self._sandbox = sandbox
        self._open_adapters = open_adapters
        self._unfinished = UnfinishedRuns(library)
        self._resuming = threading.Lock()
        """One at a time: the same run may be asked for in two windows at once."""
        self.under_way = ActiveRuns()
        """Runs that are going here, which can be paused."""
        self._listeners: Listeners[[int]] = Listeners()
        self.interrupted = library.runs.mark_interrupted()
        """Runs that were lost with a former process, until somebody has seen them."""
        self.runs = library.runs
        """What is known of all runs, past and present."""
        self.results = library.results
        """What they found."""
        self.models = ModelShelf(library.models, open_adapters(None))
        """The models that a run may use."""
        self.models.keys.listen(self.under_way.try_accounts)
        self.presets = PresetShelf(library.presets, library.models)
        """Configurations by name."""
        self.prices = PriceList(library)
        """What their tokens cost."""
        self.opener = ResultsOpener(library, self._listeners.tell)
        """Runs out of files."""

    @cached_property
    def command_confinement(self) -> CommandConfinement:
        """What keeps agents' commands in their workspaces on this computer; found out when it is first asked for."""
        return command_confinement()

    def has_agentic_traits(self, benchmark_id: int) -> bool:
        """Whether any trait of the benchmark or of its questions is investigated by an agent."""
        rubric = self._library.benchmarks.frame(benchmark_id).rubric
        if rubric is not None and rubric.agentic_traits:
            return True
        return self._library.questions.has_agentic_traits(benchmark_id)

    def has_deep_traits(self, benchmark_id: int) -> bool:
        """Whether any trait of the benchmark or of its questions asks to be judged deeply."""
        rubric = self._library.benchmarks.frame(benchmark_id).rubric
        if rubric is not None and any(trait.deep_judgment_enabled for trait in rubric.llm_traits):
            return True
        return self._library.questions.has_deep_traits(benchmark_id)

    def selection(self, order: RunOrder) -> Selection:
        """Which of the questions with an id would run, and why the others would not."""
        rows = [row for row in self._library.questions.summaries(order.benchmark_id) if row.id]
        rubrics = {row.id: rubric for row, rubric in self._library.questions.rubrics(order.benchmark_id)}
        everywhere = self._library.benchmarks.frame(order.benchmark_id).rubric
        return select(light_candidates(rows, rubrics), everywhere, order.config, order.wanted)

    def unrecorded(
        self, order: RunOrder, question_ids: Collection[str], given_up: Callable[[], bool] = lambda: False
    ) -> list[Unrecorded]:
        """Answering models of the order whose recordings lack answers to these questions.

        `given_up` is asked again and again: once it says so, nobody waits for what comes out.
        """
        if all(model.interface != "replay" for model in order.config.answering_models):
            return []
        from karenina_gui.runs.recorded import unrecorded

        entries = self._library.benchmarks.document(order.benchmark_id).entries
        chosen = [entry.question for entry in entries if entry.id in question_ids]
        return unrecorded(order.config, chosen, self.models, given_up)

    def preview(self, order: RunOrder, question_id: str, who: Who, answer: str) -> Preview:
        """What this run would send for a question; no model is called.

        `answer` stands in for what the model would say. Errors: `NotFoundError`, `InputError`.
        """
        from karenina_gui.runs.preview import preview

        number = self._library.questions.number_of(order.benchmark_id, question_id)
        entry = self._library.questions.entry(order.benchmark_id, number)
        frame = self._library.benchmarks.frame(order.benchmark_id)
        here = self._library.benchmarks.on_this_computer(order.benchmark_id)
        document = frame.model_copy(update={"entries": [entry]})
        request = RunRequest(document, order.config, [question_id], here=here)
        found = (job for job in request.jobs if Who(job.answering, job.judge, job.condition) == who)
        if (job := next(found, None)) is None:
            raise InputError("Choose an answering model, and a judge and a condition where there are any.")
        embeds = order.config.embedding_check_enabled or embeds_always(self.models.keys)
        return preview(request.task(job), self._sandbox, answer, embeds=embeds)

    def start(self, order: RunOrder) -> int:
        """Plan the run in the library and begin; returns its id at once.

        Errors: `InputError` when there is nothing to run (no answering model, or no question), or a rubric that
        cannot be used, a condition under which a model cannot be asked, or a recording that cannot be written.
        """
        document = self._library.benchmarks.document(order.benchmark_id)
        selection = self._choose(order, document)
        if not order.config.answering_models:
            raise InputError("Choose at least one answering model.")
        conditions.refuse(order.config)
        if not selection.chosen:
            raise InputError("None of the questions can run. Finish a question that has an answer template first.")
        selection.refuse_rubric_faults()
        taken = {run.name for run in self.runs.all(order.benchmark_id)}
        name = order.name.strip() or told_apart(by_date(datetime.now()), taken)
        here = self._library.benchmarks.on_this_computer(order.benchmark_id)
        request = RunRequest(document, order.config, selection.chosen, name=name, here=here)
        snapshot = Snapshot.of(document)
        record = record_of(request, now(), self._sandbox.level.name)
        record.connections = self._connections(order.config, record.started)
        recorder = Recorder(order.record, label=name) if order.record else None
        run_id = self._library.runs.create(
            RunPlan(
                benchmark_id=order.benchmark_id,
                name=name,
                config=order.config,
                jobs=[_planned(job) for job in request.jobs],
                sandbox_level=self._sandbox.level.name,
                benchmark_hash=snapshot.hash,
                snapshot=snapshot,
                recording=order.record,
                reproducibility=record,
            )
        )
        board = ProgressBoard(len(request.jobs), order.config.workers)
        self._begin(run_id, ActiveRun(order.benchmark_id, request, recorder, board))
        return run_id

    def remaining(self, run_id: int) -> Remaining:
        """What `resume` would do. Errors: `NotFoundError`."""
        return self._unfinished.remaining(run_id)

    def resume(self, run_id: int, classes: Collection[RetryClass] | None = None) -> None:
        """Do the jobs of a run that are left, on the benchmark as the run found it, and return at once.

        These are the jobs without a result, and those whose result says nothing of the answer, of these `classes`
        (None: all): their results stay until better ones take their place. No other job is done again. Each begins
        where it failed: no answer that is kept is asked for again (see `KeptAnswers` for what a killed process can
        lose), and no judge is asked again for what it has replied in the same job (`KeptReplies`). A
        recording that the run was writing goes on in the same file. Does nothing while the run is going here.
        Errors: `InputError` when nothing is left, the benchmark is deleted, a model cannot be reached as things stand,
        the recording cannot be written, or another process works on it.
        """
        with self._resuming:
            if run_id in self.active():
                return
            unfinished = self._unfinished.of(run_id, classes)
            with self._open_adapters(None) as adapters:
                unfinished.refuse_unreachable(adapters)
            seen, request = unfinished.summary, unfinished.request
            self.runs.reopen(seen, self._connections(request.config, now()))
            recorder = self._recorder_of(seen)
            board = ProgressBoard(
                seen.total, request.config.workers, unfinished.outcomes_that_stay(), seen.seconds, unfinished.tried
            )
            self._begin(run_id, ActiveRun(seen.benchmark_id, request, recorder, board, unfinished))
            self.forget_interrupted(run_id)

    def delete(self, run_id: int) -> None:
        """Hide a run with its results until it is restored. Errors: `NotFoundError`; `InputError` while it is going."""
        self.runs.delete(run_id)
        self._listeners.tell(run_id)

    def restore(self, run_id: int) -> None:
        """Bring a deleted run back. Errors: `NotFoundError` when it was erased meanwhile."""
        self.runs.restore(run_id)
        self._listeners.tell(run_id)

    def erase(self, run_id: int) -> None:
        """Remove a run with its results for good. Errors: as `delete`."""
        self.runs.erase(run_id)
        self._listeners.tell(run_id)

    def benchmark_changes(self, run_id: int) -> BenchmarkChanges:
        """What was edited since the run found its benchmark. Errors: `NotFoundError`."""
        return changes_since(self._library, run_id)

    def look_for_lost(self) -> None:
        """Mark runs of other processes that have ended without saying so, and tell of each."""
        for run_id in self.runs.mark_interrupted(starting=False):
            self._listeners.tell(run_id)

    def forget_interrupted(self, run_id: int | None = None) -> None:
        """Somebody has seen that this run was lost (None: all of them)."""
        self.interrupted = [] if run_id is None else [each for each in self.interrupted if each != run_id]

    def cancel(self, run_id: int) -> None:
        """Break off the model calls of this run and make no further one. What is finished stays.

        Does nothing when the run has ended.
        """
        if (run := self.under_way.get(run_id)) is not None:
            run.cancel("Cancelled by hand.")

    def going(self, benchmark_id: int) -> list[RunSummary]:
        """Runs of a benchmark that go on for as long as nobody cancels them, in the order of their start."""
        return [self.runs.summary(run_id) for run_id in self.under_way.of_benchmark(benchmark_id)]

    def withdraw(self, benchmark_id: int) -> None:
        """The benchmark was deleted: cancel what is going of it. It can be resumed once the benchmark is restored."""
        for run_id, run in self.under_way.of_benchmark(benchmark_id).items():
            run.cancel(BENCHMARK_DELETED)
            self._listeners.tell(run_id)
        kept = {each.id for each in self.runs.all()}
        self.interrupted = [each for each in self.interrupted if each in kept]

    def active(self) -> list[int]:
        """Runs that are going, in the order of their start."""
        return list(self.under_way.all())

    def progress(self, run_id: int) -> Progress:
        """How far a run is, or was when it ended. Errors: `NotFoundError`."""
        run = self.under_way.get(run_id)
        if run is not None:
            return replace(run.board.snapshot(), outages=run.outages.now(), held=run.outages.held)
        summary = self.runs.summary(run_id)
        return Progress(
            total=summary.total, done=summary.done, outcomes=summary.outcomes, seconds=summary.seconds, ended=True
        )

    def on_progress(self, callback: Callable[[int], None]) -> Callable[[], None]:
        """Calls `callback` with the run's id, from worker threads, as runs move and when they end.

        A run is told a few times a second at most. Returns what ends it.
        """
        return self._listeners.add(callback)

    def wait(self, run_id: int, timeout: float | None = None) -> bool:
        """Whether the run has ended within `timeout` seconds (None: however long it takes)."""
        run = self.under_way.get(run_id)
        if run is None or run.thread is None:
            return True
        run.thread.join(timeout)
        return not run.thread.is_alive()

    def close(self) -> None:
        """Cancel what is going, as `cancel` does; such runs count as interrupted."""
        active = self.under_way.all()
        self._listeners.clear()
        for run in active.values():
            run.closing = True
            run.cancelled.set()
        for run_id in active:
            self.wait(run_id)
        self.models.close()

    def _connections(self, config: VerificationConfig, since: str) -> list[Connection]:
        return connections_of((*config.answering_models, *config.parsing_models), self.models.keys, since)

    def _begin(self, run_id: int, run: ActiveRun) -> None:
        run.board.subscribe(lambda: self._listeners.tell(run_id))
        run.outages.patience = self._patience
        run.outages.listen(run.board.moved)
        work = threading.Thread(target=self._work, args=(run_id, run), name=f"run-{run_id}", daemon=True)
        self.under_way.start(run_id, run, work)
        if self.runs.summary(run_id).benchmark_deleted:  # since it was asked for: `withdraw` did not find the run yet
            run.cancel(BENCHMARK_DELETED)
        self._listeners.tell(run_id)

    def _recorder_of(self, reopened: RunSummary) -> Recorder | None:
        """What goes on with the run's recording, now that no other process writes it; None: it has none."""
        path = self.runs.recording(reopened.id)
        try:
            return Recorder(path, label=reopened.name) if path else None
        except InputError as error:
            self.runs.finish(reopened.id, reopened.status, f"It could not go on. {error}")
            raise

    def _choose(self, order: RunOrder, document: BenchmarkDocument) -> Selection:
        rows = self._library.questions.summaries(order.benchmark_id)
        broken = {row.id for row in rows if row.template_valid is False}
        return select(candidates_of(document, broken), document.rubric, order.config, order.wanted)

    def _work(self, run_id: int, run: ActiveRun) -> None:
        status: RunStatus = "failed"
        message: str | None = None
        try:
            self.runs.start(run_id)
            status, message = self._execute(run_id, run)
        except Exception as error:  # the thread's end: whatever it is, the run must say so
            log.exception("The run number %s broke", run_id)
            message = f"The run stopped: {type(error).__name__}: {error}"
        finally:
            try:
                self._finish(run_id, run, status, message)
            finally:
                self.under_way.drop(run_id)
                run.board.end()

    def _finish(self, run_id: int, run: ActiveRun, status: RunStatus, message: str | None) -> None:
        """Store the run's end; until that succeeds the run counts as active, so none is running without a thread."""
        while True:
            try:
                self.runs.finish(run_id, status, message)
                return
            except NotFoundError:  # deleted meanwhile
                return
            except NotSavedError:
                log.warning("The end of the run number %s could not be stored; it counts as interrupted", run_id)
                return
            except Exception:
                log.exception("The end of the run number %s could not be stored", run_id)
                if run.cancelled.wait(UNSTORED_PAUSE) and run.closing:
                    return

    def _execute(self, run_id: int, run: ActiveRun) -> tuple[RunStatus, str | None]:
        # The engine takes a tenth of the start to load, and most windows are opened for something else.
        from karenina_gui.runs.kept_answers import KeptAnswers
        from karenina_gui.runs.kept_replies import KeptReplies
        from karenina_gui.runs.verification import open_tools, run_jobs

        def keep(job: Job, result: VerificationResult) -> None:
            kept_replies = replies.of(job, result)
            stands = run.resumed.outcome_that_stands(job.key, result) if run.resumed else None
            if stands is None:
                self.runs.record(run_id, job.key, result, kept_replies)
            run.board.count(job, result, stands)

        cancelled = run.cancelled.is_set
        replies = KeptReplies(self._library.replies, run_id)
        with self._open_adapters(run.recorder) as adapters:
            tools = open_tools(adapters, self._sandbox, run.request.config, cancelled, run.outages)
            answers = KeptAnswers(self._library.answers, run_id)
            done = run_jobs(
                run.request,
                tools,
                keep,
                answers=answers,
                replies=replies,
                cancelled=cancelled,
                outages=run.outages,
                watcher=run.board.jobs,
            )
        if done == len(run.request.jobs):
            return "completed", None
        if run.closing:
            return "interrupted", "The application was closed while this run was going. What was finished is kept."
        if run.cancelled.is_set():
            any_kept = done or self.runs.summary(run_id).outcomes
            kept = "What was finished until then is kept." if any_kept else "Nothing had been finished by then."
            return "cancelled", f"{run.why_cancelled} {kept}"
        return "cancelled", f"Stopped after {run.request.config.batch_timeout_seconds:g} s, the limit of this run."


def _planned(job: Job) -> PlannedJob:
    return PlannedJob(
        job.key,
        job.question_id,
        job.answering_label,
        job.judge_label,
        job.replicate,
        job.condition_name,
        job.judge_replicate,
    )
