"""Patterns and functions of traits are tried on texts; traits are found and copied between rubrics."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.trait_catalog import TraitCatalog, free_name
from karenina_gui.schemas.rubric.returned import misfit

UNIT = {"name": "unit", "pattern": "mg"}


@pytest.mark.parametrize(
    ("source", "words", "line"),
    [
        ("def f(text:\n", "", 1),
        ("import re\ndef f(text, other):\n    return True\n", "must take one text", 2),
        ("x = 1\n", "defines no function", None),
        ("raise ValueError('no')\ndef f(text):\n    return True\n", "no", 1),
    ],
)
def test_what_is_wrong_with_a_function_is_told_at_its_line(
    editor: BenchmarkEditor, source: str, words: str, line: int | None
) -> None:
    (problem,) = editor.traits(0).check_function(source)
    assert words in problem.message
    assert problem.line == line


def test_checking_a_function_does_not_call_it(editor: BenchmarkEditor) -> None:
    assert editor.traits(0).check_function("def f(text: str) -> bool:\n    return text[0] == 'a'\n") == []


def test_a_function_is_tried_on_a_text(editor: BenchmarkEditor) -> None:
    trait = {"kind": "boolean", "source": "def f(text):\n    return 'mg' in text\n"}
    assert editor.traits(0).try_function(trait, "400 mg").value is True
    failing = editor.traits(0).try_function(
        {"kind": "boolean", "source": "def f(text):\n    return text[9]\n"}, "short"
    )
    assert failing.problem and failing.line == 2


@pytest.mark.parametrize(
    ("trait", "value", "words"),
    [
        ({"kind": "boolean"}, True, None),
        ({"kind": "boolean"}, 1, "True or False"),
        ({"kind": "score", "min_score": 0, "max_score": 1}, 1, None),
        ({"kind": "score", "min_score": 0, "max_score": 1}, 2, "above the maximum"),
        ({"kind": "score", "min_score": 1}, 0, "below the minimum"),
        ({"kind": "score"}, True, "a number"),
        ({"kind": "literal", "classes": {"a": "x", "b": "y"}}, "b", None),
        ({"kind": "literal", "classes": {"a": "x", "b": "y"}}, 1, None),
        ({"kind": "literal", "classes": {"a": "x", "b": "y"}}, 2, "neither a class"),
        ({"kind": "boolean"}, None, "nothing"),
    ],
)
def test_what_a_function_returns_is_held_against_its_kind(trait: dict[str, Any], value: Any, words: str | None) -> None:
    found = misfit(trait, value)
    assert (found is None) if words is None else (found is not None and words in found)


@pytest.fixture
def two(editor: BenchmarkEditor) -> tuple[int, int, int]:
    """A benchmark with a trait of its own, and two questions, the first of which has a trait."""
    benchmark = editor.create_benchmark("Doses")
    first, second = (editor.add_question(benchmark, f"Dose of {name}?").summary.number for name in "AB")
    editor.edit_benchmark(benchmark, {"rubric": {"llm_traits": [{"name": "friendly", "kind": "boolean"}]}})
    editor.edit(benchmark, first, {"question_rubric": {"regex_traits": [UNIT]}})
    return benchmark, first, second


def test_traits_are_found_by_words_wherever_they_stand(editor: BenchmarkEditor, two: tuple[int, int, int]) -> None:
    benchmark, first, second = two
    catalog = TraitCatalog(editor)

    def names(words: str, place: int) -> list[str]:
        found = catalog.find(words, apart_from=(benchmark, place))
        return [each.name for each in found if each.origin == "rubric"]

    assert names("", second) == ["friendly", "unit"]
    assert names("dose a unit", second) == ["unit"]
    assert names("", first) == ["friendly"]


def test_names_of_the_rubrics_that_a_run_puts_together_are_known(
    editor: BenchmarkEditor, two: tuple[int, int, int]
) -> None:
    benchmark, first, _ = two
    catalog = TraitCatalog(editor)
    assert catalog.taken_names(benchmark, first) == {"friendly": "the benchmark"}
    assert catalog.taken_names(benchmark, None) == {"unit": "the question “Dose of A?”"}


def test_copies_get_free_names_and_are_taken_back_alone(editor: BenchmarkEditor, two: tuple[int, int, int]) -> None:
    benchmark, first, second = two
    catalog = TraitCatalog(editor)
    copied = catalog.copy("regex", UNIT, benchmark, [None, second])
    assert copied.made == {None: "unit 2", second: "unit"}
    assert copied.refused == []
    editor.edit(benchmark, second, {"question_rubric": {"regex_traits": [UNIT, {**UNIT, "name": "dose"}]}})
    catalog.take_back("regex", benchmark, copied)
    rubric = editor.question(benchmark, second).entry.question.question_rubric
    assert rubric == {"regex_traits": [{**UNIT, "name": "dose"}]}
    assert (editor.library.benchmarks.frame(benchmark).rubric or pytest.fail("no rubric")).names == ["friendly"]
    assert editor.question(benchmark, first).entry.question.question_rubric == {"regex_traits": [UNIT]}


def test_a_trait_that_no_rubric_takes_is_refused_with_a_reason(
    editor: BenchmarkEditor, two: tuple[int, int, int]
) -> None:
    copied = TraitCatalog(editor).copy("regex", {"name": "broken", "pattern": "("}, two[0], [two[2]])
    assert copied.made == {}
    assert "Invalid regex" in copied.refused[0]


def test_the_order_of_classes_alone_is_an_edit(editor: BenchmarkEditor, two: tuple[int, int, int]) -> None:
    benchmark, first, _ = two
    tone = {"name": "tone", "kind": "literal", "classes": {"casual": "chatty", "formal": "stiff"}}
    editor.edit(benchmark, first, {"question_rubric": {"llm_traits": [tone]}})
    turned = {**tone, "classes": dict(reversed(tone["classes"].items()))}  # type: ignore[attr-defined]
    editor.edit(benchmark, first, {"question_rubric": {"llm_traits": [turned]}})
    kept = editor.question(benchmark, first).entry.question.question_rubric
    assert list((kept or {})["llm_traits"][0]["classes"]) == ["formal", "casual"]


def test_a_free_name_counts_on() -> None:
    assert free_name("unit", ()) == "unit"
    assert free_name("unit", {"unit", "unit 2"}) == "unit 3"
