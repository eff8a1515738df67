"""Questions of a file meet those that the benchmark has."""

from __future__ import annotations

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.formats.tables.question_import import ImportedQuestion, ImportReport
from karenina_gui.schemas.question import Question, question_fingerprint


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    made = editor.create_benchmark("known")
    edited = editor.add_question(made, "Why not?", "a").summary.number
    editor.edit(made, edited, {"id": question_fingerprint("Why?")})
    editor.add_question(made, "How?", "b")
    return made


def report(*questions: Question) -> ImportReport:
    return ImportReport([ImportedQuestion(row, question) for row, question in enumerate(questions, 2)])


def test_a_question_is_known_by_its_id_or_by_its_exact_text(editor: BenchmarkEditor, benchmark: int) -> None:
    questions = [
        Question(question="How?", raw_answer="b"),
        Question(question="How?", raw_answer="c", id="own"),
        Question(question="Why?", raw_answer="a"),
        Question(question="Why not?", raw_answer="z"),
        Question(question="How? ", raw_answer="b"),
    ]
    known = editor.files.known_questions(benchmark, report(*questions))
    assert [(each.row, each.sameness) for each in known] == [(2, "same"), (4, "other_text"), (5, "other_answer")]
    done = editor.files.add_questions(benchmark, report(*questions))
    assert done.added == [editor.library.questions.number_of(benchmark, each) for each in ("own", questions[4].id)]
    assert [row.text for row in editor.library.questions.summaries(benchmark)] == ["Why not?", "How?", "How?", "How? "]


def test_an_import_is_taken_back_by_deleting_what_it_added(editor: BenchmarkEditor, benchmark: int) -> None:
    done = editor.files.add_questions(benchmark, report(Question(question="Who?", raw_answer="d")))
    assert len(editor.delete_questions(benchmark, done.added)) == 1
    assert [row.text for row in editor.library.questions.summaries(benchmark)] == ["Why not?", "How?"]
