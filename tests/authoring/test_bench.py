"""Test bench of templates: sample answers, and what is stored about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karenina_gui.authoring import benchmark_editor
from karenina_gui.authoring.bench import needs_judge, run_samples
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.errors import InputError
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.canonical import question_hash
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import (
    SAMPLE_ANSWERS,
    SampleAnswer,
    SampleToRead,
    TemplateTest,
    sample_answers,
    samples_in,
    with_samples,
)
from karenina_gui.store.library import Library

DOSE = """class Answer(BaseAnswer):
    dose: float = VerifiedField(
        description="The dose in mg.", ground_truth=300, verify_with=NumericTolerance(tolerance=0.05, mode="relative")
    )
"""
OWN = """class Answer(BaseAnswer):
    gene: str = Field(description="The gene.")

    def ground_truth(self):
        self.correct = {"gene": "TP53"}

    def verify(self) -> bool:
        return self.gene == self.correct["gene"]
"""
PATTERN = """class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"code": {"pattern": r"A10BA02", "expected": "A10BA02", "match_type": "exact"}}
"""
LENIENT = """class Answer(BaseAnswer):
    dose: float = VerifiedField(
        description="The dose in mg.", ground_truth=300, verify_with=NumericMinimum()
    )

    def verify(self) -> bool:
        return True
