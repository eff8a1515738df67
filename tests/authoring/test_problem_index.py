"""Problems of a whole benchmark: the same as on the checklist of each question, also after any edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from karenina_gui.app import _check_traits
from karenina_gui.authoring import problem_index
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.problem_index import BenchmarkProblem, ProblemIndex, ProblemReport
from karenina_gui.schemas.rubric import Rubric
from tests.examples import examples
from tests.template_texts import NUMBER
from tests.until import comes

LEAKY = NUMBER.replace("The number.", "The number, such as 3042 or 42.").replace("42,", "3042,")
BROKEN = "class Answer("
TRAIT = {"name": "depth", "description": "How deep?", "kind": "boolean"}
TEMPLATES = (None, NUMBER, LEAKY, BROKEN)


class Indexed:
    """A benchmark with its index."""

    def __init__(self, editor: BenchmarkEditor, index: ProblemIndex) -> None:
        self.editor, self.index = editor, index
        self.benchmark = editor.create_benchmark("Indexed")

    def add(self, text: str, **changes: Any) -> int:
        number = self.editor.add_question(self.benchmark, text, "42").summary.number
        self.edit(number, **changes)
        return number

    def edit(self, number: int, **changes: Any) -> None:
        if changes:
            self.editor.edit(self.benchmark, number, changes)

    def report(self) -> ProblemReport:
        assert comes(lambda: self.index.report(self.benchmark).complete)
        return self.index.report(self.benchmark)

    def problems(self, severity: str = "") -> list[BenchmarkProblem]:
        return [each for each in self.report().problems if severity in ("", each.severity)]

    def texts(self, number: int | None = None) -> list[str]:
        return [each.item.text for each in self.report().problems if number in (None, each.number)]


@pytest.fixture
def indexed(editor: BenchmarkEditor, monkeypatch: pytest.MonkeyPatch) -> Iterator[Indexed]:
    monkeypatch.setattr(problem_index, "SETTLED", 0.0)
    index = ProblemIndex(editor, _check_traits)
    yield Indexed(editor, index)
    index.close()


def test_problems_of_all_parts_are_listed_in_the_order_of_the_questions(indexed: Indexed) -> None:
    broken = indexed.add("First?", answer_template=BROKEN)
    leaky = indexed.add("Second?", answer_template=LEAKY, raw_answer="", workspace_path="task")
    found = [
        (each.number, each.position, each.part, each.severity, each.item.tab, each.item.anchor)
        for each in indexed.problems()
        if each.severity != "note"
    ]
    assert found == [
        (broken, 1, "template", "error", "template", "line:1"),
        (leaky, 2, "question", "error", "question", "raw_answer"),
        (leaky, 2, "template", "warning", "template", "line:2"),
        (leaky, 2, "workspace", "error", "workspace", ""),
    ]
    (error,) = [each for each in indexed.problems() if each.number == broken and each.severity == "error"]
    assert error.item.text == "The answer template has an error." and error.item.detail


def test_traits_are_held_to_the_rules_of_their_forms(indexed: Indexed) -> None:
    number = indexed.add("First?", answer_template=NUMBER)
    indexed.edit(number, question_rubric={"llm_traits": [{**TRAIT, "description": ""}]})
    assert "Trait “depth”: Describe what to look for. Otherwise the judge sees only the name." in indexed.texts(number)
    rubric = Rubric.model_validate({"llm_traits": [TRAIT]})
    indexed.editor.edit_benchmark(indexed.benchmark, {"rubric": rubric})
    (clash,) = [each for each in indexed.problems("error") if each.number == number]
    assert (clash.part, clash.item.anchor) == ("rubric", "trait:depth")
    assert "is also a trait of the benchmark" in clash.item.text


def test_a_problem_of_the_benchmark_itself_comes_first(indexed: Indexed) -> None:
    indexed.add("First?")
    rubric = Rubric.model_validate({"llm_traits": [{**TRAIT, "description": ""}]})
    indexed.editor.edit_benchmark(indexed.benchmark, {"rubric": rubric})
    first = indexed.problems()[0]
    assert (first.number, first.position, first.part) == (None, 0, "rubric")


def test_an_edited_finished_question_waits_for_its_review(indexed: Indexed) -> None:
    number = indexed.add("First?", answer_template=NUMBER)
    indexed.editor.reviews.finish(indexed.benchmark, [number], "Grace")
    indexed.edit(number, raw_answer="43")
    assert "Changed since it was finished. Review it again." in indexed.texts(number)
    indexed.editor.reviews.return_to_author(indexed.benchmark, number, "Grace", "Which base?")
    assert "Returned to its author." in indexed.texts(number)


def test_only_edited_templates_are_checked_again(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [indexed.add(f"{place}?", answer_template=NUMBER) for place in range(5)]
    assert len(indexed.problems()) == 5
    checked: list[str | None] = []
    check = indexed.editor.check_entry

    def note(entry: Any, *, trusted: bool) -> Any:
        checked.append(entry.question.question)
        return check(entry, trusted=trusted)

    monkeypatch.setattr(indexed.editor, "check_entry", note)
    indexed.edit(numbers[1], question="Another?")
    assert "No reference answer." not in indexed.texts()
    indexed.edit(numbers[3], answer_template=BROKEN)
    assert [each.number for each in indexed.problems("error")] == [numbers[3]]
    assert checked == ["3?"]


def test_a_benchmark_that_was_deleted_and_restored_is_looked_at_again(indexed: Indexed) -> None:
    indexed.add("First?")
    assert indexed.report().total == 1
    indexed.editor.delete_benchmark(indexed.benchmark)
    assert indexed.index.peek(indexed.benchmark) is None
    indexed.editor.restore_benchmark(indexed.benchmark)
    assert indexed.texts() == [
        "No answer template. Choose a starter on the tab Template; until then, only the rubric can be evaluated."
    ]


CHANGES = st.one_of(
    st.fixed_dictionaries({"answer_template": st.sampled_from(TEMPLATES)}),
    st.fixed_dictionaries({"raw_answer": st.sampled_from(["", "42"])}),
    st.fixed_dictionaries({"workspace_path": st.sampled_from([None, "task"])}),
    st.fixed_dictionaries({"question_rubric": st.sampled_from([None, {"llm_traits": [TRAIT]}])}),
    st.just({"finished": True}),
)


@settings(max_examples=examples(8, 25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(st.integers(0, 3), CHANGES), max_size=12), checked=st.integers(0, 11))
def test_after_any_edits_the_index_agrees_with_each_checklist(
    indexed: Indexed, edits: list[tuple[int, Mapping[str, Any]]], checked: int
) -> None:
    indexed.benchmark = indexed.editor.create_benchmark("Any")
    numbers = [indexed.add(f"{place}?") for place in range(4)]
    for at, (place, changes) in enumerate(edits):
        indexed.edit(numbers[place], **changes)
        if at == checked:
            indexed.report()
    for number in numbers:
        items = indexed.editor.reviews.checklist(indexed.benchmark, number)
        wanted = sorted(item.text for item in items if item.state != "done")
        extra = ("Changed since", "Returned", "Trait ")
        assert sorted(text for text in indexed.texts(number) if not text.startswith(extra)) == wanted
