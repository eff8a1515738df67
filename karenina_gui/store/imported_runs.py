"""Import of runs from result files, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import insert, update
from sqlmodel import Session, col, func, select

from karenina_gui.schemas.job import Job
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.results_file import FoundRun
from karenina_gui.schemas.run_summaries import RunStatus
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.process_identity import this_process
from karenina_gui.store.question_summaries import has_id
from karenina_gui.store.results import document_of, light_columns, token_counts
from karenina_gui.store.run_summary import stored_record
from karenina_gui.store.runs import job_rows
from karenina_gui.store.writes import persistent


@dataclass(frozen=True)
class OpenedRun:
    """A run from a file, before its results are saved."""

    benchmark_id: int
    name: str
    config: VerificationConfig
    file_run: FoundRun
    origin: str
    """File name."""
    created_at: str
    """Start of the run as recorded in the file, in ISO 8601; empty: unknown."""
    reproducibility: Reproducibility | None = None
    """Reproducibility record; None: the file has none."""


@dataclass(frozen=True)
class QuestionMatch:
    benchmark_id: int
    id: str
    text: str


class ImportedRuns:
    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def create(self, run: OpenedRun) -> int:
        """Save the run with status running and return its id."""
        with self._database.writing() as session:
            row = tables.RunRow(
                benchmark_id=run.benchmark_id,
                name=run.name,
                config=run.config.model_dump(mode="json"),
                manual_traces=[None] * len(run.config.answering_models),
                status="running",
                total=run.file_run.total,
                sandbox_level=run.file_run.sandbox_level,
                recording_label=run.file_run.recording_label,
                benchmark_hash="",
                owner=this_process(),
                created_at=run.created_at,
                origin=run.origin,
                reproducibility=stored_record(run.reproducibility),
            )
            session.add(row)
            session.flush()
            assert row.id is not None
            return row.id

    @persistent
    def add(self, run_id: int, position: int, results: Sequence[tuple[Job, VerificationResult]]) -> None:
        """Add a batch of finished jobs with their results. `position`: place of the first one in the run."""
        jobs = job_rows(run_id, [job for job, _ in results], "done", position)
        light = [light_columns(tables.JobRow(**job), result) for job, (_, result) in zip(jobs, results, strict=True)]
        documents = [document_of(result) for _, result in results]
        # One transaction for each batch, so that a large file does not block autosaves for long.
        with self._database.writing() as session:
            session.execute(insert(tables.JobRow), jobs)
            session.execute(insert(tables.ResultRow), light)
            ids = _result_ids(session, run_id, range(position, position + len(results)))
            rows = [{"result_id": n, "document": text} for n, text in zip(ids, documents, strict=True)]
            session.execute(insert(tables.PayloadRow), rows)
            numbered = zip(ids, results, strict=True)
            used = [row for n, (_, result) in numbered for row in token_counts(n, run_id, result)]
            if used:
                session.execute(insert(tables.TokenCountRow), used)
            here = col(tables.RunRow.id) == run_id
            session.execute(update(tables.RunRow).where(here).values(done=position + len(results)))

    @persistent
    def finish(self, run_id: int, status: RunStatus, message: str | None, finished_at: str) -> None:
        """Set the final status. `message`: what the file lacks; None: nothing."""
        with self._database.writing() as session:
            row = session.get_one(tables.RunRow, run_id)
            outcomes = session.exec(select(tables.ResultRow.outcome).where(tables.ResultRow.run_id == run_id)).all()
            row.done = len(outcomes)
            row.outcomes = {outcome: outcomes.count(outcome) for outcome in set(outcomes)}
            row.status, row.message, row.finished_at = status, message, finished_at or now()

    @persistent
    def drop(self, run_id: int) -> None:
        """Delete a run whose import failed."""
        with self._database.writing() as session:
            row = session.get(tables.RunRow, run_id)
            if row is not None:
                session.delete(row)

    def questions(self) -> list[QuestionMatch]:
        """Questions with an id of all benchmarks that are not deleted, the last edited benchmark first."""
        row_of = tables.QuestionRow
        statement = (
            select(row_of.benchmark_id, row_of.question_id, row_of.question)
            .join(tables.BenchmarkRow)
            .where(col(row_of.deleted_at).is_(None), col(tables.BenchmarkRow.deleted_at).is_(None), has_id())
            .order_by(col(tables.BenchmarkRow.updated_at).desc())
        )
        with self._database.reading() as session:
            return [QuestionMatch(*row) for row in session.execute(statement).all()]

    def alike(self, sample: tuple[str, str, str, str]) -> list[int]:
        """Ids of runs, the newest first, with a result of this question (id, text), model (display name), timestamp."""
        question, text, model, timestamp = sample
        bulk = tables.PayloadRow.document
        statement = (
            select(tables.ResultRow.run_id, bulk)
            .join(tables.PayloadRow)
            .join(tables.RunRow)
            .join(tables.BenchmarkRow)
            .where(tables.ResultRow.question_id == question, col(tables.BenchmarkRow.deleted_at).is_(None))
            .where(func.json_extract(func.expand(bulk), "$.metadata.timestamp") == timestamp)
            .order_by(col(tables.ResultRow.run_id).desc())
        )
        with self._database.reading() as session:
            rows = session.execute(statement).all()
        stored = ((run_id, VerificationResult.model_validate_json(document).metadata) for run_id, document in rows)
        return list(
            dict.fromkeys(
                run_id
                for run_id, metadata in stored
                # Spreadsheets change line ends.
                if metadata.answering.display == model and metadata.question_text.split() == text.split()
            )
        )


def _result_ids(session: Session, run_id: int, positions: range) -> list[int]:
    """Ids of the results at these positions, in their order."""
    number, position = col(tables.ResultRow.id), col(tables.ResultRow.position)
    of_batch = (tables.ResultRow.run_id == run_id, position >= positions.start, position < positions.stop)
    numbers = session.scalars(select(number).where(*of_batch).order_by(position))
    return [n for n in numbers if n is not None]