"""


def sample(values: dict[str, Any] | None = None, *, passes: bool = True, **fields: Any) -> SampleAnswer:
    return SampleAnswer(**{"text": "An answer.", **fields}, passes=passes, values=values)


def states(sandbox: Sandbox, source: str, *samples: SampleAnswer) -> list[str]:
    playground = TemplatePlayground(sandbox)
    outline = playground.check(source)
    assert outline.valid, outline.problems
    return [each.state for each in run_samples(playground, source, outline, samples)]


def test_verdicts_are_compared_with_the_expected_ones(sandbox: Sandbox) -> None:
    right, wrong = {"dose": 310.0}, {"dose": 30}
    found = states(
        sandbox, DOSE, sample(right), sample(wrong), sample(wrong, passes=False), sample(right, passes=False), sample()
    )
    assert found == ["as_expected", "unexpected", "as_expected", "unexpected", "unread"]


def test_values_of_another_template_are_used_as_far_as_they_go(sandbox: Sandbox) -> None:
    assert states(sandbox, DOSE, sample({"dose": 300, "route": "oral"}), sample({"amount": 300})) == [
        "as_expected",
        "unread",
    ]
    assert states(sandbox, DOSE, sample({"dose": "three tablets"})) == ["error"]


@pytest.mark.parametrize(("source", "field"), [(DOSE, "dose"), (OWN, "gene")])
def test_an_open_value_fails(sandbox: Sandbox, source: str, field: str) -> None:
    assert states(sandbox, source, sample({field: None}, passes=False)) == ["as_expected"]


def test_an_empty_answer_needs_no_judge(sandbox: Sandbox) -> None:
    empty = sample(passes=False, kind="empty", text="")
    assert states(sandbox, DOSE, empty) == ["as_expected"]
    outline = TemplatePlayground(sandbox).check(DOSE)
    assert not needs_judge(empty, outline)
    assert needs_judge(sample(), outline)


def test_patterns_are_tested_on_the_text(sandbox: Sandbox) -> None:
    assert states(sandbox, PATTERN, sample(text="A10BA02"), sample(text="A10", passes=False)) == ["as_expected"] * 2


def test_a_thought_before_a_sample_is_not_tested(sandbox: Sandbox) -> None:
    thought = sample(text="<think>A10BA02, or rather not?</think>A10", passes=False)
    assert states(sandbox, PATTERN, thought) == ["as_expected"]
    assert TemplatePlayground(sandbox).try_answer(PATTERN, thought.text).regex.success is False


@pytest.fixture
def question(editor: BenchmarkEditor) -> tuple[int, int]:
    """A question with a template and three samples: (benchmark, number)."""
    benchmark = editor.create_benchmark("Doses")
    number = editor.add_question(benchmark, "Which dose?", "300 mg").summary.number
    samples = [sample({"dose": 300}), sample({"dose": 30}), sample(text="300 mg, I think.")]
    metadata = with_samples({"difficulty": "easy"}, samples)
    editor.edit(benchmark, number, {"answer_template": DOSE, "custom_metadata": metadata})
    return benchmark, number


def stored(editor: BenchmarkEditor, question: tuple[int, int]) -> tuple[int, int | None, int | None, str | None]:
    row = editor.library.questions.summary(*question)
    return row.samples, row.samples_wrong, row.samples_unread, row.mutation


def test_results_are_stored_until_template_or_samples_change(
    editor: BenchmarkEditor, question: tuple[int, int]
) -> None:
    assert stored(editor, question) == (3, None, None, None)
    editor.check_all(question[0])
    assert stored(editor, question) == (3, 1, 1, "fine")
    editor.edit(*question, {"raw_answer": "300 milligrams"})
    assert stored(editor, question) == (3, 1, 1, "fine")
    metadata = editor.question(*question).entry.question.custom_metadata
    editor.edit(*question, {"custom_metadata": with_samples(metadata, [sample({"dose": 290})])})
    assert stored(editor, question) == (1, None, None, "fine")
    editor.check_question(*question)
    assert stored(editor, question) == (1, 0, 0, "fine")
    editor.edit(*question, {"answer_template": LENIENT})
    assert stored(editor, question) == (1, None, None, None)
    editor.check_all(question[0])
    assert stored(editor, question) == (1, 0, 0, "accepts_wrong")
    editor.edit(*question, {"answer_template": "class Answer("})
    editor.check_all(question[0])
    assert stored(editor, question) == (1, 0, 1, None)


def test_templates_of_every_kind_are_tested_in_batches(
    editor: BenchmarkEditor, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = (DOSE, PATTERN, OWN, f"import difflib\n{OWN}", "class Answer(BaseAnswer):\n    x: int = (\n", "")
    samples = with_samples(None, [sample({"dose": 30, "gene": "TP53"}, text="A10BA02")])
    questions = [
        Question(question=f"{number}?", raw_answer="TP53", answer_template=source, custom_metadata=samples)
        for number, source in enumerate(sources)
    ]
    entries = [BenchmarkEntry(question=question, finished=False) for question in questions]
    benchmark = library.benchmarks.create(BenchmarkDocument(name="kinds", entries=entries))
    monkeypatch.setattr(benchmark_editor, "CHECKED_AT_ONCE", 2)
    assert editor.check_all(benchmark) == 1
    rows = library.questions.summaries(benchmark)
    assert [row.template_valid for row in rows] == [True, True, True, True, False, None]
    assert [row.samples_wrong for row in rows] == [1, 0, 0, 0, 0, None]


def test_a_test_of_an_older_text_is_not_stored(editor: BenchmarkEditor, question: tuple[int, int]) -> None:
    before = editor.question(*question).entry.question
    editor.check_question(*question)
    editor.edit(*question, {"custom_metadata": with_samples(before.custom_metadata, [])})
    editor.library.questions.note_template_tests(question[0], [(question[1], before, TemplateTest(True, wrong=1))])
    assert stored(editor, question) == (0, None, None, None)


def test_samples_travel_with_files_and_copies_but_not_into_the_hash(
    editor: BenchmarkEditor, question: tuple[int, int], tmp_path: Path, library: Library
) -> None:
    path = editor.files.export_benchmark(question[0], tmp_path / "doses.jsonld")
    copy = editor.files.import_benchmark(path).benchmark_id
    (there,) = library.benchmarks.document(copy).entries
    here = editor.question(*question).entry.question
    assert sample_answers(there.question) == sample_answers(here)
    assert library.questions.summaries(copy)[0].samples == 3
    assert there.question.custom_metadata == here.custom_metadata
    bare = here.model_copy(update={"custom_metadata": {"difficulty": "easy"}})
    assert question_hash(bare) == question_hash(here)
    assert question_hash(bare) != question_hash(here.model_copy(update={"custom_metadata": None}))
    again = editor.duplicate_question(*question)
    assert sample_answers(again.entry.question) == sample_answers(here)


def test_samples_to_read_are_those_without_values_for_the_template(
    editor: BenchmarkEditor, question: tuple[int, int]
) -> None:
    editor.add_question(question[0], "Another?", "x")
    (unread,) = editor.samples.to_read(question[0])
    assert (unread.number, unread.sample.text) == (question[1], "300 mg, I think.")
    assert editor.samples.keep_extraction(question[0], unread, {"dose": 300.0}, "judge")
    assert editor.samples.to_read(question[0]) == []
    kept = sample_answers(editor.question(*question).entry.question)[2]
    assert (kept.values, kept.judge) == ({"dose": 300.0}, "judge")
    assert stored(editor, question) == (3, 1, 0, "fine")


def test_values_for_an_edited_text_are_dropped(editor: BenchmarkEditor, question: tuple[int, int]) -> None:
    (unread,) = editor.samples.to_read(question[0])
    other = unread.sample.model_copy(update={"text": "Another text."})
    assert not editor.samples.keep_extraction(question[0], SampleToRead(question[1], unread.question, other), {}, "j")
    editor.delete_questions(question[0], [question[1]])
    assert not editor.samples.keep_extraction(question[0], unread, {"dose": 1.0}, "judge")


def test_an_answer_is_added_once(editor: BenchmarkEditor, question: tuple[int, int]) -> None:
    answer = sample({"dose": 1.0}, text="One milligram.", passes=False)
    editor.samples.add(*question, answer)
    with pytest.raises(InputError, match="already"):
        editor.samples.add(*question, sample(text="One milligram."))
    assert len(sample_answers(editor.question(*question).entry.question)) == 4
    editor.samples.remove(*question, answer.id)
    assert len(sample_answers(editor.question(*question).entry.question)) == 3


def test_metadata_that_only_has_the_name_is_left_alone() -> None:
    foreign = {SAMPLE_ANSWERS: "see the appendix"}
    assert samples_in(foreign) is None
    assert sample_answers(Question(question="q", raw_answer="a", custom_metadata=foreign)) == []
    with pytest.raises(InputError, match="Rename it"):
        with_samples(foreign, [sample()])
    assert samples_in({SAMPLE_ANSWERS: [{"kind": "no such kind"}]}) is None
