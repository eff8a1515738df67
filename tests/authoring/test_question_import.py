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


def test_near_duplicates_of_the_benchmark_wait_for_a_decision(editor: BenchmarkEditor, benchmark: int) -> None:
    found = report(Question(question="HOW ?", raw_answer="b"), Question(question="How", raw_answer="b"))
    assert editor.files.known_questions(benchmark, found) == []
    found.kept_rows = frozenset({2})
    known = editor.files.known_questions(benchmark, report(*found.questions))
    assert known == []
    (first, second) = editor.files.known_questions(benchmark, found)
    assert (first.sameness, second.sameness) == ("near", "near")
    assert first.difference == "upper and lower case and the punctuation at the end"
    done = editor.files.add_questions(benchmark, found)
    assert [editor.question(benchmark, number).entry.question.question for number in done.added] == ["HOW ?"]


def test_another_reference_answer_is_taken_over_where_asked_and_brought_back(
    editor: BenchmarkEditor, benchmark: int
) -> None:
    found = report(Question(question="How?", raw_answer="new"), Question(question="Who?", raw_answer="d"))
    assert editor.files.add_questions(benchmark, found).updated == {}
    found.updated = frozenset({2})
    done = editor.files.add_questions(benchmark, found)
    (number,) = done.updated
    assert done.updated == {number: "b"}
    assert editor.question(benchmark, number).entry.question.raw_answer == "new"
    editor.files.set_reference_answers(benchmark, done.updated)
    assert editor.question(benchmark, number).entry.question.raw_answer == "b"


DOSE = "Which dose of ibuprofen is the maximum per day?"


def test_similar_questions_come_in_unless_they_are_skipped_or_update_an_answer(
    editor: BenchmarkEditor, benchmark: int
) -> None:
    there = editor.add_question(benchmark, DOSE, "2400 mg")
    found = report(
        Question(question=DOSE.replace("per", "a"), raw_answer="2.4 g"),
        Question(question=DOSE.replace("ibuprofen", "ibuprofin"), raw_answer="2400 mg"),
        Question(question="Which gene is mutated in cystic fibrosis?", raw_answer="CFTR"),
        Question(question="Which genes are mutated in cystic fibrosis?", raw_answer="CFTR"),
        Question(question=DOSE, raw_answer="2400 mg"),
    )
    known = editor.files.known_questions(benchmark, found)
    similar = {each.row: each for each in editor.files.similar_questions(benchmark, found, known)}
    assert {row: (each.question_id, each.other_row) for row, each in similar.items()} == {
        2: (there.entry.id, None),
        3: (there.entry.id, None),
        5: (None, 4),
    }
    assert (similar[2].text, similar[2].answer) == (DOSE, "2400 mg")
    found.skipped, found.answer_targets = frozenset({5}), {2: there.entry.id}
    done = editor.files.add_questions(benchmark, found)
    texts = [editor.question(benchmark, number).entry.question.question for number in done.added]
    assert texts == [found.questions[1].question, found.questions[2].question]
    assert editor.question(benchmark, there.summary.number).entry.question.raw_answer == "2.4 g"
    assert done.updated == {there.summary.number: "2400 mg"}
