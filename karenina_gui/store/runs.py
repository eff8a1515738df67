"""Run table: a run is saved with all its jobs before the first call, then filled result by result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from sqlalchemy import insert
from sqlalchemy.orm import defer
from sqlmodel import Session, col, delete, func, select

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.outcome import RETRIED, Outcome, RetryClass, retry_class
from karenina_gui.schemas.reproducibility import Connection, Reproducibility
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.run_summaries import DeletedRun, RunStatus, RunSummary
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.process_identity import is_alive, this_process
from karenina_gui.store.replies import forget_replies, keep_replies
from karenina_gui.store.results import upsert
from karenina_gui.store.run_summary import run_summary, seconds_worked, stored_record
from karenina_gui.store.snapshots import Snapshot, forget_unused, save_snapshot
from karenina_gui.store.writes import persistent


@dataclass(frozen=True)
class RunPlan:
    """A run before it starts, with its jobs in their final order."""

    benchmark_id: int
    name: str
    config: VerificationConfig
    jobs: Sequence[Job]
    sandbox_level: str
    benchmark_hash: str
    snapshot: Snapshot | None = None
    """The benchmark with this hash; None: not saved, so the run cannot be resumed."""
    recording: Path | None = None
    """File with the recorded model exchanges; None: not recorded."""
    reproducibility: Reproducibility | None = None
    """Reproducibility record; None: unknown."""


@dataclass(frozen=True)
class JobLeft(Job):
    """A job that resuming the run would execute."""

    outcome: Outcome | None = None
    """Outcome of its present result; None: no result yet."""
    unscored_traits: int = 0
    """Traits of that result without a score because of a failure unrelated to the answer."""
    category: str | None = None
    """Reason for that outcome; None: the outcome has no further reason."""

    @property
    def retry(self) -> RetryClass | None:
        """Retry class of the job; None: it has no result yet."""
        if self.outcome is None:
            return None
        return retry_class(self.category) or "traits"

    @property
    def has_verdict(self) -> bool:
        """True if the job has a verdict and only its traits are retried."""
        return self.outcome not in (None, "error")


class Runs:
    """Run table. Every call with an id raises `NotFoundError` if that run is missing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def create(self, plan: RunPlan) -> int:
        """Save the run, its jobs and its snapshot with status planned; returns the run's id."""
        with self._database.writing() as session:
            if plan.snapshot is not None:
                save_snapshot(session, plan.snapshot)
            run = tables.RunRow(
                benchmark_id=plan.benchmark_id,
                name=plan.name,
                config=plan.config.model_dump(mode="json"),
                manual_traces=[model.manual_traces for model in plan.config.answering_models],
                status="planned",
                total=len(plan.jobs),
                sandbox_level=plan.sandbox_level,
                benchmark_hash=plan.benchmark_hash,
                owner=this_process(),
                recording=None if plan.recording is None else str(plan.recording.absolute()),
                created_at=now(),
                reproducibility=stored_record(plan.reproducibility),
            )
            session.add(run)
            session.flush()
            assert run.id is not None
            rows = job_rows(run.id, plan.jobs, "planned")
            # Plain inserts: objects would take ten times as long for a hundred thousand jobs.
            if rows:
                session.execute(insert(tables.JobRow), rows)
            return run.id

    @persistent
    def start(self, run_id: int) -> None:
        with self._database.writing() as session:
            _row(session, run_id).status = "running"

    @persistent
    def reopen(self, seen: RunSummary, connections: Sequence[Connection] = ()) -> None:
        """Resume a finished run in this process: its status is planned again and its results are kept.

        `connections`: current URLs of its models; new ones are added to the reproducibility record. `seen`: the summary
        that the caller decided on. Raises `InputError` if another process works on the run or has changed it since
        then. If several callers compete, exactly one succeeds.
        """
        with self._database.writing() as session:
            run = _row(session, seen.id)
            # The transaction holds the write lock, so no other process can pass these checks at the same time.
            if run.status in UNDER_WAY and is_alive(run.owner):
                raise InputError("This run is already running in another copy of this application on this computer.")
            if (run.done, run.outcomes, run.finished_at) != (seen.done, seen.outcomes, seen.finished_at):
                raise InputError("This run was resumed elsewhere. Reload the page to see its progress.")
            run.worked_before, run.begun_at = seconds_worked(run), now()
            run.status, run.owner, run.message, run.finished_at = "planned", this_process(), None, None
            run.reproducibility = _with_connections(run.reproducibility, connections)

    @persistent
    def record(
        self, run_id: int, job_key: str, result: VerificationResult, replies: dict[str, Any] | None = None
    ) -> int:
        """Save the result of one job, replacing an earlier one; returns the result's id.

        `replies`: judge replies to reuse in a retry; None: delete saved ones. The result, the replies, the job's status
        and the run's counts change in one transaction.
        """
        with self._database.writing() as session:
            run = _row(session, run_id)
            job = session.exec(
                select(tables.JobRow).where(tables.JobRow.run_id == run_id, tables.JobRow.key == job_key)
            ).first()
            if job is None:
                raise NotFoundError(f"Run {run_id} has no job {job_key!r}.")
            before, row = upsert(session, job, result)
            keep_replies(session, run_id, job_key, replies)
            job.status = "done"
            run.heard_at = now()
            outcomes = dict(run.outcomes)
            if before is None:
                run.done += 1
            else:
                outcomes[before] -= 1
            outcomes[row.outcome] = outcomes.get(row.outcome, 0) + 1
            run.outcomes = {outcome: count for outcome, count in outcomes.items() if count}
            run.recording_label = run.recording_label or result.recording_label
            session.flush()
            assert row.id is not None
            return row.id

    @persistent
    def finish(self, run_id: int, status: RunStatus, message: str | None = None) -> None:
        """Set the final status. `message`: reason for an early end; None: the run is complete.

        A run whose jobs all have results stays completed if a retry of some is stopped.
        """
        with self._database.writing() as session:
            run = _row(session, run_id)
            if status in ("cancelled", "interrupted") and _has_all_results(run):
                status, message = "completed", None
            run.status, run.message, run.finished_at = status, message, now()
            # Saved answers and replies serve retries only.
            if _is_done(session, run):
                session.exec(delete(tables.AnswerRow).where(col(tables.AnswerRow.run_id) == run_id))
                forget_replies(session, run_id)

    @persistent
    def mark_interrupted(self, *, starting: bool = True) -> list[int]:
        """Mark runs as interrupted that are planned or running but whose process has ended; returns their ids.

        `starting`: this process has not started any run yet. A run with its token then belongs to an earlier process
        that had the same pid.
        """
        # A read first: this is called often, and a write would have to wait for other writers.
        with self._database.reading() as session:
            if session.exec(_under_way().limit(1)).first() is None:
                return []
        with self._database.writing() as session:
            open_runs = session.exec(_under_way()).all()
            here = this_process()
            lost = [run for run in open_runs if (starting if run.owner == here else not is_alive(run.owner))]
            for run in lost:
                _mark_lost(session, run)
            return [run.id for run in lost if run.id is not None]

    def all(self, benchmark_id: int | None = None) -> list[RunSummary]:
        """Runs of one benchmark (None: of all), the newest first, without deleted runs and benchmarks."""
        statement = _with_benchmark().where(_BENCHMARK_IS_THERE, _RUN_IS_THERE).order_by(col(tables.RunRow.id).desc())
        if benchmark_id is not None:
            statement = statement.where(tables.RunRow.benchmark_id == benchmark_id)
        with self._database.reading() as session:
            return [run_summary(*row) for row in session.execute(statement).all()]

    def count(self) -> int:
        """Number of runs, without deleted runs and benchmarks."""
        statement = (
            select(func.count(col(tables.RunRow.id)))
            .join(tables.BenchmarkRow)
            .where(_BENCHMARK_IS_THERE, _RUN_IS_THERE)
        )
        with self._database.reading() as session:
            return session.exec(statement).one()

    def summary(self, run_id: int) -> RunSummary:
        """Summary of a run. Also works if the run's benchmark is deleted."""
        with self._database.reading() as session:
            row = session.execute(_with_benchmark().where(tables.RunRow.id == run_id, _RUN_IS_THERE)).first()
        if row is None:
            raise _not_found(run_id)
        return run_summary(*row)

    def config(self, run_id: int) -> VerificationConfig:
        """Configuration of a run with its recorded answers. API keys are never saved."""
        with self._database.reading() as session:
            run = _row(session, run_id)
            config, recorded = VerificationConfig.model_validate(run.config), run.manual_traces
        models = [
            model.model_copy(update={"manual_traces": traces})
            for model, traces in zip(config.answering_models, recorded, strict=True)
        ]
        return config.model_copy(update={"answering_models": models})

    def recording(self, run_id: int) -> Path | None:
        """File with the recorded model exchanges; None: not recorded."""
        with self._database.reading() as session:
            path = _row(session, run_id).recording
        return None if path is None else Path(path)

    def reproducibility(self, run_id: int) -> Reproducibility | None:
        """Reproducibility record; None: the run is older than such records, or its file has none."""
        with self._database.reading() as session:
            row = session.execute(select(tables.RunRow.reproducibility).where(tables.RunRow.id == run_id)).first()
        if row is None:
            raise _not_found(run_id)
        return None if row[0] is None else Reproducibility.model_validate(row[0])

    def jobs_left(self, run_id: int) -> list[JobLeft]:
        """Jobs without a result, and jobs whose failure may pass on a retry, in the run's order."""
        retried = [category for categories in RETRIED.values() for category in categories]
        again = col(tables.ResultRow.category).in_(retried) | (col(tables.ResultRow.unscored_traits) > 0)
        # Not as rows of the ORM, which take five times as long.
        columns: list[Any] = [getattr(tables.JobRow, field.name) for field in fields(Job)]
        unscored = func.coalesce(tables.ResultRow.unscored_traits, 0)
        columns += [tables.ResultRow.outcome, unscored, tables.ResultRow.category]
        of_job = (col(tables.ResultRow.run_id) == run_id) & (col(tables.ResultRow.job_key) == col(tables.JobRow.key))
        statement = (
            select(*columns)
            .join(tables.ResultRow, of_job, isouter=True)
            .where(tables.JobRow.run_id == run_id, (col(tables.JobRow.status) == "planned") | again)
            .order_by(col(tables.JobRow.position))
        )
        with self._database.reading() as session:
            run = _row(session, run_id)
            if _is_done(session, run):
                return []  # the most frequent case, answered without reading the jobs
            return [JobLeft(*row) for row in session.execute(statement)]

    @persistent
    def delete(self, run_id: int) -> None:
        """Hide a run until it is restored. Raises `InputError` if it is running."""
        with self._database.writing() as session:
            run = _row(session, run_id)
            _refuse_under_way(run)
            run.deleted_at = run.deleted_at or now()

    @persistent
    def restore(self, run_id: int) -> None:
        """Restore a deleted run. Does nothing if it is not deleted."""
        with self._database.writing() as session:
            _row(session, run_id).deleted_at = None

    @persistent
    def erase(self, run_id: int) -> None:
        """Delete a run with its results and answers permanently. Raises `InputError` if it is running."""
        with self._database.writing() as session:
            _refuse_under_way(_row(session, run_id))
            session.exec(delete(tables.RunRow).where(col(tables.RunRow.id) == run_id))
            forget_unused(session)

    def list_deleted(self) -> list[DeletedRun]:
        """Deleted runs that can be restored, the last deleted first, without runs of deleted benchmarks."""
        gone = col(tables.RunRow.deleted_at)
        statement = _with_benchmark().where(_BENCHMARK_IS_THERE, gone.is_not(None)).order_by(gone.desc())
        with self._database.reading() as session:
            return [DeletedRun(run_summary(*row), row[0].deleted_at) for row in session.execute(statement).all()]


