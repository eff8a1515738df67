"""Runs in the library: planned with all their jobs before the first call, then filled result by result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from sqlalchemy import insert
from sqlalchemy.orm import defer
from sqlmodel import Session, col, delete, func, select

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.outcome import RETRIED, Outcome, RetryClass, retry_class
from karenina_gui.schemas.reproducibility import Connection, Reproducibility
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.summaries import DeletedRun, RunStatus, RunSummary
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.process import is_alive, this_process
from karenina_gui.store.replies import forget_replies, keep_replies
from karenina_gui.store.results import upsert
from karenina_gui.store.run_summary import run_summary, stored_record, worked
from karenina_gui.store.snapshots import Snapshot, forget_unused, keep
from karenina_gui.store.writes import persistent


@dataclass(frozen=True)
class PlannedJob:
    """One job of a run; `key` is stable and unique within the run."""

    key: str
    question_id: str
    answering: str
    judge: str | None
    replicate: int | None
    condition: str | None = None
    judge_replicate: int | None = None


@dataclass(frozen=True)
class RunPlan:
    """Everything that is known of a run before it starts; the jobs in their stable order."""

    benchmark_id: int
    name: str
    config: VerificationConfig
    jobs: Sequence[PlannedJob]
    sandbox_level: str
    benchmark_hash: str
    snapshot: Snapshot | None = None
    """The benchmark with this hash; None: it is not kept, so that the run cannot go on later."""
    recording: Path | None = None
    """The file that keeps its exchanges with models; None: they are not kept."""
    reproducibility: Reproducibility | None = None
    """What it is made of; None: nobody has written it down."""


@dataclass(frozen=True)
class JobLeft:
    """A job that resuming its run would do."""

    key: str
    question_id: str
    answering: str
    replicate: int | None
    outcome: Outcome | None
    """Of the result that it has already; None: it has none."""
    condition: str | None = None
    unscored_traits: int = 0
    """Traits of that result without a score, because of a failure that says nothing of the answer."""
    category: str | None = None
    """Why that result came out so; None: the outcome says it."""

    @property
    def retry(self) -> RetryClass | None:
        """The class as which it is tried again; None: it has no result yet."""
        if self.outcome is None:
            return None
        return retry_class(self.category) or "traits"

    @property
    def has_verdict(self) -> bool:
        """Whether its result says something of the answer, and a second try is for its traits alone."""
        return self.outcome not in (None, "error")


class Runs:
    """Errors of every call with an id: `NotFoundError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def create(self, plan: RunPlan) -> int:
        """Write the run, all its jobs and what it runs on; it counts as planned. Returns its id."""
        with self._database.writing() as session:
            if plan.snapshot is not None:
                keep(session, plan.snapshot)
            run = tables.Run(
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
            rows = [_job_row(run.id, place, job) for place, job in enumerate(plan.jobs)]
            if rows:
                session.execute(insert(tables.Job), rows)
            return run.id

    @persistent
    def start(self, run_id: int) -> None:
        with self._database.writing() as session:
            _row(session, run_id).status = "running"

    @persistent
    def reopen(self, seen: RunSummary, connections: Sequence[Connection] = ()) -> None:
        """Take up a run that has ended, for this process: it counts as planned again, with the results that it has.
        `connections`: where its models are reached now; those that are new go into its record.

        Errors: `InputError` when some process works on it, or has since it was `seen` so: what is left is another then.
        Of several that ask at once, one gets it.
        """
        with self._database.writing() as session:
            run = _row(session, seen.id)
            if run.status in UNDER_WAY and is_alive(run.owner):
                raise InputError("This run is going already: another Karenina on this computer works on it.")
            if (run.done, run.outcomes, run.finished_at) != (seen.done, seen.outcomes, seen.finished_at):
                raise InputError("This run has gone on elsewhere in the meantime. See what is left of it now.")
            run.worked_before, run.begun_at = worked(run), now()
            run.status, run.owner, run.message, run.finished_at = "planned", this_process(), None, None
            run.reproducibility = _with_connections(run.reproducibility, connections)

    @persistent
    def record(
        self, run_id: int, job_key: str, result: VerificationResult, replies: dict[str, Any] | None = None
    ) -> int:
        """Keep the result of one job, in the place of an earlier one; returns the result's id.

        `replies`: what judges have replied, for another try; None: there will be none. The result, these, the job's
        state and the run's counts change together or not at all.
        """
        with self._database.writing() as session:
            run = _row(session, run_id)
            job = session.exec(select(tables.Job).where(tables.Job.run_id == run_id, tables.Job.key == job_key)).first()
            if job is None:
                raise NotFoundError(f"The run number {run_id} has no job {job_key!r}.")
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
        """`message`: why it ended early; None when it did not. Answers that nobody will ask for any more go."""
        with self._database.writing() as session:
            run = _row(session, run_id)
            run.status, run.message, run.finished_at = status, message, now()
            if _is_done(session, run):
                session.exec(delete(tables.Answer).where(col(tables.Answer.run_id) == run_id))
                forget_replies(session, run_id)

    @persistent
    def mark_interrupted(self, *, starting: bool = True) -> list[int]:
        """Runs that are planned or running although no process works on them any more.

        `starting`: this process has begun none yet, so that one in its name is an earlier process's of the same number.
        """
        with self._database.reading() as session:
            if session.exec(_under_way().limit(1)).first() is None:
                return []
        with self._database.writing() as session:
            open_runs = session.exec(_under_way()).all()
            here = this_process()
            lost = [run for run in open_runs if (starting if run.owner == here else not is_alive(run.owner))]
            for run in lost:
                if run.origin is None:
                    run.status = "interrupted"
                    run.message = (
                        "The application ended while this run was going. What was finished until then is kept."
                    )
                else:
                    _keep_what_was_opened(session, run)
            return [run.id for run in lost if run.id is not None]

    def all(self, benchmark_id: int | None = None) -> list[RunSummary]:
        """Runs of one benchmark (None: of every benchmark), the newest first; none of one that is deleted."""
        statement = _joined().where(_BENCHMARK_IS_THERE, _RUN_IS_THERE).order_by(col(tables.Run.id).desc())
        if benchmark_id is not None:
            statement = statement.where(tables.Run.benchmark_id == benchmark_id)
        with self._database.reading() as session:
            return [run_summary(*found) for found in session.execute(statement).all()]

    def count(self) -> int:
        """Runs of all benchmarks that are not deleted."""
        kept = select(func.count(col(tables.Run.id))).join(tables.Benchmark).where(_BENCHMARK_IS_THERE, _RUN_IS_THERE)
        with self._database.reading() as session:
            return session.exec(kept).one()

    def summary(self, run_id: int) -> RunSummary:
        """Of a run whose benchmark is deleted, too: who looks at it shall not be told that it is gone."""
        with self._database.reading() as session:
            found = session.execute(_joined().where(tables.Run.id == run_id, _RUN_IS_THERE)).first()
        if found is None:
            raise _not_found(run_id)
        return run_summary(*found)

    def config(self, run_id: int) -> VerificationConfig:
        """The run's configuration with its recorded answers; without keys, which are never kept."""
        with self._database.reading() as session:
            run = _row(session, run_id)
            config, recorded = VerificationConfig.model_validate(run.config), run.manual_traces
        models = [
            model.model_copy(update={"manual_traces": traces})
            for model, traces in zip(config.answering_models, recorded, strict=True)
        ]
        return config.model_copy(update={"answering_models": models})

    def recording(self, run_id: int) -> Path | None:
        """The file that keeps the run's exchanges with models; None: they are not kept."""
        with self._database.reading() as session:
            path = _row(session, run_id).recording
        return None if path is None else Path(path)

    def reproducibility(self, run_id: int) -> Reproducibility | None:
        """What the run was made of; None: it was made before this was kept, or its file does not say."""
        with self._database.reading() as session:
            found = session.execute(select(tables.Run.reproducibility).where(tables.Run.id == run_id)).first()
        if found is None:
            raise _not_found(run_id)
        return None if found[0] is None else Reproducibility.model_validate(found[0])

    def left(self, run_id: int) -> list[JobLeft]:
        """Jobs without a result, and those whose result a failure has decided that says nothing of the answer; in the
        run's order.
        """
        retried = [category for categories in RETRIED.values() for category in categories]
        again = col(tables.Result.category).in_(retried) | (col(tables.Result.unscored_traits) > 0)
        of_job = (col(tables.Result.run_id) == run_id) & (col(tables.Result.job_key) == col(tables.Job.key))
        wanted = (
            select(tables.Job, tables.Result.outcome, tables.Result.unscored_traits, tables.Result.category)
            .join(tables.Result, of_job, isouter=True)
            .where(tables.Job.run_id == run_id, (col(tables.Job.status) == "planned") | again)
            .order_by(col(tables.Job.position))
        )
        with self._database.reading() as session:
            run = _row(session, run_id)
            if _is_done(session, run):
                return []  # the usual case, without a look at every job
            return [
                JobLeft(
                    job.key, job.question_id, job.answering, job.replicate, outcome, job.condition, unscored or 0, why
                )
                for job, outcome, unscored, why in session.execute(wanted).all()
            ]

    @persistent
    def delete(self, run_id: int) -> None:
        """Hide a run until it is restored. Errors: `InputError` while it is going."""
        with self._database.writing() as session:
            run = _row(session, run_id)
            _refuse_under_way(run)
            run.deleted_at = run.deleted_at or now()

    @persistent
    def restore(self, run_id: int) -> None:
        """Bring a deleted run back; does nothing when it is there."""
        with self._database.writing() as session:
            _row(session, run_id).deleted_at = None

    @persistent
    def erase(self, run_id: int) -> None:
        """Remove a run with its results and answers for good. Errors: `InputError` while it is going."""
        with self._database.writing() as session:
            _refuse_under_way(_row(session, run_id))
            session.exec(delete(tables.Run).where(col(tables.Run.id) == run_id))
            forget_unused(session)

    def deleted(self) -> list[DeletedRun]:
        """Runs that can be restored, the one that was deleted last first; none of a benchmark that is deleted."""
        gone = col(tables.Run.deleted_at)
        statement = _joined().where(_BENCHMARK_IS_THERE, gone.is_not(None)).order_by(gone.desc())
        with self._database.reading() as session:
            return [DeletedRun(run_summary(*found), found[0].deleted_at) for found in session.execute(statement).all()]


def _with_connections(record: dict[str, Any] | None, now: Sequence[Connection]) -> dict[str, Any] | None:
    """None: the run has no record, as one that was made before there were any."""
    if record is None:
        return None
    known = Reproducibility.model_validate(record)
    last = {each.model: each.address for each in known.connections}
    known.connections += [each for each in now if last.get(each.model) != each.address]
    return stored_record(known)


def _keep_what_was_opened(session: Session, run: tables.Run) -> None:
    """The file of the run was not read to its end."""
    outcomes = Counter(session.exec(select(tables.Result.outcome).where(tables.Result.run_id == run.id)).all())
    run.status, run.done, run.outcomes = "partial", outcomes.total(), dict(outcomes)
    run.message = (
        f"The application ended while {run.origin} was being opened, so only {run.done:,} of its {run.total:,} results "
        "are here. Delete this run and open the file again."
    )


UNDER_WAY: tuple[RunStatus, ...] = ("planned", "running")
_BENCHMARK_IS_THERE = col(tables.Benchmark.deleted_at).is_(None)
_RUN_IS_THERE = col(tables.Run.deleted_at).is_(None)


def _joined() -> Any:
    return (
        select(tables.Run, tables.Benchmark.name, tables.Benchmark.deleted_at)
        .join(tables.Benchmark, col(tables.Benchmark.id) == col(tables.Run.benchmark_id))
        .options(*_without_bulk())
    )


def _under_way() -> Any:
    return select(tables.Run).where(col(tables.Run.status).in_(UNDER_WAY)).options(*_without_bulk())


def _row(session: Session, run_id: int) -> tables.Run:
    """Without the bulk: recorded answers and the record are read only where they are asked for."""
    run = session.get(tables.Run, run_id, options=_without_bulk())
    if run is None:
        raise _not_found(run_id)
    return run


def _refuse_under_way(run: tables.Run) -> None:
    if run.status in UNDER_WAY:
        raise InputError("This run is still going. Cancel it first.")


def _is_done(session: Session, run: tables.Run) -> bool:
    """Every job has a result that stays."""
    if run.done < run.total or run.outcomes.get("error"):
        return False
    unscored = select(tables.Result.id).where(tables.Result.run_id == run.id, col(tables.Result.unscored_traits) > 0)
    return session.exec(unscored.limit(1)).first() is None


def _without_bulk() -> list[Any]:
    return [defer(cast(Any, column)) for column in (tables.Run.manual_traces, tables.Run.reproducibility)]


def _not_found(run_id: int) -> NotFoundError:
    return NotFoundError(f"There is no run number {run_id} here. It may have been deleted.")


def _job_row(run_id: int, place: int, job: PlannedJob) -> dict[str, Any]:
    """Plain columns: of a hundred thousand jobs, objects would take ten times as long."""
    return {**asdict(job), "run_id": run_id, "position": place, "status": "planned"}
