"""Libraries of schema version 9, in which questions kept the ids of their placeholder texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic import command

from karenina_gui.runs.resume import UnfinishedRuns
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.placeholder_ids import PLACEHOLDER, is_placeholder
from karenina_gui.schemas.question import EditableQuestion, Question, question_fingerprint
from karenina_gui.schemas.result_summaries import ResultFilter
from karenina_gui.store import migration
from karenina_gui.store.library import FILE_NAME, Library
from tests.answered import answer, plan_of

NEW = question_fingerprint(PLACEHOLDER)
SECOND = question_fingerprint(f"{PLACEHOLDER} 2")
COPY = question_fingerprint("Why? (copy)")


def question(question_id: str, text: str) -> BenchmarkEntry:
    return BenchmarkEntry(question=Question(question=text, raw_answer="42", id=question_id))


@contextmanager
def ninth_version(folder: Path, *questions: BenchmarkEntry) -> Iterator[tuple[Library, int]]:
    """A library with one benchmark, downgraded to schema version 9."""
    with Library.open(folder) as library:
        yield library, library.benchmarks.create(BenchmarkDocument(name="b", entries=list(questions)))
    command.downgrade(migration._alembic(folder / FILE_NAME), "0009")


def ids(library: Library, benchmark: int = 1) -> dict[str, str]:
    """Ids by text."""
    return {row.text: row.id for row in library.questions.summaries(benchmark)}


def test_a_placeholder_id_gives_way_to_that_of_the_text(tmp_path: Path) -> None:
    with ninth_version(tmp_path, question(NEW, "Why?"), question(COPY, "How?"), question("own", "When?")):
        pass
    with Library.open(tmp_path) as library:
        own = {"Why?": question_fingerprint("Why?"), "How?": question_fingerprint("How?"), "When?": "own"}
        assert ids(library) == own
        assert [row.id_set for row in library.questions.summaries(1)] == [False, False, True]


def test_one_id_in_two_benchmarks_becomes_two(tmp_path: Path) -> None:
    with ninth_version(tmp_path, question(NEW, "Why?")) as (library, _):
        library.benchmarks.create(BenchmarkDocument(name="c", entries=[question(NEW, "How?")]))
    with Library.open(tmp_path) as library:
        assert ids(library, 1) == {"Why?": question_fingerprint("Why?")}
        assert ids(library, 2) == {"How?": question_fingerprint("How?")}


def test_results_stay_with_their_question(tmp_path: Path) -> None:
    with ninth_version(tmp_path, question(NEW, "Why?"), question("own", "How?")) as (library, benchmark):
        run = answer(library, benchmark, NEW)
        other = answer(library, benchmark, "own")
    own = question_fingerprint("Why?")
    with Library.open(tmp_path) as library:
        (row,) = library.results.page(run, ResultFilter(question_id=own)).rows
        assert library.results.page(run, ResultFilter(text=own)).total == 1
        assert library.results.page(run, ResultFilter(text=NEW)).total == 0
        assert library.results.get(row.id).result.metadata.question_id == own
        assert library.questions.load_details(benchmark, library.questions.number_of(benchmark, own))[2] == 1
        assert library.results.table(run).question_id == (own,)
        assert library.runs.config(run).answering_models[0].manual_traces == {own: "42"}
        summary = library.runs.summary(run)
        assert library.snapshots.document(summary.benchmark_hash).entries[0].id == own
        assert [row.question_id for row in library.results.page(other).rows] == ["own"]
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute("SELECT count(*) FROM snapshot").fetchone() == (1,)


def test_an_interrupted_run_goes_on_with_the_answers_that_it_has(tmp_path: Path) -> None:
    with ninth_version(tmp_path, question(NEW, "Why?")) as (library, benchmark):
        run = library.runs.create(plan_of(library.benchmarks.document(benchmark), benchmark, NEW))
        library.answers.save(run, f"{NEW}\tada", {"text": "42"})
    with Library.open(tmp_path) as library:
        left = UnfinishedRuns(library).of(run)
        assert [job.answer_key in left.answered for job in left.request.jobs] == [True]


def test_results_of_a_deleted_question_are_not_given_to_the_one_that_followed_it(tmp_path: Path) -> None:
    with ninth_version(tmp_path, question(NEW, "Why?")) as (library, benchmark):
        run = answer(library, benchmark, NEW)
        library.questions.delete(benchmark, [1])
        library.questions.add(benchmark, question(NEW, "How?"))
    with Library.open(tmp_path) as library:
        assert ids(library) == {"How?": question_fingerprint("How?")}
        assert [row.question_id for row in library.results.page(run).rows] == [question_fingerprint("Why?")]
        assert library.questions.restore(benchmark, [1]).numbers == [1]


def test_of_two_questions_with_one_text_the_second_gets_a_number(tmp_path: Path) -> None:
    own = question_fingerprint("Why?")
    with ninth_version(tmp_path, question(NEW, "Why?"), question(SECOND, "Why?")) as (library, benchmark):
        run = answer(library, benchmark, SECOND)
    with Library.open(tmp_path) as library:
        assert [(row.id, row.id_set) for row in library.questions.summaries(1)] == [(own, False), (f"{own}-1", True)]
        assert [row.question_id for row in library.results.page(run).rows] == [f"{own}-1"]


def test_recorded_answers_serve_every_question_that_had_the_placeholder(tmp_path: Path) -> None:
    with ninth_version(tmp_path, question(NEW, "Why?")) as (library, benchmark):
        model = plan_of(library.benchmarks.document(benchmark), benchmark, NEW).config.answering_models[0]
        library.models.save("ada", model)
    with Library.open(tmp_path) as library:
        assert library.models.all()["ada"].manual_traces == {NEW: "42", question_fingerprint("Why?"): "42"}


def test_a_question_that_was_never_written_keeps_its_placeholder(tmp_path: Path) -> None:
    with ninth_version(tmp_path, question(NEW, PLACEHOLDER)):
        pass
    with Library.open(tmp_path) as library:
        assert ids(library) == {PLACEHOLDER: NEW}


def test_a_library_goes_back_to_the_ninth_version_with_questions_that_wait_for_a_text(tmp_path: Path) -> None:
    with ninth_version(tmp_path) as (library, benchmark):
        for _ in range(2):
            library.questions.add(benchmark, BenchmarkEntry(question=EditableQuestion(), finished=False))
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        rows = connection.execute("SELECT question_id, question FROM question").fetchall()
    assert rows == [("question-1", "New question 1"), ("question-2", "New question 2")]


@pytest.mark.parametrize(
    ("placeholder", "text", "known"),
    [
        (PLACEHOLDER, "Why?", True),
        ("New question 7", "Why?", True),
        ("New question 2 (copy) (copy 3)", "Why?", True),
        (PLACEHOLDER, PLACEHOLDER, False),
        ("Why?", "How?", False),
    ],
)
def test_placeholders_are_known_by_their_ids(placeholder: str, text: str, known: bool) -> None:
    assert is_placeholder(question_fingerprint(placeholder), text) is known
