from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor, OpenQuestion
from karenina_gui.authoring.changes import Change
from karenina_gui.errors import DuplicateQuestionError, InputError, NotFoundError
from karenina_gui.formats.tables.question_import import ImportPlan
from karenina_gui.schemas.edits import BenchmarkConflict, Conflict, Saved
from karenina_gui.schemas.question import question_fingerprint
from karenina_gui.store.library import Library
from tests.template_texts import NUMBER


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    return editor.create_benchmark("arithmetic")


@pytest.fixture
def question(editor: BenchmarkEditor, benchmark: int) -> OpenQuestion:
    return editor.add_question(benchmark, "What is 6 x 7?", raw_answer="42")


def test_a_new_question_is_unfinished_and_named_by_its_text(question: OpenQuestion) -> None:
    assert question.entry.id == question_fingerprint("What is 6 x 7?")
    assert not question.entry.finished
    assert not question.summary.has_template


def test_an_edit_is_in_the_library_when_the_call_returns(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion, tmp_path: Path
) -> None:
    saved = editor.edit(benchmark, question.summary.number, {"answer_notes": "six sevens", "keywords": ["times"]})
    assert isinstance(saved, Saved)
    with Library.open(tmp_path / "data") as elsewhere:
        entry = elsewhere.questions.entry(benchmark, question.summary.number)
    assert (entry.question.answer_notes, entry.question.keywords) == ("six sevens", ["times"])


def test_a_refused_edit_changes_nothing(editor: BenchmarkEditor, benchmark: int, question: OpenQuestion) -> None:
    with pytest.raises(InputError, match="outside the workspace root"):
        editor.edit(benchmark, question.summary.number, {"workspace_path": "/etc", "raw_answer": "43"})
    assert editor.question(benchmark, question.summary.number) == question


