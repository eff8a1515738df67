"""Questions in the library: read, edited one field at a time, added, deleted and restored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import true
from sqlmodel import Session, col, func, select, update

from karenina_gui.errors import DuplicateQuestionError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.summaries import Conflict, DeletedQuestion, QuestionFilter, QuestionSummary, Saved
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.light_questions import (
    PREVIEW,
    SEARCHED,
    among,
    conditions,
    light_rows,
    of_benchmark,
    summary_of,
    words,
)
from karenina_gui.store.rows import (
    benchmark_row,
    changed_question,
    entry_of,
    present,
    question_columns,
    question_row,
    touch,
)
from karenina_gui.store.writes import persistent

row_of = tables.Question


class Questions:
    """Errors of every call with an id: `NotFoundError`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keywords: dict[int, tuple[int, list[tuple[str, int]]]] = {}
        """By benchmark: the revision that was looked at, and what was found."""

    def summaries(self, benchmark_id: int, wanted: QuestionFilter | None = None) -> list[QuestionSummary]:
        """Light rows in the benchmark's order; `wanted` None: all of them."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            chosen = wanted or QuestionFilter()
            rows = light_rows().where(*of_benchmark(benchmark_id), *conditions(chosen)).limit(chosen.first)
            return [summary_of(row) for row in session.connection().execute(rows)]

    def texts(self, benchmark_id: int, numbers: Iterable[int] | None = None) -> dict[int, str]:
        """Everything by which a question is found, by its number: question, reference answer, notes, keywords, template
        and id; `numbers` None: of all of them."""
        wanted = () if numbers is None else (among(row_of.id, numbers),)
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            sought = select(row_of.id, *SEARCHED)  # type: ignore[call-overload]
            rows = session.connection().execute(sought.where(*of_benchmark(benchmark_id), *wanted)).all()
        return {number: "\n".join([*filter(None, texts), *words(keywords)]) for number, keywords, *texts in rows}

    def rubrics(self, benchmark_id: int) -> list[tuple[QuestionSummary, dict[str, Any]]]:
        """The questions that have traits of their own, in order, each with its rubric as it is kept."""
        has_one = col(row_of.question_rubric).is_not(None)
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            rows = session.execute(
                light_rows().add_columns(row_of.question_rubric).where(*of_benchmark(benchmark_id), has_one)
            ).all()
        return [(summary_of(row[:-1]), row[-1]) for row in rows if row[-1]]

    def wordings(self, benchmark_id: int) -> dict[str, tuple[str, str]]:
        """{id: (text, reference answer)} of all questions."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            wanted = select(row_of.question_id, row_of.question, row_of.raw_answer).where(*of_benchmark(benchmark_id))
            return {question_id: (text, answer) for question_id, text, answer in session.exec(wanted).all()}

    def has_agentic_traits(self, benchmark_id: int) -> bool:
        """Whether any question has a trait of its own that an agent investigates."""
        has_one = func.json_array_length(row_of.question_rubric, "$.agentic_traits") > 0
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            found = select(row_of.question_id).where(*of_benchmark(benchmark_id), has_one).limit(1)
            return session.exec(found).first() is not None

    def workspace_paths(self, benchmark_id: int) -> dict[str, str]:
        """{id: path below the root} of the questions that have a workspace."""
        has_one = col(row_of.workspace_path).is_not(None)
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            wanted = select(row_of.question_id, row_of.workspace_path).where(*of_benchmark(benchmark_id), has_one)
            return {question_id: path for question_id, path in session.exec(wanted).all() if path}

    def entry(self, benchmark_id: int, question_id: str) -> BenchmarkEntry:
        with self._database.reading() as session:
            return entry_of(_row(session, benchmark_id, question_id))

    def summary(self, benchmark_id: int, question_id: str) -> QuestionSummary:
        with self._database.reading() as session:
            _row(session, benchmark_id, question_id)
            one = light_rows().where(*of_benchmark(benchmark_id), row_of.question_id == question_id)
            return summary_of(session.execute(one).one())

    def id_of(self, benchmark_id: int, number: int) -> str:
        """The id of the question that has this number in the library."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            row = session.get(tables.Question, number)
        if row is None or row.benchmark_id != benchmark_id or row.deleted_at is not None:
            raise NotFoundError(f"This benchmark has no question number {number}. It may have been deleted.")
        return row.question_id

    def keywords(self, benchmark_id: int) -> list[tuple[str, int]]:
        """Keywords in use with the number of questions that have each, in alphabetical order.

        Asked for by every page of a benchmark, so they are counted once after each edit.
        """
        values = func.json_each(row_of.keywords).table_valued("value")
        counted = (
            select(values.c.value, func.count())
            .select_from(tables.Question)
            .join(values, onclause=true())
            .where(*of_benchmark(benchmark_id))
            .group_by(values.c.value)
        )
        with self._database.reading() as session:
            revision = benchmark_row(session, benchmark_id).revision
            known = self._keywords.get(benchmark_id)
            if known is None or known[0] != revision:
                words = sorted((str(word), int(n)) for word, n in session.execute(counted).all())
                known = self._keywords[benchmark_id] = (revision, words)
        return list(known[1])

    @persistent
    def add(self, benchmark_id: int, entry: BenchmarkEntry, *, after: str | None = None) -> Saved:
        """Append a question, or put it after another one. Errors: `DuplicateQuestionError` when its id is taken."""
        with self._database.writing() as session:
            place = _last(session, benchmark_id) + 1
            if after is not None:
                place = _row(session, benchmark_id, after).position + 1
            return _insert(session, benchmark_id, place, entry)

    @persistent
    def add_all(self, benchmark_id: int, entries: Iterable[BenchmarkEntry]) -> list[BenchmarkEntry]:
        """Append many in one transaction; returns those that were left out because their id is taken."""
        refused: list[BenchmarkEntry] = []
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            taken = set(session.exec(select(row_of.question_id).where(*of_benchmark(benchmark_id))).all())
            place = _last(session, benchmark_id)
            for entry in entries:
                if entry.id in taken:
                    refused.append(entry)
                    continue
                place += 1
                taken.add(entry.id)
                session.add(question_row(benchmark_id, place, entry))
        return refused

    @persistent
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

    @persistent
    def set_finished(self, benchmark_id: int, question_ids: Iterable[str], finished: bool) -> int:
        """Mark many at once; returns how many changed. Those that are deleted stay as they are."""
        changed = {"finished": finished, "revision": row_of.revision + 1, "updated_at": now()}
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            wanted = (
                *of_benchmark(benchmark_id),
                among(row_of.question_id, question_ids),
                col(row_of.finished) != finished,
            )
            statement = update(tables.Question).where(*wanted).values(**changed).returning(col(row_of.id))
            return len(session.execute(statement).all())

    @persistent
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

    @persistent
    def delete(self, benchmark_id: int, question_ids: Iterable[str]) -> list[int]:
        """Take questions out, all in one step; returns their numbers, with which `restore` brings them back."""
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            wanted = (*of_benchmark(benchmark_id), among(row_of.question_id, question_ids))
            statement = update(tables.Question).where(*wanted).values(deleted_at=now()).returning(col(row_of.id))
            return [int(number) for (number,) in session.execute(statement).all()]

    def deleted(self, benchmark_id: int) -> list[DeletedQuestion]:
        """What can be restored, the last deleted first, then in the benchmark's order."""
        statement = (
            select(row_of.id, row_of.question_id, func.substr(row_of.question, 1, PREVIEW), row_of.deleted_at)
            .where(row_of.benchmark_id == benchmark_id, col(row_of.deleted_at).is_not(None))
            .order_by(col(row_of.deleted_at).desc(), col(row_of.position), col(row_of.id))
        )
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            return [DeletedQuestion(*row) for row in session.execute(statement).all()]

    @persistent
    def restore(self, benchmark_id: int, numbers: Iterable[int]) -> int:
        """Bring deleted questions back to their places; returns how many came back.

        One whose id was given to another question meanwhile stays deleted.
        """
        taken = select(row_of.question_id).where(*of_benchmark(benchmark_id))
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            chosen = session.exec(
                select(row_of.id, row_of.question_id)
                .where(row_of.benchmark_id == benchmark_id, among(row_of.id, numbers))
                .where(col(row_of.deleted_at).is_not(None), col(row_of.question_id).not_in(taken))
                .order_by(col(row_of.deleted_at))
            ).all()
            # Of several with one id, the last that was deleted comes back.
            back = list({question_id: number for number, question_id in chosen}.values())
            session.execute(update(tables.Question).where(among(row_of.id, back)).values(deleted_at=None))
        return len(back)