def _with_connections(record: dict[str, Any] | None, now: Sequence[Connection]) -> dict[str, Any] | None:
    """Reproducibility record with new connections appended; None: the run has no record."""
    if record is None:
        return None
    recorded = Reproducibility.model_validate(record)
    last = {connection.model: connection.address for connection in recorded.connections}
    recorded.connections += [connection for connection in now if last.get(connection.model) != connection.address]
    return stored_record(recorded)


def _mark_lost(session: Session, run: tables.RunRow) -> None:
    if run.origin is not None:
        _mark_partly_imported(session, run)
    elif _has_all_results(run):
        run.status = "completed"
    else:
        run.status = "interrupted"
        run.message = "The application closed during this run. Finished results are saved."


def _mark_partly_imported(session: Session, run: tables.RunRow) -> None:
    outcomes = Counter(session.exec(select(tables.ResultRow.outcome).where(tables.ResultRow.run_id == run.id)).all())
    run.status, run.done, run.outcomes = "partial", outcomes.total(), dict(outcomes)
    run.message = (
        f"The application closed while importing {run.origin}, so only {run.done:,} of its {run.total:,} results are "
        "here. Delete this run and import the file again."
    )


UNDER_WAY: tuple[RunStatus, ...] = ("planned", "running")
_BENCHMARK_IS_THERE = col(tables.BenchmarkRow.deleted_at).is_(None)
_RUN_IS_THERE = col(tables.RunRow.deleted_at).is_(None)


