"""Question table: read, edit by field, add, delete and restore."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import or_, true
from sqlmodel import Session, col, func, select, update

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.benchmark_summaries import (
    DeletedQuestion,
    ExamplePool,
    QuestionFilter,
    QuestionSummary,
    RestoredQuestions,
)
from karenina_gui.schemas.edits import Conflict, Saved, StoredRubric, TraitEdit
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import TRAIT_FIELDS
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, TemplateTest
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.question_edits import edit_row
from karenina_gui.store.question_ids import holders, place_of, refuse_taken, result_count, still_deleted_message
from karenina_gui.store.question_summaries import (
    PREVIEW,
    SEARCHED,
    among,
    conditions,
    has_id,
    light_rows,
    of_benchmark,
    parse_keywords,
    summary_of,
)
from karenina_gui.store.row_mapping import ENTRY_COLUMNS, NOT_CHANGED, benchmark_row, entry_of, question_row, touch
from karenina_gui.store.writes import persistent

row_of = tables.QuestionRow


class Questions:
    """Questions by permanent number. Every call with a number raises `NotFoundError` if the question is missing."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keywords: dict[int, tuple[int, list[tuple[str, int]]]] = {}
        """Cache by benchmark: (revision, keywords with their counts)."""

    def summaries(self, benchmark_id: int, filters: QuestionFilter | None = None) -> list[QuestionSummary]:
        """Summaries in the benchmark's order. `filters` None: all questions."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            chosen = filters or QuestionFilter()
            rows = light_rows().where(*of_benchmark(benchmark_id), *conditions(chosen)).limit(chosen.first)
            return [summary_of(row) for row in session.connection().execute(rows)]

    def numbers(self, benchmark_id: int, filters: QuestionFilter) -> list[int]:
        """Numbers of the questions that the filter finds, in the benchmark's order."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            rows = select(row_of.id).where(*of_benchmark(benchmark_id), *conditions(filters)).limit(filters.first)
            ids = session.exec(rows.order_by(col(row_of.position), col(row_of.id)))
            return [number for number in ids if number is not None]

    def texts(self, benchmark_id: int, numbers: Iterable[int] | None = None) -> dict[int, str]:
        """Searchable text by number: question, reference answer, notes, keywords, template and id.

        `numbers` None: all questions.
        """
        clauses = () if numbers is None else (among(row_of.id, numbers),)
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            sought = select(row_of.id, *SEARCHED)  # type: ignore[call-overload]
            rows = session.connection().execute(sought.where(*of_benchmark(benchmark_id), *clauses)).all()
        return {
            number: "\n".join([*filter(None, texts), *parse_keywords(keywords)]) for number, keywords, *texts in rows
        }

    def rubrics(self, benchmark_id: int) -> list[tuple[QuestionSummary, dict[str, Any]]]:
        """Questions with their own traits, in order, with the saved rubric."""
        has_one = col(row_of.question_rubric).is_not(None)
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            rows = session.execute(
                light_rows().add_columns(row_of.question_rubric).where(*of_benchmark(benchmark_id), has_one)
            ).all()
        return [(summary_of(row[:-1]), row[-1]) for row in rows if row[-1]]

    def rubric(self, benchmark_id: int, number: int) -> StoredRubric:
        """Rubric of a question with its incomplete traits."""
        with self._database.reading() as session:
            row = _row(session, benchmark_id, number)
            return StoredRubric(row.question_rubric, cast(list[TraitEdit], row.trait_edits or []), row.revision)

    def example_pools(self, benchmark_id: int) -> dict[str, ExamplePool]:
        """Few-shot examples by question id, with the question's text, for questions that have examples."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            statement = select(row_of.question_id, row_of.question, row_of.few_shot_examples)
            has_some = col(row_of.few_shot_examples).is_not(None)
            rows = session.exec(statement.where(*of_benchmark(benchmark_id), has_id(), has_some)).all()
        return {
            question_id: ExamplePool(text, tuple(str(example.get("question") or "") for example in examples))
            for question_id, text, examples in rows
            if examples
        }

    def wordings(self, benchmark_id: int) -> dict[str, tuple[str, str]]:
        """(text, reference answer) of every question with an id, by id."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            statement = select(row_of.question_id, row_of.question, row_of.raw_answer)
            statement = statement.where(*of_benchmark(benchmark_id), has_id())
            return {question_id: (text, answer) for question_id, text, answer in session.exec(statement).all()}

    def has_traits(self, benchmark_id: int) -> bool:
        """True if any question has its own trait."""
        lengths = (func.json_array_length(row_of.question_rubric, f"$.{kind}") for kind in TRAIT_FIELDS)
        has_one = or_(*(length > 0 for length in lengths))
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            statement = select(row_of.question_id).where(*of_benchmark(benchmark_id), has_one).limit(1)
            return session.exec(statement).first() is not None

    def has_agentic_traits(self, benchmark_id: int) -> bool:
        """True if any question has its own agent trait."""
        has_one = func.json_array_length(row_of.question_rubric, "$.agentic_traits") > 0
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            statement = select(row_of.question_id).where(*of_benchmark(benchmark_id), has_one).limit(1)
            return session.exec(statement).first() is not None

    def has_deep_traits(self, benchmark_id: int) -> bool:
        """True if any question has its own trait with deep judgment."""
        traits = func.json_each(row_of.question_rubric, "$.llm_traits").table_valued("value")
        asks = func.json_extract(traits.c.value, "$.deep_judgment_enabled") == 1
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            statement = select(row_of.question_id).select_from(row_of).join(traits, true())
            return session.exec(statement.where(*of_benchmark(benchmark_id), asks).limit(1)).first() is not None

    def workspace_paths(self, benchmark_id: int) -> list[tuple[str, str]]:
        """(id, path below the workspace root) of each question that has a workspace. Ids may be empty."""
        has_one = col(row_of.workspace_path).is_not(None)
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            statement = select(row_of.question_id, row_of.workspace_path).where(*of_benchmark(benchmark_id), has_one)
            return [(question_id, path) for question_id, path in session.exec(statement).all() if path]

    def entry(self, benchmark_id: int, number: int) -> BenchmarkEntry:
        with self._database.reading() as session:
            return entry_of(_row(session, benchmark_id, number))

    def entries(self, benchmark_id: int, numbers: Iterable[int]) -> dict[int, BenchmarkEntry]:
        """Questions by number, in the benchmark's order; numbers that it does not have are left out."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            statement = select(*ENTRY_COLUMNS).where(*of_benchmark(benchmark_id), among(row_of.id, numbers))
            # Rows that are only read need no objects of the session, which take half of the time.
            rows = session.connection().execute(statement.order_by(col(row_of.position), col(row_of.id)))
            return {row.id: entry_of(row) for row in rows}

    def summary(self, benchmark_id: int, number: int) -> QuestionSummary:
        with self._database.reading() as session:
            _row(session, benchmark_id, number)
            return summary_of(session.execute(light_rows().where(row_of.id == number)).one())

    def position_of(self, benchmark_id: int, number: int) -> int:
        """Place of a question in the list, from 1."""
        with self._database.reading() as session:
            return place_of(session, _row(session, benchmark_id, number))

    def load_details(self, benchmark_id: int, number: int) -> tuple[BenchmarkEntry, QuestionSummary, int]:
        """The question, its summary and the number of results that refer to its id, read in one transaction."""
        # One transaction, because a revision newer than the text would let the next edit overwrite that newer text.
        with self._database.reading() as session:
            row = _row(session, benchmark_id, number)
            summary = summary_of(session.execute(light_rows().where(row_of.id == number)).one())
            results = result_count(session, benchmark_id, row.question_id) if row.question_id else 0
            return entry_of(row), summary, results

    def number_of(self, benchmark_id: int, question_id: str) -> int:
        """Number of the question with this id. Raises `NotFoundError`."""
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            statement = select(row_of.id).where(*of_benchmark(benchmark_id), has_id())
            number = session.exec(statement.where(row_of.question_id == question_id)).first()
        if number is None:
            raise NotFoundError(
                f"This benchmark has no question with the ID {question_id!r}. It may have been deleted."
            )
        return number

    def keywords(self, benchmark_id: int) -> list[tuple[str, int]]:
        """Keywords in use with their number of questions, sorted by keyword."""
        # Every page of a benchmark asks for these, so the counts are cached by revision.
        values = func.json_each(row_of.keywords).table_valued("value")
        counted = (
            select(values.c.value, func.count())
            .select_from(tables.QuestionRow)
            .join(values, onclause=true())
            .where(*of_benchmark(benchmark_id))
            .group_by(values.c.value)
        )
        with self._database.reading() as session:
            revision = benchmark_row(session, benchmark_id).revision
            cached = self._keywords.get(benchmark_id)
            if cached is None or cached[0] != revision:
                counts = sorted((str(word), int(n)) for word, n in session.execute(counted).all())
                cached = self._keywords[benchmark_id] = (revision, counts)
        return list(cached[1])

    def cells(self, benchmark_id: int, numbers: Iterable[int] | None = None) -> dict[int, tuple[str, str, str]]:
        """(text, reference answer, notes) in full by number, in the benchmark's order. `numbers` None: all."""
        among_these = () if numbers is None else (among(row_of.id, numbers),)
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            columns = select(row_of.id, row_of.question, row_of.raw_answer, func.coalesce(row_of.answer_notes, ""))
            statement = columns.where(*of_benchmark(benchmark_id), *among_these).order_by(row_of.position, row_of.id)  # type: ignore[arg-type]
            return {number or 0: (text, answer, notes) for number, text, answer, notes in session.exec(statement)}

    @persistent
    def add(self, benchmark_id: int, entry: BenchmarkEntry, *, after: int | None = None) -> int:
        """Add a question at the end, or after another one, and return its number.

        Raises `DuplicateQuestionError` if its id is taken.
        """
        with self._database.writing() as session:
            position = _last_position(session, benchmark_id) + 1
            if after is not None:
                position = _row(session, benchmark_id, after).position + 1
            return _insert(session, benchmark_id, position, entry)

    @persistent
    def add_all(self, benchmark_id: int, entries: Iterable[BenchmarkEntry]) -> list[int]:
        """Append questions in one transaction, without those whose id is taken. Returns the numbers of the added."""
        added: list[tables.QuestionRow] = []
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            taken = set(session.exec(select(row_of.question_id).where(*of_benchmark(benchmark_id))).all())
            position = _last_position(session, benchmark_id)
            for entry in entries:
                if entry.id in taken:
                    continue
                position += 1
                taken.add(entry.id)
                added.append(question_row(benchmark_id, position, entry))
            session.add_all(added)
            session.flush()
            return [row.id for row in added if row.id is not None]

    @persistent
    def update(
        self, benchmark_id: int, number: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | Conflict:
        """Change fields of a question. Its id follows the text until results refer to it or a user sets it.

        `expected_revision`: the revision that the caller read. If the question has changed since, nothing is saved and
        the conflict is returned. None: save in any case. `changes` may also hold `trait_edits`, `finished`, and `id`,
        which sets the id explicitly (None: the MD5 of the text). Raises `InputError` for an invalid value and
        `DuplicateQuestionError` if another question has the text or id.
        """
        with self._database.writing() as session:
            row = _row(session, benchmark_id, number)
            if expected_revision is not None and row.revision != expected_revision:
                return Conflict(entry_of(row), row.revision, row.updated_at)
            edit_row(session, row, changes)
            return _save_revision(session, row)

    @persistent
    def set_finished(self, benchmark_id: int, numbers: Iterable[int], finished: bool, *, by: str | None = None) -> int:
        """Set the finished mark of many questions; returns how many changed. `by`: name of the person, if it is known.

        Finished questions that were edited since count as reviewed again. Deleted questions and those without an id are
        left unchanged.
        """
        changed = {
            "finished": finished,
            "finished_at": now() if finished else None,
            "finished_by": by if finished else None,
            "returned_at": None,
            **NOT_CHANGED,
            "revision": row_of.revision + 1,
            "updated_at": now(),
        }
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            where = (
                *of_benchmark(benchmark_id),
                among(row_of.id, numbers),
                has_id(),
                or_(col(row_of.finished) != finished, col(row_of.changed_since_review)),
            )
            statement = update(tables.QuestionRow).where(*where).values(**changed).returning(col(row_of.id))
            return len(session.execute(statement).all())

    @persistent
    def set_returned(self, benchmark_id: int, number: int, returned: bool) -> None:
        """Return a question to its author, unfinished, or put it up for review again."""
        with self._database.writing() as session:
            row = _row(session, benchmark_id, number)
            row.returned_at = now() if returned else None
            if returned:
                row.sqlmodel_update({"finished": False, "finished_at": None, "finished_by": None, **NOT_CHANGED})
            _save_revision(session, row)

    @persistent
    def note_template_tests(self, benchmark_id: int, tests: Sequence[tuple[int, Question, TemplateTest]]) -> None:
        """Save results of tests of templates: (number, question as tested, result).

        Results of templates or samples that were edited or deleted since are left out.
        """
        with self._database.writing() as session:
            write_tests(session, benchmark_id, tests)

    @persistent
    def delete(self, benchmark_id: int, numbers: Iterable[int]) -> list[int]:
        """Delete questions in one transaction; returns the numbers of those that existed."""
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            where = (*of_benchmark(benchmark_id), among(row_of.id, numbers))
            statement = update(tables.QuestionRow).where(*where).values(deleted_at=now()).returning(col(row_of.id))
            return [int(number) for (number,) in session.execute(statement).all()]

    def list_deleted(self, benchmark_id: int) -> list[DeletedQuestion]:
        """Deleted questions, the last deleted first, then in the benchmark's order."""
        statement = (
            select(row_of.id, row_of.question_id, func.substr(row_of.question, 1, PREVIEW), row_of.deleted_at)
            .where(row_of.benchmark_id == benchmark_id, col(row_of.deleted_at).is_not(None))
            .order_by(col(row_of.deleted_at).desc(), col(row_of.position), col(row_of.id))
        )
        with self._database.reading() as session:
            benchmark_row(session, benchmark_id)
            return [DeletedQuestion(*row) for row in session.execute(statement).all()]

    @persistent
    def restore(self, benchmark_id: int, numbers: Iterable[int]) -> RestoredQuestions:
        """Restore deleted questions in their places, except those whose id another question has by now."""
        with self._database.writing() as session:
            touch(benchmark_row(session, benchmark_id))
            deleted = session.exec(
                select(row_of.id, row_of.question_id, func.substr(row_of.question, 1, PREVIEW))
                .where(row_of.benchmark_id == benchmark_id, among(row_of.id, numbers))
                .where(col(row_of.deleted_at).is_not(None))
                .order_by(col(row_of.deleted_at))
            ).all()
            # If several deleted questions share an id, the last deleted one is restored.
            last = {question_id: number for number, question_id, _ in deleted if question_id}
            taken = holders(session, benchmark_id, last)
            back = [n for n, key, _ in deleted if n is not None and (not key or (last[key] == n and key not in taken))]
            session.execute(update(tables.QuestionRow).where(among(row_of.id, back)).values(deleted_at=None))
            taken |= holders(session, benchmark_id, last)
            chosen = set(back)
            messages = [still_deleted_message(session, text, taken[key]) for n, key, text in deleted if n not in chosen]
            return RestoredQuestions(sorted(back), messages)


def _row(session: Session, benchmark_id: int, number: int) -> tables.QuestionRow:
    benchmark_row(session, benchmark_id)
    row = session.get(tables.QuestionRow, number)
    if row is None or row.benchmark_id != benchmark_id or row.deleted_at is not None:
        raise NotFoundError(
            f"This benchmark has no question {number} (the number in the link). It may have been deleted."
        )
    return row


def _last_position(session: Session, benchmark_id: int) -> int:
    """Position of the last question; -1 if there is none."""
    highest = session.exec(select(func.max(row_of.position)).where(row_of.benchmark_id == benchmark_id)).one()
    return -1 if highest is None else int(highest)


def _insert(session: Session, benchmark_id: int, position: int, entry: BenchmarkEntry) -> int:
    benchmark = benchmark_row(session, benchmark_id)
    of_benchmark_id = (col(row_of.benchmark_id) == benchmark_id,)
    refuse_taken(session, benchmark_id, entry.id, entry.question.question)
    if session.exec(select(row_of.id).where(*of_benchmark_id, row_of.position == position)).first() is not None:
        later = (*of_benchmark_id, col(row_of.position) >= position)
        session.execute(update(tables.QuestionRow).where(*later).values(position=row_of.position + 1))
    row = question_row(benchmark_id, position, entry)
    session.add(row)
    touch(benchmark)
    session.flush()
    assert row.id is not None
    return row.id


def _save_revision(session: Session, row: tables.QuestionRow) -> Saved:
    row.revision += 1
    row.updated_at = touch(benchmark_row(session, row.benchmark_id))
    return Saved(row.revision, row.updated_at)


def write_tests(session: Session, benchmark_id: int, tests: Sequence[tuple[int, Question, TemplateTest]]) -> None:
    """Write results of tests: (number, question as tested, result).

    Left out: results of templates or samples that were edited or deleted since.
    """
    numbers = [number for number, *_ in tests]
    statement = select(tables.QuestionRow.id, tables.QuestionRow.answer_template, tables.QuestionRow.custom_metadata)
    statement = statement.where(tables.QuestionRow.benchmark_id == benchmark_id, among(tables.QuestionRow.id, numbers))
    present = {number: (template, metadata) for number, template, metadata in session.exec(statement)}
    # Each result by its primary key, which takes one statement for all.
    changes = [
        {"id": number, **_test_columns(test, tested, present[number][1])}
        for number, tested, test in tests
        if number in present and present[number][0] == tested.answer_template
    ]
    if changes:
        session.execute(update(tables.QuestionRow), changes)


def _test_columns(test: TemplateTest, tested: Question, metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Columns of a result; without those of samples if the metadata holds others than the tested ones."""
    columns: dict[str, Any] = {"template_valid": test.valid, "mutation": test.mutation}
    if (metadata or {}).get(SAMPLE_ANSWERS) == (tested.custom_metadata or {}).get(SAMPLE_ANSWERS):
        columns |= {"samples_wrong": test.wrong, "samples_unread": test.unread}
    return columns