def _row(session: Session, benchmark_id: int, question_id: str) -> tables.Question:
    benchmark_row(session, benchmark_id)
    found = session.exec(
        select(tables.Question).where(*of_benchmark(benchmark_id), row_of.question_id == question_id)
    ).first()
    if found is None:
        raise NotFoundError(f"This benchmark has no question with the id {question_id!r}. It may have been deleted.")
    return found


def _last(session: Session, benchmark_id: int) -> int:
    """Position of the last question; -1 when there is none."""
    highest = session.exec(select(func.max(row_of.position)).where(row_of.benchmark_id == benchmark_id)).one()
    return -1 if highest is None else int(highest)


def _insert(session: Session, benchmark_id: int, position: int, entry: BenchmarkEntry) -> Saved:
    benchmark_row(session, benchmark_id)
    of_it = (col(row_of.benchmark_id) == benchmark_id,)
    if session.exec(select(row_of.id).where(*of_it, present(), row_of.question_id == entry.id)).first() is not None:
        raise DuplicateQuestionError(
            f"The benchmark already holds this question (id {entry.id}): {entry.question.question[:80]!r}. "
            "Change its text, or give it an id of its own."
        )
    if session.exec(select(row_of.id).where(*of_it, row_of.position == position)).first() is not None:
        later = (*of_it, col(row_of.position) >= position)
        session.execute(update(tables.Question).where(*later).values(position=row_of.position + 1))
    row = question_row(benchmark_id, position, entry)
    session.add(row)
    return Saved(row.revision, touch(benchmark_row(session, benchmark_id)))


def _saved(session: Session, row: tables.Question) -> Saved:
    row.revision += 1
    row.updated_at = touch(benchmark_row(session, row.benchmark_id))
    return Saved(row.revision, row.updated_at)