def _with_benchmark() -> Any:
    return (
        select(tables.RunRow, tables.BenchmarkRow.name, tables.BenchmarkRow.deleted_at)
        .join(tables.BenchmarkRow, col(tables.BenchmarkRow.id) == col(tables.RunRow.benchmark_id))
        .options(*_without_bulk())
    )


def _under_way() -> Any:
    return select(tables.RunRow).where(col(tables.RunRow.status).in_(UNDER_WAY)).options(*_without_bulk())


def _row(session: Session, run_id: int) -> tables.RunRow:
    """Row of a run without its large columns, which are read only on request."""
    run = session.get(tables.RunRow, run_id, options=_without_bulk())
    if run is None:
        raise _not_found(run_id)
    return run


def _refuse_under_way(run: tables.RunRow) -> None:
    if run.status in UNDER_WAY:
        raise InputError("This run is still running. Stop it first.")


def _has_all_results(run: tables.RunRow) -> bool:
    return run.total > 0 and run.done >= run.total


def _is_done(session: Session, run: tables.RunRow) -> bool:
    """True if every job has a final result."""
    if run.done < run.total or run.outcomes.get("error"):
        return False
    unscored = select(tables.ResultRow.id).where(
        tables.ResultRow.run_id == run.id, col(tables.ResultRow.unscored_traits) > 0
    )
    return session.exec(unscored.limit(1)).first() is None


def _without_bulk() -> list[Any]:
    return [defer(cast(Any, column)) for column in (tables.RunRow.manual_traces, tables.RunRow.reproducibility)]


def _not_found(run_id: int) -> NotFoundError:
    return NotFoundError(f"Run {run_id} doesn’t exist. It may have been deleted.")


def job_rows(run_id: int, jobs: Sequence[Job], status: str, first: int = 0) -> list[dict[str, Any]]:
    """Column values of jobs, for a bulk insert. `first`: position of the first one in the run."""
    rest = {"run_id": run_id, "status": status}
    return [{**_columns_of(job), "position": position, **rest} for position, job in enumerate(jobs, first)]


def _columns_of(job: Job | tables.JobRow) -> dict[str, Any]:
    return {field.name: getattr(job, field.name) for field in fields(Job)}
