from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor, OpenQuestion
from karenina_gui.authoring.changes import Change
from karenina_gui.errors import DuplicateQuestionError, InputError, NotFoundError
from karenina_gui.formats.tables.question_import import ImportPlan
from karenina_gui.schemas.question import question_fingerprint
from karenina_gui.schemas.summaries import BenchmarkConflict, Conflict, Saved
from karenina_gui.store.library import Library

TEMPLATE = """class Answer(BaseAnswer):
    number: int = VerifiedField(description="The number", ground_truth=42, verify_with=NumericExact())
"""


@pytest.fixture
def benchmark(desk: BenchmarkEditor) -> int:
    return desk.create_benchmark("arithmetic")


@pytest.fixture
def question(desk: BenchmarkEditor, benchmark: int) -> OpenQuestion:
    return desk.add_question(benchmark, "What is 6 x 7?", raw_answer="42")


def test_a_new_question_is_unfinished_and_named_by_its_text(question: OpenQuestion) -> None:
    assert question.entry.id == question_fingerprint("What is 6 x 7?")
    assert not question.entry.finished
    assert not question.summary.has_template


def test_an_edit_is_in_the_library_when_the_call_returns(
    desk: BenchmarkEditor, benchmark: int, question: OpenQuestion, tmp_path: Path
) -> None:
    saved = desk.edit(benchmark, question.summary.number, {"answer_notes": "six sevens", "keywords": ["times"]})
    assert isinstance(saved, Saved)
    with Library.open(tmp_path / "data") as elsewhere:
        entry = elsewhere.questions.entry(benchmark, question.summary.number)
    assert (entry.question.answer_notes, entry.question.keywords) == ("six sevens", ["times"])


def test_a_refused_edit_changes_nothing(desk: BenchmarkEditor, benchmark: int, question: OpenQuestion) -> None:
    with pytest.raises(InputError, match="outside the workspace root"):
        desk.edit(benchmark, question.summary.number, {"workspace_path": "/etc", "raw_answer": "43"})
    assert desk.question(benchmark, question.summary.number) == question


def test_two_windows_do_not_overwrite_each_other(desk: BenchmarkEditor, benchmark: int, question: OpenQuestion) -> None:
    revision = question.summary.revision
    desk.edit(benchmark, question.summary.number, {"answer_template": "# mine"}, expected_revision=revision)
    outcome = desk.edit(benchmark, question.summary.number, {"answer_template": "# yours"}, expected_revision=revision)
    assert isinstance(outcome, Conflict)
    assert outcome.entry.question.answer_template == "# mine"


def test_two_windows_do_not_overwrite_a_benchmark(desk: BenchmarkEditor, benchmark: int) -> None:
    opened = desk.open_benchmark(benchmark)
    saved = desk.edit_benchmark(benchmark, {"description": "Sums"}, expected_revision=opened.revision)
    assert isinstance(saved, Saved)
    outcome = desk.edit_benchmark(benchmark, {"description": "Products"}, expected_revision=opened.revision)
    assert isinstance(outcome, BenchmarkConflict)
    assert (outcome.document.description, outcome.revision) == ("Sums", saved.revision)
    assert desk.benchmark(benchmark).revision == saved.revision
    assert desk.frame(benchmark).description == "Sums"


