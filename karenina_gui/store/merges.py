"""Merges: many edits, additions, and deletions of questions in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, func, select, update

from karenina_gui.errors import DuplicateQuestionError, InputError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import question_fingerprint
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.question_ids import Identity, is_referred_to, link_previous_ids
from karenina_gui.store.question_summaries import among, of_benchmark
from karenina_gui.store.row_mapping import (
    DOCUMENT_FIELDS,
    benchmark_row,
    changed_question,
    document_columns,
    entry_of,
    question_columns,
    question_row,
    review_after,
    tested_columns,
    touch,
)
from karenina_gui.store.writes import persistent

row_of = tables.QuestionRow


@dataclass(frozen=True)
class MergeSteps:
    """Edits of one merge."""

    changed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """{id of the question: its fields, by name}; `id` gives it another id."""
    removed: Sequence[str] = ()
    """Ids of questions to delete."""
    added: Sequence[BenchmarkEntry] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the benchmark itself."""

    @property
    def questions(self) -> int:
        """Number of questions that they concern."""
        return len(self.changed) + len(self.removed) + len(self.added)


class Merges:
    """Merges into benchmarks of the library."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def apply(self, benchmark_id: int, steps: MergeSteps, *, expected_revision: int) -> bool:
        """Make all edits, or none: False if the benchmark was edited since `expected_revision`.

        A question keeps its id unless another one is given, even if its text changes. Raises `InputError` for an
        invalid value and `DuplicateQuestionError` if two questions would have one id.
        """
        at = now()
        with self._database.writing() as session:
            benchmark = benchmark_row(session, benchmark_id)
            if benchmark.revision != expected_revision:
                return False
            # First, so that a question that is added may have the id of one that goes.
            if steps.removed:
                gone = (*of_benchmark(benchmark_id), among(row_of.question_id, steps.removed))
                session.execute(update(tables.QuestionRow).where(*gone).values(deleted_at=at))
            for row in _rows(session, benchmark_id, list(steps.changed)):
                _change(session, row, steps.changed[row.question_id], at)
            _add(session, benchmark_id, steps.added)
            if steps.details:
                fields = {name: getattr(benchmark, name) for name in DOCUMENT_FIELDS} | dict(steps.details)
                benchmark.sqlmodel_update(document_columns(BenchmarkDocument.model_validate(fields)))
            touch(benchmark)
            try:
                session.flush()
            except IntegrityError as error:
                raise DuplicateQuestionError("Two questions would have the same ID. Nothing was changed.") from error
        return True


def _rows(session: Session, benchmark_id: int, question_ids: Sequence[str]) -> Sequence[tables.QuestionRow]:
    where = (*of_benchmark(benchmark_id), among(row_of.question_id, question_ids))
    return session.exec(select(tables.QuestionRow).where(*where)).all()


def _change(session: Session, row: tables.QuestionRow, edit: Mapping[str, Any], at: str) -> None:
    changes = dict(edit)
    finished = bool(changes.pop("finished", row.finished))
    question_id = str(changes.pop("id", row.question_id))
    changed = changed_question(entry_of(row).question, changes, question_id)
    columns = question_columns(changed)
    if question_id != row.question_id:
        # A query would otherwise write the rows before it one by one.
        with session.no_autoflush:
            previous_id = row.question_id if is_referred_to(session, row.benchmark_id, row.question_id) else None
        columns["custom_metadata"] = link_previous_ids(
            changed.custom_metadata, Identity(question_id, True, previous_id)
        )
    identified_by = {"question_id": question_id, "id_set": question_id != question_fingerprint(changed.question)}
    outdated, review = tested_columns(row, columns), review_after(row, columns, finished)
    row.sqlmodel_update({**columns, **outdated, **identified_by, **review})
    row.revision += 1
    row.updated_at = at


def _add(session: Session, benchmark_id: int, entries: Sequence[BenchmarkEntry]) -> None:
    if not all(entry.id for entry in entries):
        raise InputError("A question without an ID can’t be added. Write its text first.")
    highest = session.exec(select(func.max(row_of.position)).where(col(row_of.benchmark_id) == benchmark_id)).one()
    first = 0 if highest is None else int(highest) + 1
    session.add_all(question_row(benchmark_id, first + index, entry) for index, entry in enumerate(entries))
