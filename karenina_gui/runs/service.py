"""Run service: start, resume, pause and cancel runs in the background, and report their progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from karenina_gui.adapters.consents import models_of
from karenina_gui.adapters.patience import Patience
from karenina_gui.adapters.recording import Recorder
from karenina_gui.errors import InputError
from karenina_gui.events import Signal
from karenina_gui.runs.active_runs import BENCHMARK_DELETED, ActiveRun, ActiveRuns
from karenina_gui.runs.agent_safety import ConfinementSummary, command_confinement
from karenina_gui.runs.aids import embeds_always
from karenina_gui.runs.benchmark_changes import BenchmarkChanges, changes_since
from karenina_gui.runs.calibration_judging import CalibrationJudgings
from karenina_gui.runs.execution import OpenAdapters, RemoteRuns, RunExecution
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.price_list import PriceList
from karenina_gui.runs.problems.choices import NO_ANSWERING_MODEL, NOTHING_RUNNABLE
from karenina_gui.runs.progress import ProgressBoard, RunProgressState
from karenina_gui.runs.reconnection import connections_of
from karenina_gui.runs.reproducibility import record_of
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.results_import import ResultsImporter
from karenina_gui.runs.resume import RemainingJobs, UnfinishedRuns
from karenina_gui.runs.run_recipe import RunRecipe
from karenina_gui.runs.sample_reading import SampleReadings
from karenina_gui.runs.selection import Selection, light_candidates, select
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.outcome import RetryClass
from karenina_gui.schemas.reproducibility import Connection
from karenina_gui.schemas.run_name import by_date, unique_name
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.database import now
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan
from karenina_gui.store.snapshots import Snapshot

if TYPE_CHECKING:
    from karenina_gui.runs.preview import Preview


@dataclass(frozen=True)
class RunOrder:
    """Run as started by a user."""

    benchmark_id: int
    config: VerificationConfig
    question_ids: Collection[str] | None = None
    """Those without a usable template, or not finished, are left out; None: all of the benchmark."""
    name: str = ""
    """Empty: named by date and time."""
    record: Path | None = None
    """File in which to record all model exchanges; None: do not record."""
    version: int | None = None
    """Published version that runs; None: the benchmark as it is."""


class RunService:
    """Starts and resumes runs. Thread-safe. Runs do not depend on any window.

    When it is created, runs that an earlier process left unfinished are marked as interrupted.
    """

    def __init__(
        self,
        library: Library,
        sandbox: Sandbox,
        open_adapters: OpenAdapters,
        patience: Patience | None = None,
        clusters: RemoteRuns | None = None,
    ) -> None:
        """`patience`: how long calls wait for unavailable models. `clusters` None: all runs are executed here."""
        self.clusters = clusters
        self._patience = patience or Patience()
        self.library = library
        """The stores of runs and results. Read from them directly."""
        self._sandbox = sandbox
        self._open_adapters = open_adapters
        self._unfinished = UnfinishedRuns(library)
        # One at a time, because two windows may resume the same run at once.
        self._resuming = threading.Lock()
        self.under_way = ActiveRuns()
        """Running runs of this process."""
        self.changed: Signal[[int]] = Signal()
        """The run of this number progressed or ended.

        Emitted on worker threads, at most a few times per second for each run.
        """
        self.interrupted = library.runs.mark_interrupted()
        """Runs interrupted by a crash that the user has not acknowledged yet."""
        self.models = ModelCatalog(library.models, open_adapters(None))
        """Saved models."""
        self.consents = self.models.consents
        """What models may reach on this computer."""
        self.models.keys.changed.subscribe(self.under_way.try_accounts)
        self.prices = PriceList(library)
        """Model prices."""
        self.opener = ResultsImporter(library, self.changed.emit)
        """Importer of result files."""
        self.sample_readings = SampleReadings(sandbox, open_adapters)
        """Judges that read sample answers of questions, for the tests of templates."""
        self.calibration_judgings = CalibrationJudgings(sandbox, open_adapters)
        """Judges that read the answers of calibrations."""
        self._execution = RunExecution(library, sandbox, open_adapters, clusters, self.under_way)

    @cached_property
    def command_confinement(self) -> ConfinementSummary:
        """Command sandbox of agents on this computer. Probed on first use."""
        return command_confinement()

    def has_traits(self, benchmark_id: int) -> bool:
        """True if the benchmark or one of its questions has a trait."""
        rubric = self.library.benchmarks.frame(benchmark_id).rubric
        return (rubric is not None and not rubric.is_empty) or self.library.questions.has_traits(benchmark_id)

    def has_agentic_traits(self, benchmark_id: int) -> bool:
        """True if the benchmark or one of its questions has an agent trait."""
        rubric = self.library.benchmarks.frame(benchmark_id).rubric
        if rubric is not None and rubric.agentic_traits:
            return True
        return self.library.questions.has_agentic_traits(benchmark_id)

    def has_deep_traits(self, benchmark_id: int) -> bool:
        """True if the benchmark or one of its questions has a trait that requests deep judgment."""
        rubric = self.library.benchmarks.frame(benchmark_id).rubric
        if rubric is not None and any(trait.deep_judgment_enabled for trait in rubric.llm_traits):
            return True
        return self.library.questions.has_deep_traits(benchmark_id)

    def selection(self, order: RunOrder) -> Selection:
        """Questions with an id that would run, and reasons for the others."""
        if order.version is not None:
            return self._recipe(order).select(order.question_ids)
        rows = [row for row in self.library.questions.summaries(order.benchmark_id) if row.id]
        rubrics = {row.id: rubric for row, rubric in self.library.questions.rubrics(order.benchmark_id)}
        everywhere = self.library.benchmarks.frame(order.benchmark_id).rubric
        return select(light_candidates(rows, rubrics), everywhere, order.config, order.question_ids)

    def missing_recordings(
        self, order: RunOrder, question_ids: Collection[str], given_up: Callable[[], bool] = lambda: False
    ) -> list[str]:
        """Doubts about answering models of the order whose recordings lack answers to these questions.

        `given_up`: called repeatedly; once it returns True, the result is no longer needed.
        """
        if all(model.interface != "replay" for model in order.config.answering_models):
            return []
        # Imported late, as in `preview`: the engine takes long to load.
        from karenina_gui.runs.recording_coverage import missing_recordings

        entries = self._document(order).entries
        chosen = [entry.question for entry in entries if entry.id in question_ids]
        return missing_recordings(order.config, chosen, self.models, given_up)

    def preview(
        self, order: RunOrder, question_id: str, setting: tuple[str, str | None, str | None], answer: str
    ) -> Preview:
        """Requests that this run would send for one question. No model is called.

        `setting`: answering model, judge, and condition as in `Job`. `answer`: placeholder for the model's answer.
        Raises `NotFoundError` and `InputError`.
        """
        from karenina_gui.runs.preview import preview

        here = self.library.benchmarks.on_this_computer(order.benchmark_id)
        document = self._document_of_one(order, question_id)
        request = RunRequest(document, order.config, [question_id], here=here)
        jobs = (job for job in request.jobs if (job.answering, job.judge, job.condition) == setting)
        if (job := next(jobs, None)) is None:
            raise InputError("Select an answering model and, where there are any, a judge and a condition.")
        embeds = order.config.embedding_check_enabled or embeds_always(self.models.keys)
        return preview(request.task(job), self._sandbox, answer, embeds=embeds)

    def start(self, order: RunOrder) -> int:
        """Save the run with all its jobs, start it in the background, and return its id.

        Raises `InputError` if there is no answering model or no question that can run, a rubric is invalid, a condition
        does not apply to a model, or the recording cannot be written.
        """
        recipe = self._recipe(order)
        recipe.check(NO_ANSWERING_MODEL)
        selection = recipe.select(order.question_ids)
        if not selection.chosen:
            raise InputError(NOTHING_RUNNABLE)
        taken = {run.name for run in self.library.runs.all(order.benchmark_id)}
        name = order.name.strip() or unique_name(by_date(datetime.now()), taken)
        self._check_cluster(order.config, recorded=order.record is not None)
        for model in models_of(order.config):
            self.consents.require(model)
        request = recipe.request(selection, name)
        snapshot = Snapshot.of(recipe.document)
        record = record_of(request, now(), self._sandbox.level.name, snapshot.hash)
        published = self.library.published.state(order.benchmark_id, snapshot.hash)
        # Two versions may differ in finished marks alone, which the hash leaves out.
        version = None if order.version is None else self.library.published.get(order.version)
        record.benchmark.published = published.text if version is None else version.label
        record.connections = self._connections(order.config, record.started)
        recorder = Recorder(order.record, label=name) if order.record else None
        run_id = self.library.runs.create(
            RunPlan(
                benchmark_id=order.benchmark_id,
                name=name,
                config=order.config,
                jobs=request.jobs,
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

    def remaining(self, run_id: int) -> RemainingJobs:
        """Jobs that `resume` would execute. Raises `NotFoundError`."""
        return self._unfinished.remaining(run_id)

    def resume(self, run_id: int, classes: Collection[RetryClass] | None = None) -> None:
        """Resume a run on the snapshot of its benchmark; returns at once.

        Executes the jobs without a result, and retries failures of these `classes` (None: all). An earlier result is
        kept until a better one replaces it. Saved answers (`Answers`) and judge replies of the same job
        (`Replies`) are reused, not paid for again. A recording continues in the same file. Does nothing if the run
        is active here.

        Raises `InputError` if nothing is left, the benchmark is deleted, a model cannot be called, the recording cannot
        be written, or another process works on the run.
        """
        with self._resuming:
            if run_id in self.active():
                return
            unfinished = self._unfinished.of(run_id, classes)
            self._check_cluster(unfinished.request.config)
            if unfinished.request.config.cluster is None:
                with self._open_adapters(None) as adapters:
                    unfinished.refuse_unreachable(adapters)
            seen, request = unfinished.summary, unfinished.request
            self.library.runs.reopen(seen, self._connections(request.config, now()))
            recorder = self._recorder_of(seen)
            board = ProgressBoard(
                seen.total, request.config.workers, unfinished.outcomes_that_stay(), seen.seconds, unfinished.tried
            )
            self._begin(run_id, ActiveRun(seen.benchmark_id, request, recorder, board, unfinished))
            self.forget_interrupted(run_id)

    def delete(self, run_id: int) -> None:
        """Hide a run until it is restored. Raises `NotFoundError`, and `InputError` if it is running."""
        self.library.runs.delete(run_id)
        self.changed.emit(run_id)

    def restore(self, run_id: int) -> None:
        """Restore a deleted run. Raises `NotFoundError` if it was erased."""
        self.library.runs.restore(run_id)
        self.changed.emit(run_id)

    def erase(self, run_id: int) -> None:
        """Delete a run with its results permanently. Raises the errors of `delete`."""
        self.library.runs.erase(run_id)
        self.changed.emit(run_id)

    def benchmark_changes(self, run_id: int) -> BenchmarkChanges:
        """Changes of the benchmark since the start of the run. Raises `NotFoundError`."""
        return changes_since(self.library, run_id)

    def look_for_lost(self) -> None:
        """Mark runs of crashed processes as interrupted, and notify listeners."""
        for run_id in self.library.runs.mark_interrupted(starting=False):
            self.changed.emit(run_id)

    def forget_interrupted(self, run_id: int | None = None) -> None:
        """Acknowledge that this run was interrupted (None: all runs)."""
        self.interrupted = [] if run_id is None else [other for other in self.interrupted if other != run_id]

    def cancel(self, run_id: int) -> None:
        """Abort the model calls of this run and start no more. Finished results are kept.

        Does nothing if the run has ended.
        """
        if (run := self.under_way.get(run_id)) is not None:
            run.cancel("Stopped by you.")

    def going(self, benchmark_id: int) -> list[RunSummary]:
        """Running runs of a benchmark that are not being cancelled, in the order of their start."""
        return [self.library.runs.summary(run_id) for run_id in self.under_way.of_benchmark(benchmark_id)]

    def withdraw(self, benchmark_id: int) -> None:
        """Cancel the runs of a deleted benchmark. They can be resumed once it is restored."""
        for run_id, run in self.under_way.of_benchmark(benchmark_id).items():
            run.cancel(BENCHMARK_DELETED)
            self.changed.emit(run_id)
        ids = {run.id for run in self.library.runs.all()}
        self.interrupted = [run_id for run_id in self.interrupted if run_id in ids]

    def active(self) -> list[int]:
        """Ids of running runs, in the order of their start."""
        return list(self.under_way.all())

    def progress(self, run_id: int) -> RunProgressState:
        """Progress of a run, or its final state. Raises `NotFoundError`."""
        run = self.under_way.get(run_id)
        if run is not None:
            state = run.board.snapshot()
            return replace(state, outages=run.outages.now(), held=run.outages.held, workers=run.workers())
        summary = self.library.runs.summary(run_id)
        return RunProgressState(
            total=summary.total, done=summary.done, outcomes=summary.outcomes, seconds=summary.seconds, ended=True
        )

    def wait(self, run_id: int, timeout: float | None = None) -> bool:
        """Wait until the run has ended, at most `timeout` seconds (None: no limit). True if it has ended."""
        run = self.under_way.get(run_id)
        if run is None or run.thread is None:
            return True
        run.thread.join(timeout)
        return not run.thread.is_alive()

    def close(self) -> None:
        """Cancel all running runs and wait for them. They are marked as interrupted."""
        active = self.under_way.all()
        # The windows are closing, so notifications would be lost.
        self.changed.clear()
        for run in active.values():
            run.closing = True
            run.cancelled.set()
        for run_id in active:
            self.wait(run_id)
        self.sample_readings.close()
        self.calibration_judgings.close()
        self.models.close()

    def _check_cluster(self, config: VerificationConfig, *, recorded: bool = False) -> None:
        """Raise `InputError` if the run cannot be given to its cluster."""
        if self.clusters is not None and (problem := self.clusters.problem(config, recorded=recorded)):
            raise InputError(problem)

    def _connections(self, config: VerificationConfig, since: str) -> list[Connection]:
        return connections_of((*config.answering_models, *config.parsing_models), self.models.keys, since)

    def _begin(self, run_id: int, run: ActiveRun) -> None:
        run.board.changed.subscribe(lambda: self.changed.emit(run_id))
        run.outages.patience = self._patience
        run.outages.changed.subscribe(run.board.note_change)
        work = threading.Thread(target=self._execution.work, args=(run_id, run), name=f"run-{run_id}", daemon=True)
        self.under_way.start(run_id, run, work)
        # The benchmark may have been deleted before `withdraw` could find this run.
        if self.library.runs.summary(run_id).benchmark_deleted:
            run.cancel(BENCHMARK_DELETED)
        self.changed.emit(run_id)

    def _recorder_of(self, reopened: RunSummary) -> Recorder | None:
        """Recorder that continues the run's recording; None: the run is not recorded."""
        path = self.library.runs.recording(reopened.id)
        try:
            return Recorder(path, label=reopened.name) if path else None
        except InputError as error:
            self.library.runs.finish(reopened.id, reopened.status, f"Couldn’t resume. {error}")
            raise

    def _recipe(self, order: RunOrder) -> RunRecipe:
        document = self._document(order)
        here = self.library.benchmarks.on_this_computer(order.benchmark_id)
        rows = self.library.questions.summaries(order.benchmark_id)
        # The present templates were checked, those of an earlier version perhaps never: its jobs would tell.
        broken = set() if order.version is not None else {row.id for row in rows if row.template_valid is False}
        return RunRecipe(document, order.config, here, broken=broken)

    def _document(self, order: RunOrder) -> BenchmarkDocument:
        """The benchmark, or the published version, that an order is about."""
        if order.version is not None:
            return self.library.published.document(order.version)
        return self.library.benchmarks.document(order.benchmark_id)

    def _document_of_one(self, order: RunOrder, question_id: str) -> BenchmarkDocument:
        """The same with a single question. Raises `NotFoundError`."""
        if order.version is not None:
            document = self._document(order)
            return document.model_copy(update={"entries": [document.entry(question_id)]})
        number = self.library.questions.number_of(order.benchmark_id, question_id)
        entry = self.library.questions.entry(order.benchmark_id, number)
        return self.library.benchmarks.frame(order.benchmark_id).model_copy(update={"entries": [entry]})
