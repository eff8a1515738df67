"""Questions that repeat each other in one benchmark: found, resolved, and kept."""

from __future__ import annotations

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.duplicates import takeable
from karenina_gui.errors import InputError
from karenina_gui.schemas.command import Actor, benchmark_scope, sentence
from karenina_gui.schemas.question import PREVIOUS_IDS
from karenina_gui.schemas.sample_answer import SampleAnswer, sample_answers, with_samples
from karenina_gui.store.actors import acting
from tests.answered import answer

DOSE = "Which dose of ibuprofen is the maximum per day?"
CLOSE = "Which dose of ibuprofin is the maximum a day?"


@pytest.fixture
def benchmark(editor: BenchmarkEditor) -> int:
    return editor.create_benchmark("Doses")


def add(editor: BenchmarkEditor, benchmark: int, text: str, answer: str = "") -> int:
    return editor.add_question(benchmark, text, answer).summary.number


@pytest.fixture
def close(editor: BenchmarkEditor, benchmark: int) -> tuple[int, int]:
    """Two similar questions, among others."""
    add(editor, benchmark, "Who described the structure of DNA?")
    left = add(editor, benchmark, DOSE, "2400 mg")
    add(editor, benchmark, "Which gene is mutated in cystic fibrosis?")
    return left, add(editor, benchmark, CLOSE, "2.4 g")


def found(editor: BenchmarkEditor, benchmark: int) -> list[tuple[int, int]]:
    return [(pair.left, pair.right) for pair in editor.duplicates.pairs(benchmark)]


def last_command(editor: BenchmarkEditor, benchmark: int) -> str:
    return sentence(editor.library.commands.entries([benchmark_scope(benchmark)])[0])


def undo(editor: BenchmarkEditor, benchmark: int) -> None:
    assert editor.history.undo_last(benchmark_scope(benchmark), "") is not None


def test_the_difference_of_two_wordings_is_named(editor: BenchmarkEditor, benchmark: int) -> None:
    add(editor, benchmark, "Why not?")
    add(editor, benchmark, "Why  not")
    (pair,) = editor.duplicates.pairs(benchmark)
    assert (pair.kind, pair.difference) == ("wording", "spaces and the punctuation at the end")


def test_questions_of_one_text_and_two_ids_are_found(editor: BenchmarkEditor, benchmark: int) -> None:
    first = add(editor, benchmark, "Why?")
    second = editor.duplicate_question(benchmark, first).summary.number
    assert found(editor, benchmark) == []  # a copy that nobody has edited yet
    editor.edit(benchmark, second, {"id": "own"})
    assert [pair.kind for pair in editor.duplicates.pairs(benchmark)] == ["exact"]


def test_a_pair_that_is_kept_is_reported_again_once_a_text_changes(
    editor: BenchmarkEditor, benchmark: int, close: tuple[int, int]
) -> None:
    left, right = close
    assert found(editor, benchmark) == [close]
    editor.duplicates.keep_both(benchmark, right, left)
    assert found(editor, benchmark) == []
    assert last_command(editor, benchmark) == f"Confirmed the pair of similar questions “{CLOSE}”"
    editor.edit(benchmark, right, {"raw_answer": "2400 mg"})
    assert found(editor, benchmark) == []
    editor.edit(benchmark, right, {"question": CLOSE.replace("a day", "each day")})
    assert found(editor, benchmark) == [close]
    editor.duplicates.keep_both(benchmark, left, right)
    assert found(editor, benchmark) == []
    undo(editor, benchmark)
    assert found(editor, benchmark) == [close]


