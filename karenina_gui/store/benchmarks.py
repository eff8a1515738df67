"""Benchmarks in the library: whole documents, and summaries for lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from sqlalchemy import insert, update
from sqlmodel import Session, and_, col, func, select

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import BenchmarkSummary, DeletedBenchmark, LocalBenchmarkState
from karenina_gui.schemas.calibration import CalibrationTarget
from karenina_gui.schemas.edits import BenchmarkConflict, Saved, StoredRubric, TraitEdit
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.question_summaries import has_id
from karenina_gui.store.renamed_targets import rename_calibrations, renamed_trait
from karenina_gui.store.row_mapping import (
    DOCUMENT_FIELDS,
    ENTRY_COLUMNS,
    NOT_CHANGED,
    REVIEW,
    benchmark_row,
    document_columns,
    entry_of,
    new_question_columns,
    present,
    require_benchmark,
    touch,
)
from karenina_gui.store.writes import persistent

AT_ONCE = 1000
"""Questions that are inserted with one statement."""


class Benchmarks:
    """Benchmark table. Every call with an id raises `NotFoundError` if that benchmark is missing or deleted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def summaries(self) -> list[BenchmarkSummary]:
        """All benchmarks that are not deleted, the last edited first."""
        with self._database.reading() as session:
            rows = session.exec(
                select(tables.BenchmarkRow)
                .where(col(tables.BenchmarkRow.deleted_at).is_(None))
                .order_by(col(tables.BenchmarkRow.updated_at).desc(), col(tables.BenchmarkRow.id).desc())
            ).all()
            return [_summary(session, row) for row in rows]

    def numbers(self) -> list[int]:
        """Ids of the benchmarks that are not deleted, the last edited first."""
        row = tables.BenchmarkRow
        listed = select(col(row.id)).where(col(row.deleted_at).is_(None))
        with self._database.reading() as session:
            ids = session.exec(listed.order_by(col(row.updated_at).desc(), col(row.id).desc())).all()
        return [number for number in ids if number is not None]

    def require(self, benchmark_id: int) -> None:
        """Raise `NotFoundError` if the benchmark is missing or deleted."""
        with self._database.reading() as session:
            require_benchmark(session, benchmark_id)

    def summary(self, benchmark_id: int) -> BenchmarkSummary:
        with self._database.reading() as session:
            return _summary(session, benchmark_row(session, benchmark_id))

    @persistent
    def create(self, document: BenchmarkDocument, *, reviews_of: int | None = None) -> int:
        """Save a document as a new benchmark and return its id. Raises `InputError` if two questions share an id.

        `reviews_of`: benchmark that the document was read from, whose reviews the finished questions keep; None: as
        finished elsewhere.
        """
        with self._database.writing() as session:
            row = tables.BenchmarkRow(updated_at=now(), **document_columns(document))
            session.add(row)
            session.flush()
            assert row.id is not None
            _add_questions(session, row.id, document, _reviews(session, reviews_of))
            return row.id

    def document(self, benchmark_id: int) -> BenchmarkDocument:
        """The complete document, without questions that have no id."""
        return self.document_with_revision(benchmark_id)[0]

    def document_with_revision(self, benchmark_id: int) -> tuple[BenchmarkDocument, int]:
        """The complete document, and the revision of the benchmark."""
        with self._database.reading() as session:
            row = benchmark_row(session, benchmark_id)
            # Columns in place of objects, which take twice as long.
            questions = session.execute(
                select(*ENTRY_COLUMNS)
                .where(tables.QuestionRow.benchmark_id == benchmark_id, present(), has_id())
                .order_by(col(tables.QuestionRow.position), col(tables.QuestionRow.id))
            ).all()
        fields = {name: getattr(row, name) for name in DOCUMENT_FIELDS}
        entries = [entry_of(question) for question in questions]
        return BenchmarkDocument.model_validate({**fields, "entries": entries}), row.revision

    def frame(self, benchmark_id: int) -> BenchmarkDocument:
        """The benchmark without its questions: name, description, rubric and so on."""
        return self.frame_with_revision(benchmark_id)[0]

    def frame_with_revision(self, benchmark_id: int) -> tuple[BenchmarkDocument, int]:
        """The benchmark without its questions, and its revision."""
        with self._database.reading() as session:
            row = benchmark_row(session, benchmark_id)
        return _frame(row), row.revision

    def rubric(self, benchmark_id: int) -> StoredRubric:
        """The benchmark's rubric, without values at their defaults, with its incomplete traits."""
        with self._database.reading() as session:
            row = benchmark_row(session, benchmark_id)
        rubric = _frame(row).rubric
        record = rubric.model_dump(mode="json", exclude_defaults=True) if rubric else None
        return StoredRubric(record, cast(list[TraitEdit], row.trait_edits or []), row.revision)

    @persistent
    def update(
        self, benchmark_id: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | BenchmarkConflict:
        """Change fields of the document other than its questions, or its `trait_edits`.

        `expected_revision`: the revision that the caller read. If the benchmark or one of its questions has changed
        since, nothing is saved and the conflict is returned. None: save in any case. Raises `InputError` for an empty
        name.
        """
        if "name" in changes and not str(changes["name"]).strip():
            raise InputError("A benchmark needs a name.")
        with self._database.writing() as session:
            row = benchmark_row(session, benchmark_id)
            if expected_revision is not None and row.revision != expected_revision:
                return BenchmarkConflict(_frame(row), row.revision, row.updated_at)
            row.trait_edits = (changes := dict(changes)).pop("trait_edits", row.trait_edits)
            fields = {name: getattr(row, name) for name in DOCUMENT_FIELDS} | changes
            columns = document_columns(BenchmarkDocument.model_validate(fields))
            trait = CalibrationTarget(benchmark_id, None, "trait", "")
            rename = renamed_trait(row.rubric, columns["rubric"])
            row.sqlmodel_update(columns)
            rename_calibrations(session, trait, rename)
            touch(row)
            return Saved(row.revision, row.updated_at)

    @persistent
    def bring_first(self, benchmark_id: int) -> None:
        """List the benchmark first, as if it had just been edited."""
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id).updated_at = now()

    def trusts(self, benchmark_id: int) -> bool:
        """True if the benchmark's code is trusted; that of a deleted benchmark is not."""
        try:
            return self.on_this_computer(benchmark_id).trusted
        except NotFoundError:
            return False

    def on_this_computer(self, benchmark_id: int) -> LocalBenchmarkState:
        with self._database.reading() as session:
            row = benchmark_row(session, benchmark_id)
        root = row.workspace_root
        return LocalBenchmarkState(
            Path(root) if root else None, trusted=row.trusted_at is not None, separate_review=row.separate_review
        )

    def workspace_roots(self) -> dict[int, str]:
        """Workspace roots by benchmark id, deleted benchmarks included."""
        with self._database.reading() as session:
            rows = session.exec(select(tables.BenchmarkRow.id, tables.BenchmarkRow.workspace_root))
            return {number: root for number, root in rows if number is not None and root}

    @persistent
    def set_workspace_root(self, benchmark_id: int, path: str | None) -> None:
        """Set the workspace root on this computer. The revision and dates of the benchmark do not change."""
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id).workspace_root = path

    @persistent
    def set_separate_review(self, benchmark_id: int, separate: bool) -> None:
        """Let nobody finish their own questions, or anybody. The revision and dates of the benchmark do not change."""
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id).separate_review = separate

    def trusted_at(self, benchmark_id: int) -> str | None:
        """Time at which a user trusted the benchmark's code on this computer; None: not trusted. Never exported."""
        with self._database.reading() as session:
            return benchmark_row(session, benchmark_id).trusted_at

    @persistent
    def set_trusted(self, benchmark_id: int, trusted: bool) -> None:
        """Trust the benchmark's code, or withdraw trust. Its revision and dates do not change."""
        question = tables.QuestionRow
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id).trusted_at = now() if trusted else None
            of_benchmark = col(question.benchmark_id) == benchmark_id
            # Trust decides which sandbox a template runs in, so earlier checks no longer hold.
            session.execute(update(question).where(of_benchmark).values(template_valid=None))

    @persistent
    def delete(self, benchmark_id: int) -> None:
        """Hide the benchmark with its runs; `restore` undoes this."""
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id).deleted_at = now()

    def get_deleted(self, benchmark_id: int) -> DeletedBenchmark | None:
        """The deleted benchmark of this id; None: it is there, or there never was one."""
        return next(iter(self.list_deleted(benchmark_id)), None)

    def list_deleted(self, benchmark_id: int | None = None) -> list[DeletedBenchmark]:
        """Deleted benchmarks that `restore` can bring back, the last deleted first. With an id: only that one."""
        row_of = tables.BenchmarkRow
        statement = select(row_of).where(col(row_of.deleted_at).is_not(None))
        if benchmark_id is not None:
            statement = statement.where(row_of.id == benchmark_id)
        with self._database.reading() as session:
            rows = session.exec(statement.order_by(col(row_of.deleted_at).desc(), col(row_of.id).desc())).all()
            summaries = [_summary(session, row) for row in rows]
        return [
            DeletedBenchmark(summary.id, summary.name, summary.questions, summary.runs, row.deleted_at or "")
            for summary, row in zip(summaries, rows, strict=True)
        ]

    @persistent
    def restore(self, benchmark_id: int) -> None:
        """Restore a deleted benchmark with its runs. Does nothing if it is not deleted. Raises `NotFoundError`."""
        with self._database.writing() as session:
            row = session.get(tables.BenchmarkRow, benchmark_id)
            if row is None:
                raise NotFoundError(f"Benchmark {benchmark_id} never existed.")
            row.deleted_at = None


