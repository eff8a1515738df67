"""Questions in the library: read, edited one field at a time, added, removed and put back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, true
from sqlmodel import Session, col, exists, func, or_, select, update

from karenina_gui.errors import DuplicateQuestionError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.summaries import Conflict, QuestionFilter, QuestionSummary, Saved
from karenina_gui.store import tables
from karenina_gui.store.database import Database
from karenina_gui.store.rows import benchmark_row, changed_question, entry_of, question_columns, question_row, touch

PREVIEW = 200
"""Characters of a question's text in a list."""

row_of = tables.Question
_SEARCHED = (
    row_of.question, row_of.raw_answer, row_of.answer_notes, row_of.keywords, row_of.answer_template,
    row_of.question_id,
)  # fmt: skip


@dataclass(frozen=True)
class RemovedQuestion:
    """What is needed to put a question back where it was."""

    benchmark_id: int
    position: int
    entry: BenchmarkEntry
    number: int | None = None
    """The number that it had; None: it never had one."""


class Questions:
    """Errors of every call with an id: `NotFoundError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def summaries(self, benchmark_id: int, wanted: QuestionFilter | None = None) -> list[QuestionSummary]:
        """Light rows in the benchmark's order; `wanted` None: all of them."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            rows = session.execute(
                _light().where(row_of.benchmark_id == benchmark_id, *_conditions(wanted or QuestionFilter()))
            ).all()
        return [_summary(row) for row in rows]

    def entry(self, benchmark_id: int, question_id: str) -> BenchmarkEntry:
        with self._database.reading() as session:
            return entry_of(_row(session, benchmark_id, question_id))

    def summary(self, benchmark_id: int, question_id: str) -> QuestionSummary:
        with self._database.reading() as session:
            _row(session, benchmark_id, question_id)
            one = _light().where(row_of.benchmark_id == benchmark_id, row_of.question_id == question_id)
            return _summary(session.execute(one).one())

    def id_of(self, benchmark_id: int, number: int) -> str:
        """The id of the question that has this number in the library."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            row = session.get(tables.Question, number)
        if row is None or row.benchmark_id != benchmark_id:
            raise NotFoundError(f"This benchmark has no question number {number}. It may have been deleted.")
        return row.question_id

    def keywords(self, benchmark_id: int) -> list[tuple[str, int]]:
        """Keywords in use with the number of questions that have each, in alphabetical order."""
        values = func.json_each(row_of.keywords).table_valued("value")
        counted = (
            select(values.c.value, func.count())
            .select_from(tables.Question)
            .join(values, onclause=true())
            .where(row_of.benchmark_id == benchmark_id)
            .group_by(values.c.value)
        )
        with self._database.reading() as session:
            return sorted((str(word), int(n)) for word, n in session.execute(counted).all())

    def add(self, benchmark_id: int, entry: BenchmarkEntry, *, after: str | None = None) -> Saved:
        """Append a question, or put it after another one. Errors: `DuplicateQuestionError` when its id is taken."""
        with self._database.writing() as session:
            place = _last(session, benchmark_id) + 1
            if after is not None:
                place = _row(session, benchmark_id, after).position + 1
            return _insert(session, RemovedQuestion(benchmark_id, place, entry))

    def add_all(self, benchmark_id: int, entries: Iterable[BenchmarkEntry]) -> list[BenchmarkEntry]:
        """Append many in one transaction; returns those that were left out because their id is taken."""
        refused: list[BenchmarkEntry] = []
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            taken = set(session.exec(select(row_of.question_id).where(row_of.benchmark_id == benchmark_id)).all())
            place = _last(session, benchmark_id)
            for entry in entries:
                if entry.id in taken:
                    refused.append(entry)
                    continue
                place += 1
                taken.add(entry.id)
                session.add(question_row(benchmark_id, place, entry))
        return refused

    def update(
        self, benchmark_id: int, question_id: str, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | Conflict:
        """Change fields of a question; its id stays, also when its text changes.

        `expected_revision`: the one that was read; nothing is saved when the question has changed since (None: save in
        any case). `finished` may be among the changes. Errors: `InputError` for a value that does not fit.
        """
        with self._database.writing() as session:
            row = _row(session, benchmark_id, question_id)
            if expected_revision is not None and row.revision != expected_revision:
                return Conflict(entry_of(row), row.revision, row.updated_at)
            changes = dict(changes)
            finished = bool(changes.pop("finished", row.finished))
            columns = question_columns(changed_question(entry_of(row).question, changes))
            if columns["answer_template"] != row.answer_template:
                row.template_valid = None
            row.sqlmodel_update({**columns, "finished": finished})
            return _saved(session, row)

    def set_finished(self, benchmark_id: int, question_ids: Iterable[str], finished: bool) -> int:
        """Mark many at once; returns how many changed."""
        changed = 0
        with self._database.writing() as session:
            for question_id in question_ids:
                row = _row(session, benchmark_id, question_id)
                if row.finished != finished:
                    row.finished = finished
                    changed += 1
                    _saved(session, row)
        return changed

    def note_template_check(self, benchmark_id: int, question_id: str, source: str, valid: bool) -> None:
        """Keep what a check said of this template, unless it was edited meanwhile."""
        with self._database.writing() as session:
            session.execute(
                update(tables.Question)
                .where(
                    col(row_of.benchmark_id) == benchmark_id,
                    col(row_of.question_id) == question_id,
                    col(row_of.answer_template) == source,
                )
                .values(template_valid=valid)
            )

    def remove(self, benchmark_id: int, question_id: str) -> RemovedQuestion:
        """Take a question out; give what is returned to `put_back` to undo it."""
        with self._database.writing() as session:
            row = _row(session, benchmark_id, question_id)
            removed = RemovedQuestion(benchmark_id, row.position, entry_of(row), row.id)
            session.delete(row)
            touch(benchmark_row(session, benchmark_id))
            return removed

    def put_back(self, removed: RemovedQuestion) -> Saved:
        """Errors: `DuplicateQuestionError` when a question of this id was added meanwhile."""
        with self._database.writing() as session:
            return _insert(session, removed)


def _light() -> Any:
    return select(  # type: ignore[call-overload]
        row_of.id,
        row_of.question_id,
        row_of.position,
        func.substr(row_of.question, 1, PREVIEW),
        row_of.keywords,
        row_of.finished,
        func.is_written(row_of.answer_template),
        row_of.template_valid,
        col(row_of.question_rubric).is_not(None),
        row_of.revision,
        row_of.updated_at,
    ).order_by(row_of.position, row_of.id)


def _summary(row: Any) -> QuestionSummary:
    number, question_id, position, text, keywords, finished, written, *rest = row
    return QuestionSummary(number, question_id, position, text, tuple(keywords), finished, bool(written), *rest)


def _conditions(wanted: QuestionFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if needle := wanted.text.strip().casefold():
        conditions.append(or_(*(func.instr(func.casefold(column), needle) > 0 for column in _SEARCHED)))
    if wanted.finished is not None:
        conditions.append(col(row_of.finished).is_(wanted.finished))
    if wanted.keyword is not None:
        conditions.append(holds(row_of.keywords, wanted.keyword))
    if wanted.has_template is not None:
        conditions.append(func.is_written(row_of.answer_template) == wanted.has_template)
    return conditions


def holds(column: Any, value: str) -> ColumnElement[bool]:
    """Whether a JSON list in this column has this value."""
    values = func.json_each(column).table_valued("value")
    return exists(select(1).select_from(values).where(values.c.value == value))


def _row(session: Session, benchmark_id: int, question_id: str) -> tables.Question:
    benchmark_row(session, benchmark_id)
    found = session.exec(
        select(tables.Question).where(row_of.benchmark_id == benchmark_id, row_of.question_id == question_id)
    ).first()
    if found is None:
        raise NotFoundError(f"This benchmark has no question with the id {question_id!r}. It may have been deleted.")
    return found


def _last(session: Session, benchmark_id: int) -> int:
    """Position of the last question; -1 when there is none."""
    highest = session.exec(select(func.max(row_of.position)).where(row_of.benchmark_id == benchmark_id)).one()
    return -1 if highest is None else int(highest)


def _insert(session: Session, question: RemovedQuestion) -> Saved:
    benchmark_id, entry = question.benchmark_id, question.entry
    benchmark_row(session, benchmark_id)
    of_it = (col(row_of.benchmark_id) == benchmark_id,)
    if session.exec(select(row_of.id).where(*of_it, row_of.question_id == entry.id)).first() is not None:
        raise DuplicateQuestionError(
            f"The benchmark already holds this question (id {entry.id}): {entry.question.question[:80]!r}. "
            "Change its text, or give it an id of its own."
        )
    if session.exec(select(row_of.id).where(*of_it, row_of.position == question.position)).first() is not None:
        later = (*of_it, col(row_of.position) >= question.position)
        session.execute(update(tables.Question).where(*later).values(position=row_of.position + 1))
    row = question_row(benchmark_id, question.position, entry)
    row.id = question.number
    session.add(row)
    return Saved(row.revision, touch(benchmark_row(session, benchmark_id)))


def _saved(session: Session, row: tables.Question) -> Saved:
    row.revision += 1
    row.updated_at = touch(benchmark_row(session, row.benchmark_id))
    return Saved(row.revision, row.updated_at)
