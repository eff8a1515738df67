"""Pairs of questions in two versions, their differences, and who made them."""

from __future__ import annotations

import pytest

from karenina_gui.authoring.comparison.differences import compare
from karenina_gui.authoring.comparison.service import nearest
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.rubric import Rubric
from tests.authoring.comparison.versions import document, entry

LONG = "Which enzyme does low-dose aspirin inhibit in platelets?"


def kinds(here: list[BenchmarkEntry], there: list[BenchmarkEntry]) -> list[tuple[str, str, list[str]]]:
    found = compare(document(*here), document(*there))
    return [(each.text, each.kind, [field.name for field in each.fields]) for each in found.questions]


def test_each_question_is_of_one_kind_and_edits_are_named_by_field() -> None:
    here = [entry("Why?", "a"), entry("How?", "a"), entry("Who?", "a")]
    there = [entry("Who?", "a"), entry("Why?", "b", keywords=["new"]), entry("When?", "a")]
    assert kinds(here, there) == [
        ("Why?", "changed", ["raw_answer", "keywords"]),
        ("How?", "here", []),
        ("Who?", "same", []),
        ("When?", "there", []),
    ]


@pytest.mark.parametrize(
    ("other", "fields"),
    [
        # With the same id: the text was corrected there.
        (entry("Other words entirely?", "COX-1", id=entry(LONG).id), ["question"]),
        # Each with the id of its text.
        (entry(LONG.replace("-", "\N{EN DASH}").replace(" in ", "\nin "), "x"), ["question", "id", "raw_answer"]),
        (entry(LONG.replace("platelets", "human platelets"), "COX-1"), ["question", "id"]),
        (
            entry("Nothing alike!", "x", custom_metadata={"previous_ids": [entry(LONG).id]}),
            ["question", "id", "raw_answer"],
        ),
    ],
)
def test_a_corrected_text_is_one_changed_question(other: BenchmarkEntry, fields: list[str]) -> None:
    assert kinds([entry(LONG, "COX-1")], [other]) == [(LONG, "changed", fields)]
    assert [found[1] for found in kinds([other], [entry(LONG, "COX-1")])] == ["changed"]


def test_other_questions_are_not_taken_for_corrections() -> None:
    here = [entry(LONG, "yes"), entry("Is water wet?", "yes")]
    there = [entry("Is 7 a prime number, or is it not one?", "yes"), entry(LONG.replace("aspirin", "Aspirin"), "no")]
    assert [found[1] for found in kinds(here, there)] == ["changed", "here", "there"]


def test_many_questions_with_one_answer_are_not_compared_with_each_other() -> None:
    here = [entry(f"{LONG} ({number})", "yes") for number in range(60)]
    there = [entry(f"{LONG} [{number} ]", "yes") for number in range(60)]
    assert {found[1] for found in kinds(here, there)} == {"here", "there"}


def test_empty_and_missing_fields_are_equal_and_the_order_of_classes_is_not() -> None:
    generated = (
        'class Answer(BaseAnswer):\n    """Answer template for: Why?..."""\n\n'
        '    response: str = Field(description="The answer response")\n\n    def verify(self) -> bool:\n'
        "        # Default template: returns False to indicate custom verification needed\n        return False"
    )
    bare = entry("Why?", finished=False)
    full = entry("Why?", answer_notes="", sources=[], answer_template=generated, question_rubric={"llm_traits": []})
    full.finished = False
    assert kinds([bare], [full]) == [("Why?", "same", [])]
    one, other = (
        {"llm_traits": [{"name": "t", "classes": dict(each)}]}
        for each in ((("a", ""), ("b", "")), (("b", ""), ("a", "")))
    )
    assert kinds([entry("Why?", question_rubric=one)], [entry("Why?", question_rubric=other)])[0][2] == [
        "question_rubric"
    ]


def test_the_fields_of_the_benchmark_are_compared_and_its_name_if_wanted() -> None:
    rubric = Rubric.model_validate({"regex_traits": [{"name": "cites", "pattern": "x"}]})
    here, there = document(description="old"), document(name="Other", description="new", rubric=rubric)
    assert [each.name for each in compare(here, there).details] == ["name", "description", "rubric"]
    assert [each.name for each in compare(here, there, names=False).details] == ["description", "rubric"]
    assert compare(document(rubric=Rubric()), document()).details == ()


def test_with_a_common_ancestor_each_difference_names_its_maker() -> None:
    base = document(entry("Why?", "a", keywords=["k"]), entry("How?", "a"), entry("Who?", "a"), entry("Where?", "a"))
    here = document(
        entry("Why?", "ours", keywords=["k"], answer_notes="ours"),
        entry("How?", "a"),
        entry("New here?"),
        entry("Where?", "b"),
    )
    there = document(
        entry("Why?", "theirs", keywords=["theirs"]), entry("Who?", "a"), entry("New there?"), description="theirs"
    )
    found = compare(here, there, base)
    makers = {each.text: (each.kind, *sorted(each.makers)) for each in found.questions}
    assert makers == {
        "Why?": ("changed", "both", "ours", "theirs"),
        "How?": ("here", "theirs"),
        "New here?": ("here", "ours"),
        # Deleted there, edited here.
        "Where?": ("here", "both"),
        "Who?": ("there", "ours"),
        "New there?": ("there", "theirs"),
    }
    fields = {each.name: each.maker for each in found.by_key[here.entries[0].id].fields}
    assert fields == {"raw_answer": "both", "keywords": "theirs", "answer_notes": "ours"}
    assert [(each.name, each.maker) for each in found.details] == [("description", "theirs")]


def test_the_ancestor_of_a_file_is_the_state_it_shares_the_most_with() -> None:
    first = document(entry("Why?", "a"), entry("How?", "a"))
    second = document(entry("Why?", "b"), entry("How?", "a"))
    returned = document(entry("Why?", "a"), entry("How?", "corrected"))
    assert nearest(returned, [second, first]) is first
    assert nearest(document(entry("Other?")), [second, first]) is None


def test_a_question_that_only_one_side_has_counts_against_an_ancestor() -> None:
    first = document(entry("Why?", "a"), entry("How?", "a"))
    second = document(entry("Why?", "b"), entry("How?", "a"), entry("When?", "a"))
    returned = document(entry("Why?", "corrected"), entry("How?", "a"))
    assert nearest(returned, [second, first]) is first


def test_edits_of_both_sides_in_different_fields_are_no_conflict() -> None:
    base = document(entry("Why?", "a", keywords=["k"]))
    found = compare(document(entry("Why?", "b", keywords=["k"])), document(entry("Why?", "a", keywords=["n"])), base)
    assert found.questions[0].makers == {"ours", "theirs"}