def _summary(session: Session, row: tables.BenchmarkRow) -> BenchmarkSummary:
    question = tables.QuestionRow
    assert row.id is not None
    usable = and_(col(question.finished), col(question.has_template), col(question.template_valid).is_not(False))
    counts = select(func.count(), func.total(question.finished), func.total(usable))
    questions, finished, ready = session.exec(counts.where(question.benchmark_id == row.id, present())).one()
    return BenchmarkSummary(
        id=row.id,
        name=row.name,
        description=row.description,
        questions=questions,
        finished=int(finished),
        ready=int(ready),
        runs=session.exec(
            select(func.count())
            .select_from(tables.RunRow)
            .where(tables.RunRow.benchmark_id == row.id, col(tables.RunRow.deleted_at).is_(None))
        ).one(),
        updated_at=row.updated_at,
        revision=row.revision,
    )


def _frame(row: tables.BenchmarkRow) -> BenchmarkDocument:
    return BenchmarkDocument.model_validate({name: getattr(row, name) for name in DOCUMENT_FIELDS})


def _reviews(session: Session, benchmark_id: int | None) -> Mapping[str, dict[str, Any]]:
    """Columns about the reviews of finished questions, by question id; empty for None."""
    if benchmark_id is None:
        return {}
    row_of = tables.QuestionRow
    statement = select(row_of).where(row_of.benchmark_id == benchmark_id, present(), has_id(), col(row_of.finished))
    return {row.question_id: {name: getattr(row, name) for name in REVIEW} for row in session.exec(statement)}


def _add_questions(
    session: Session, benchmark_id: int, document: BenchmarkDocument, reviews: Mapping[str, dict[str, Any]] = {}
) -> None:
    if twice := [name for name, times in Counter(entry.id for entry in document.entries).items() if times > 1]:
        raise InputError(f"Two questions have the same ID: {', '.join(twice)}. Give each a unique ID.")
    blank = dict.fromkeys(REVIEW) | NOT_CHANGED
    # Not as objects: a session would hold all of them, at several kilobytes each.
    for first in range(0, len(document.entries), AT_ONCE):
        batch = enumerate(document.entries[first : first + AT_ONCE], first)
        rows = [
            blank | new_question_columns(benchmark_id, position, entry) | reviews.get(entry.id, {})
            for position, entry in batch
        ]
        session.execute(insert(tables.QuestionRow), rows)