def test_two_windows_do_not_overwrite_each_other(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    revision = question.summary.revision
    editor.edit(benchmark, question.summary.number, {"answer_template": "# mine"}, expected_revision=revision)
    outcome = editor.edit(
        benchmark, question.summary.number, {"answer_template": "# yours"}, expected_revision=revision
    )
    assert isinstance(outcome, Conflict)
    assert outcome.entry.question.answer_template == "# mine"


def test_two_windows_do_not_overwrite_a_benchmark(editor: BenchmarkEditor, benchmark: int) -> None:
    opened = editor.open_benchmark(benchmark)
    saved = editor.edit_benchmark(benchmark, {"description": "Sums"}, expected_revision=opened.revision)
    assert isinstance(saved, Saved)
    outcome = editor.edit_benchmark(benchmark, {"description": "Products"}, expected_revision=opened.revision)
    assert isinstance(outcome, BenchmarkConflict)
    assert (outcome.document.description, outcome.revision) == ("Sums", saved.revision)
    assert editor.library.benchmarks.summary(benchmark).revision == saved.revision
    assert editor.library.benchmarks.frame(benchmark).description == "Sums"


def test_an_edit_of_a_question_is_an_edit_of_its_benchmark(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    before = editor.open_benchmark(benchmark).revision
    editor.edit(benchmark, question.summary.number, {"answer_notes": "six sevens"})
    assert isinstance(editor.edit_benchmark(benchmark, {"version": "2"}, expected_revision=before), BenchmarkConflict)


def test_other_windows_hear_of_every_edit(editor: BenchmarkEditor, benchmark: int) -> None:
    heard: list[Change] = []
    unsubscribe = editor.changed.subscribe(heard.append)
    number = editor.add_question(benchmark, "New?").summary.number
    editor.edit(benchmark, number, {"raw_answer": "yes"})
    editor.restore_questions(benchmark, editor.delete_questions(benchmark, [number]))
    editor.set_finished(benchmark, [number], True)
    editor.edit_benchmark(benchmark, {"name": "sums"})
    kinds = ["added", "edited", "removed", "added", "edited"]
    assert [(change.kind, change.number) for change in heard] == [*((kind, number) for kind in kinds), ("edited", None)]
    unsubscribe()
    editor.edit(benchmark, number, {"raw_answer": "no"})
    assert len(heard) == 6


def test_a_deleted_question_comes_back_with_its_address(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    numbers = editor.delete_questions(benchmark, [question.summary.number])
    with pytest.raises(NotFoundError):
        editor.question(benchmark, question.summary.number)
    assert (
        [each.number for each in editor.library.questions.list_deleted(benchmark)]
        == numbers
        == [question.summary.number]
    )
    editor.restore_questions(benchmark, numbers)
    assert editor.question(benchmark, question.summary.number) == question


def test_of_many_questions_other_windows_hear_once(editor: BenchmarkEditor, benchmark: int) -> None:
    ids = [editor.add_question(benchmark, f"Question {number}?").summary.number for number in range(20)]
    for each in ids:
        editor.edit(benchmark, each, {"answer_template": NUMBER})
    heard: list[Change] = []
    editor.changed.subscribe(heard.append)
    numbers = editor.delete_questions(benchmark, ids)
    assert len(editor.restore_questions(benchmark, numbers).numbers) == 20
    editor.set_finished(benchmark, ids, True)
    editor.check_all(benchmark)
    assert heard == [Change(benchmark, "replaced")] * 4


def test_a_copy_stands_below_its_original_with_everything_but_its_state(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    editor.edit(
        benchmark, question.summary.number, {"answer_template": NUMBER, "keywords": ["times"], "finished": True}
    )
    editor.add_question(benchmark, "Another?")
    copy = editor.duplicate_question(benchmark, question.summary.number)
    again = editor.duplicate_question(benchmark, question.summary.number)
    rows = [(row.text, bool(row.id)) for row in editor.library.questions.summaries(benchmark)]
    copied = ("What is 6 x 7?", False)
    assert rows == [("What is 6 x 7?", True), copied, copied, ("Another?", True)]
    assert (copy.entry.question.answer_template, copy.entry.question.keywords) == (NUMBER, ["times"])
    assert not copy.entry.finished
    assert copy.summary.number != again.summary.number


def test_the_same_text_twice_is_refused_with_the_question_that_has_it(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    with pytest.raises(DuplicateQuestionError, match=r"Question 1 \(“What is 6 x 7\?”\) has the same text"):
        editor.add_question(benchmark, "What is 6 x 7?")


def test_what_stands_against_finishing_is_said(editor: BenchmarkEditor, benchmark: int) -> None:
    number = editor.add_question(benchmark, "What is 6 x 7?").summary.number
    assert editor.obstacles(benchmark, number) == [
        "No reference answer.",
        "No answer template. Choose a starter on the tab Template; until then, only the rubric can be evaluated.",
    ]
    editor.edit(benchmark, number, {"raw_answer": "42", "answer_template": "class Answer(BaseAnswer):\n    x: int ="})
    assert editor.obstacles(benchmark, number) == ["The answer template has an error."]
    editor.edit(benchmark, number, {"answer_template": NUMBER})
    assert editor.obstacles(benchmark, number) == []


def test_a_check_is_remembered_in_the_list(editor: BenchmarkEditor, benchmark: int, question: OpenQuestion) -> None:
    broken = editor.add_question(benchmark, "Broken?").summary.number
    editor.edit(benchmark, question.summary.number, {"answer_template": NUMBER})
    editor.edit(benchmark, broken, {"answer_template": "class Answer(BaseAnswer:"})
    editor.add_question(benchmark, "Bare?")
    assert editor.check_all(benchmark) == 1
    assert editor.check_all(benchmark) == 0
    assert [row.template_valid for row in editor.library.questions.summaries(benchmark)] == [True, False, None]


def test_a_deleted_benchmark_is_restored_with_its_questions(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion
) -> None:
    editor.delete_benchmark(benchmark)
    assert editor.library.benchmarks.summaries() == []
    editor.restore_benchmark(benchmark)
    assert editor.library.questions.summaries(benchmark) == [question.summary]


def test_a_benchmark_goes_out_as_a_file_and_comes_back_the_same(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion, tmp_path: Path
) -> None:
    metadata = {"answer_notes": "ß", "author": {"name": "Ada"}, "sources": [{"url": "https://example.org"}]}
    editor.edit(benchmark, question.summary.number, {"answer_template": NUMBER, "finished": True, **metadata})
    path = editor.files.export_benchmark(benchmark, tmp_path / "out.jsonld")
    imported = editor.files.import_benchmark(path)
    assert imported.notes == []
    (row,) = editor.library.questions.summaries(imported.benchmark_id)
    arrived = editor.question(imported.benchmark_id, row.number).entry.question
    assert {name: getattr(arrived, name) for name in metadata} == metadata
    assert row.finished
    again = editor.files.export_benchmark(imported.benchmark_id, tmp_path / "again.jsonld")
    assert again.read_bytes() == path.read_bytes()


def test_questions_of_a_table_are_added_once(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion, tmp_path: Path
) -> None:
    table = tmp_path / "sums.csv"
    table.write_text("question,answer\nWhat is 6 x 7?,42\nWhat is 1 + 1?,2\n,3\nWhat is 1 + 1?,2\n")
    imported = editor.files.import_questions(benchmark, table, ImportPlan(question="question", raw_answer="answer"))
    assert imported.added == [editor.library.questions.number_of(benchmark, question_fingerprint("What is 1 + 1?"))]
    assert [(known.row, known.sameness) for known in imported.existing] == [(2, "same")]
    assert [row.row for row in imported.report.refused] == [4]
    assert [row.row for row in imported.report.duplicates] == [5]
    assert [(row.text, row.finished) for row in editor.library.questions.summaries(benchmark)] == [
        ("What is 6 x 7?", False),
        ("What is 1 + 1?", False),
    ]


def test_a_duplicate_has_all_questions_and_shares_the_workspaces(
    editor: BenchmarkEditor, benchmark: int, tmp_path: Path
) -> None:
    editor.add_question(benchmark, "Why?", "Because.")
    editor.workspaces.set_root(benchmark, str(tmp_path / "tasks"), make=True)
    number = editor.library.questions.summaries(benchmark)[0].number
    editor.library.questions.set_finished(benchmark, [number], True, by="Ada")
    editor.edit(benchmark, number, {"raw_answer": "edited since"})
    first, second = editor.duplicate_benchmark(benchmark), editor.duplicate_benchmark(benchmark)
    library = editor.library
    original = library.benchmarks.document(benchmark)
    for copy, name in ((first, f"{original.name} (copy)"), (second, f"{original.name} (copy 2)")):
        document = library.benchmarks.document(copy)
        assert document.name == name
        assert document.entries == original.entries
        assert library.benchmarks.on_this_computer(copy).workspace_root == tmp_path / "tasks"
        reviews = [
            [(each.finished_by, each.changed_since_review) for each in library.questions.summaries(number)]
            for number in (benchmark, copy)
        ]
        assert reviews[0] == reviews[1] and ("Ada", True) in reviews[1]
    editor.edit(first, library.questions.summaries(first)[-1].number, {"raw_answer": "No reason."})
    assert library.benchmarks.document(benchmark) == original


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        ({"question": "What is 7 x 6?"}, True),
        ({"raw_answer": "forty-two"}, True),
        ({"answer_template": NUMBER}, True),
        ({"question_rubric": {"regex_traits": [{"name": "unit", "pattern": "mg"}]}}, True),
        ({"keywords": ["times"]}, False),
        ({"answer_notes": "six sevens"}, False),
        ({"raw_answer": "42"}, False),
    ],
)
def test_edits_of_what_was_reviewed_mark_a_finished_question(
    editor: BenchmarkEditor, benchmark: int, question: OpenQuestion, changes: dict[str, object], changed: bool
) -> None:
    number = question.summary.number
    editor.set_finished(benchmark, [number], True)
    finished_at = editor.question(benchmark, number).summary.finished_at
    assert finished_at is not None
    editor.edit(benchmark, number, changes)
    summary = editor.question(benchmark, number).summary
    assert (summary.finished, summary.changed_since_review, summary.finished_at) == (True, changed, finished_at)
    assert editor.set_finished(benchmark, [number], True) == int(changed)
    assert not editor.question(benchmark, number).summary.changed_since_review


def test_an_edit_taken_back_clears_the_mark(editor: BenchmarkEditor, benchmark: int, question: OpenQuestion) -> None:
    number, before = question.summary.number, question.entry.question.raw_answer
    editor.set_finished(benchmark, [number], True)
    marks = []
    for answer in ("41", "43", before):
        editor.edit(benchmark, number, {"raw_answer": answer})
        marks.append(editor.question(benchmark, number).summary.changed_since_review)
    assert marks == [True, True, False]
    # A new review is of what is there then.
    editor.edit(benchmark, number, {"raw_answer": "41"})
    editor.set_finished(benchmark, [number], True)
    editor.edit(benchmark, number, {"raw_answer": before})
    assert editor.question(benchmark, number).summary.changed_since_review


def test_an_unfinished_question_has_no_review(editor: BenchmarkEditor, benchmark: int, question: OpenQuestion) -> None:
    number = question.summary.number
    editor.edit(benchmark, number, {"raw_answer": "42!"})
    editor.edit(benchmark, number, {"finished": True})
    editor.edit(benchmark, number, {"raw_answer": "42"})
    assert editor.question(benchmark, number).summary.changed_since_review
    editor.edit(benchmark, number, {"finished": False})
    summary = editor.question(benchmark, number).summary
    assert (summary.changed_since_review, summary.finished_at) == (False, None)