def test_one_question_is_deleted_and_the_other_gets_what_was_chosen_in_one_command(
    editor: BenchmarkEditor, benchmark: int, close: tuple[int, int]
) -> None:
    left, right = close
    samples = [SampleAnswer(kind="correct", text="2.4 grams")]
    changes = {"keywords": ["pain"], "answer_template": "# theirs", "custom_metadata": with_samples(None, samples)}
    editor.edit(benchmark, right, changes)
    editor.edit(benchmark, left, {"keywords": ["dose"], "answer_template": "# mine"})
    one, other = (editor.question(benchmark, number).entry.question for number in close)
    assert takeable(one, other) == ["raw_answer", "answer_template", "keywords", "samples"]
    editor.duplicates.keep_one(benchmark, left, right, ["raw_answer", "keywords", "samples"])
    kept = editor.question(benchmark, left).entry.question
    assert (kept.question, kept.raw_answer, kept.answer_template) == (DOSE, "2.4 g", "# mine")
    assert kept.keywords == ["dose", "pain"]
    assert sample_answers(kept) == samples
    assert found(editor, benchmark) == []
    assert last_command(editor, benchmark) == "Merged 2 questions"
    assert editor.question(benchmark, left).summary.template_valid is False  # checked with its new samples
    undo(editor, benchmark)
    for number, before in zip(close, (one, other), strict=True):
        after = editor.question(benchmark, number).entry.question
        assert after == before.model_copy(update={"date_modified": after.date_modified})


def test_results_of_the_deleted_question_stay_linked(
    editor: BenchmarkEditor, benchmark: int, close: tuple[int, int]
) -> None:
    left, right = close
    gone = editor.question(benchmark, right).entry.id
    run = answer(editor.library, benchmark, gone)
    editor.duplicates.keep_one(benchmark, left, right)
    kept = editor.question(benchmark, left).entry.question
    assert kept.custom_metadata == {PREVIOUS_IDS: [gone]}
    results = editor.library.results.of_question(benchmark, gone)
    assert [(each.run_id, each.results) for each in results.runs] == [(run, 1)]
    assert results.text == CLOSE
    editor.library.runs.delete(run)
    results = editor.library.results.of_question(benchmark, gone)
    assert (results.runs, results.deleted) == ((), 1)


def test_results_of_an_earlier_id_of_the_deleted_question_stay_linked(
    editor: BenchmarkEditor, benchmark: int, close: tuple[int, int]
) -> None:
    left, right = close
    earlier = editor.question(benchmark, right).entry.id
    answer(editor.library, benchmark, earlier)
    editor.edit(benchmark, right, {"id": "renamed"})
    assert editor.library.results.of_question(benchmark, "renamed").text is None
    editor.duplicates.keep_one(benchmark, left, right)
    assert editor.question(benchmark, left).entry.question.previous_ids == [earlier, "renamed"]


def test_a_question_without_results_is_deleted_and_nothing_else(
    editor: BenchmarkEditor, benchmark: int, close: tuple[int, int]
) -> None:
    left, right = close
    before = editor.question(benchmark, right)
    editor.duplicates.keep_one(benchmark, right, left)
    assert editor.question(benchmark, right) == before
    assert last_command(editor, benchmark) == f"Deleted “{DOSE}”"


def test_repetitions_are_listed_without_similar_questions_and_kept_ones(
    editor: BenchmarkEditor, benchmark: int, close: tuple[int, int]
) -> None:
    left, _ = close
    other = add(editor, benchmark, DOSE.upper())
    assert editor.duplicates.repeated_questions(benchmark) == [left, other]
    editor.duplicates.keep_both(benchmark, left, other)
    assert editor.duplicates.repeated_questions(benchmark) == []


def test_a_question_that_somebody_else_compared_is_not_taken_back(
    editor: BenchmarkEditor, benchmark: int, close: tuple[int, int]
) -> None:
    newest = editor.library.commands.entries([benchmark_scope(benchmark)])[0]
    with acting(Actor("other", "Bo")):
        editor.duplicates.keep_both(benchmark, *close)
    with pytest.raises(InputError, match="It was changed again by Bo"):
        editor.history.undo(newest.id)
    assert found(editor, benchmark) == []


def test_copied_samples_get_ids_of_their_own(editor: BenchmarkEditor, benchmark: int, close: tuple[int, int]) -> None:
    for number, text in zip(close, ("A", "B"), strict=True):
        metadata = with_samples(None, [SampleAnswer(id="s1", text=text)])
        editor.edit(benchmark, number, {"custom_metadata": metadata})
    editor.duplicates.keep_one(benchmark, *close, ["samples"])
    samples = sample_answers(editor.question(benchmark, close[0]).entry.question)
    assert [each.text for each in samples] == ["A", "B"]
    assert len({each.id for each in samples}) == 2