def test_an_edit_of_a_question_is_an_edit_of_its_benchmark(
    desk: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    before = desk.open_benchmark(benchmark).revision
    desk.edit(benchmark, question.summary.number, {"answer_notes": "six sevens"})
    assert isinstance(desk.edit_benchmark(benchmark, {"version": "2"}, expected_revision=before), BenchmarkConflict)


def test_other_windows_hear_of_every_edit(desk: BenchmarkEditor, benchmark: int) -> None:
    heard: list[Change] = []
    unsubscribe = desk.on_change(heard.append)
    number = desk.add_question(benchmark, "New?").summary.number
    desk.edit(benchmark, number, {"raw_answer": "yes"})
    desk.restore_questions(benchmark, desk.delete_questions(benchmark, [number]))
    desk.set_finished(benchmark, [number], True)
    desk.edit_benchmark(benchmark, {"name": "sums"})
    kinds = ["added", "edited", "removed", "added", "edited"]
    assert heard == [*(Change(benchmark, kind, number) for kind in kinds), Change(benchmark, "edited")]
    unsubscribe()
    desk.edit(benchmark, number, {"raw_answer": "no"})
    assert len(heard) == 6


def test_a_deleted_question_comes_back_with_its_address(
    desk: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    numbers = desk.delete_questions(benchmark, [question.summary.number])
    with pytest.raises(NotFoundError):
        desk.question(benchmark, question.summary.number)
    assert [each.number for each in desk.deleted_questions(benchmark)] == numbers == [question.summary.number]
    desk.restore_questions(benchmark, numbers)
    assert desk.question(benchmark, question.summary.number) == question


def test_of_many_questions_other_windows_hear_once(desk: BenchmarkEditor, benchmark: int) -> None:
    ids = [desk.add_question(benchmark, f"Question {number}?").summary.number for number in range(20)]
    for each in ids:
        desk.edit(benchmark, each, {"answer_template": TEMPLATE})
    heard: list[Change] = []
    desk.on_change(heard.append)
    numbers = desk.delete_questions(benchmark, ids)
    assert len(desk.restore_questions(benchmark, numbers).numbers) == 20
    desk.set_finished(benchmark, ids, True)
    desk.check_all(benchmark)
    assert heard == [Change(benchmark, "replaced")] * 4


def test_a_copy_stands_below_its_original_with_everything_but_its_state(
    desk: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    desk.edit(
        benchmark, question.summary.number, {"answer_template": TEMPLATE, "keywords": ["times"], "finished": True}
    )
    desk.add_question(benchmark, "Another?")
    copy = desk.duplicate_question(benchmark, question.summary.number)
    again = desk.duplicate_question(benchmark, question.summary.number)
    rows = [(row.text, bool(row.id)) for row in desk.questions(benchmark)]
    copied = ("What is 6 x 7?", False)
    assert rows == [("What is 6 x 7?", True), copied, copied, ("Another?", True)]
    assert (copy.entry.question.answer_template, copy.entry.question.keywords) == (TEMPLATE, ["times"])
    assert not copy.entry.finished
    assert copy.summary.number != again.summary.number


def test_the_same_text_twice_is_refused_with_the_question_that_has_it(
    desk: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    with pytest.raises(DuplicateQuestionError, match=r"Question 1 \(“What is 6 x 7\?”\) has the same text"):
        desk.add_question(benchmark, "What is 6 x 7?")


def test_what_stands_against_finishing_is_said(desk: BenchmarkEditor, benchmark: int) -> None:
    number = desk.add_question(benchmark, "What is 6 x 7?").summary.number
    assert desk.obstacles(benchmark, number) == [
        "No reference answer.", "No answer template: only the rubric can be evaluated.",
    ]  # fmt: skip
    desk.edit(benchmark, number, {"raw_answer": "42", "answer_template": "class Answer(BaseAnswer):\n    x: int ="})
    assert desk.obstacles(benchmark, number) == ["The answer template has an error in line 2."]
    desk.edit(benchmark, number, {"answer_template": TEMPLATE})
    assert desk.obstacles(benchmark, number) == []


def test_a_check_is_remembered_in_the_list(desk: BenchmarkEditor, benchmark: int, question: OpenQuestion) -> None:
    broken = desk.add_question(benchmark, "Broken?").summary.number
    desk.edit(benchmark, question.summary.number, {"answer_template": TEMPLATE})
    desk.edit(benchmark, broken, {"answer_template": "class Answer(BaseAnswer:"})
    desk.add_question(benchmark, "Bare?")
    assert desk.check_all(benchmark) == 1
    assert desk.check_all(benchmark) == 0
    assert [row.template_valid for row in desk.questions(benchmark)] == [True, False, None]


def test_a_deleted_benchmark_is_restored_with_its_questions(
    desk: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    desk.delete_benchmark(benchmark)
    assert desk.benchmarks() == []
    desk.restore_benchmark(benchmark)
    assert desk.questions(benchmark) == [question.summary]


def test_a_benchmark_goes_out_as_a_file_and_comes_back_the_same(
    desk: BenchmarkEditor, benchmark: int, question: OpenQuestion, tmp_path: Path
) -> None:
    metadata = {"answer_notes": "ß", "author": {"name": "Ada"}, "sources": [{"url": "https://example.org"}]}
    desk.edit(benchmark, question.summary.number, {"answer_template": TEMPLATE, "finished": True, **metadata})
    path = desk.files.export_benchmark(benchmark, tmp_path / "out.jsonld")
    imported = desk.files.import_benchmark(path)
    assert imported.notes == []
    (row,) = desk.questions(imported.benchmark_id)
    arrived = desk.question(imported.benchmark_id, row.number).entry.question
    assert {name: getattr(arrived, name) for name in metadata} == metadata
    assert row.finished
    again = desk.files.export_benchmark(imported.benchmark_id, tmp_path / "again.jsonld")
    assert again.read_bytes() == path.read_bytes()


def test_questions_of_a_table_are_added_once(
    desk: BenchmarkEditor, benchmark: int, question: OpenQuestion, tmp_path: Path
) -> None:
    table = tmp_path / "sums.csv"
    table.write_text("question,answer\nWhat is 6 x 7?,42\nWhat is 1 + 1?,2\n,3\nWhat is 1 + 1?,2\n")
    imported = desk.files.import_questions(benchmark, table, ImportPlan(question="question", raw_answer="answer"))
    assert imported.added == [desk.number_of(benchmark, question_fingerprint("What is 1 + 1?"))]
    assert [(known.row, known.sameness) for known in imported.known] == [(2, "same")]
    assert [row.row for row in imported.report.refused] == [4]
    assert [row.row for row in imported.report.duplicates] == [5]
    assert [(row.text, row.finished) for row in desk.questions(benchmark)] == [
        ("What is 6 x 7?", False),
        ("What is 1 + 1?", False),
    ]
