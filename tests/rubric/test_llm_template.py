"""LLM traits with structured scores."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from karenina_gui.schemas.rubric import LLMRubricTrait
from tests.rubric.conftest import REFERENCE, Rate, replies
from tests.twin import Asked, Reply


class Findings(BaseModel):
    count: int = Field(description="How many proteins it names")
    share: float
    hedged: bool
    note: str | None = None
    tags: list[str] = []


FINDINGS = LLMRubricTrait(name="findings", description="What it says", kind=Findings)  # type: ignore[arg-type]
CLEAR = LLMRubricTrait(name="clear", kind="boolean")
FULL: dict[str, Any] = {"count": 2, "share": 0.5, "hedged": False, "note": None, "tags": ["a"]}


def test_fields_stand_under_the_name_of_their_trait(rate: Rate) -> None:
    rated = rate(FINDINGS, judge=replies(**FULL))
    assert rated.rubric.llm_trait_scores == {f"findings.{name}": value for name, value in FULL.items()}
    assert rated.problems == ""
    assert "How many proteins it names" in rated.asked[0].text
    assert "What it says" in rated.asked[0].text


def test_a_form_has_a_call_of_its_own_in_batch_too(rate: Rate) -> None:
    rated = rate(FINDINGS, CLEAR, judge=replies(**FULL, clear=True))
    assert sorted(len(asked.schema["properties"]) for asked in rated.asked) == [1, 5]
    assert rated.rubric.llm_trait_scores["clear"] is True


def test_a_field_that_is_left_null_has_no_value_and_costs_no_other(rate: Rate) -> None:
    rated = rate(FINDINGS, judge=replies(**{**FULL, "count": None, "hedged": None}))
    assert set(rated.rubric.llm_trait_scores) == {"findings.share", "findings.note", "findings.tags"}
    assert "'findings.count', 'findings.hedged' have no score" in rated.problems


def test_an_optional_field_that_is_left_out_has_its_default(rate: Rate) -> None:
    rated = rate(FINDINGS, judge=replies(count=1, share=1, hedged=True))
    assert (rated.rubric.llm_trait_scores["findings.note"], rated.rubric.llm_trait_scores["findings.tags"]) == (
        None,
        [],
    )
    assert rated.problems == ""


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [("count", "two", "not a whole number"), ("count", True, "not a whole"), ("hedged", "no", "neither true nor false"),
     ("tags", ["a", 1], "a list with something that is not text"), ("note", 7, "not text")],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_named(rate: Rate, field: str, value: Any, words: str) -> None:
    rated = rate(FINDINGS, judge=replies(**{**FULL, field: value}))
    assert f"findings.{field}" not in rated.rubric.llm_trait_scores
    assert f"'findings.{field}' has no score" in rated.problems
    assert words in rated.problems


def test_a_whole_number_may_be_written_with_a_point(rate: Rate) -> None:
    scores = rate(FINDINGS, judge=replies(**{**FULL, "count": 3.0})).rubric.llm_trait_scores
    assert json.dumps(scores["findings.count"]) == "3"


def test_the_reference_answer_is_shown_for_the_form_that_asks_for_it_only(rate: Rate) -> None:
    informed = FINDINGS.model_copy(update={"name": "informed", "include_ground_truth": True})
    rated = rate(FINDINGS, informed, judge=replies(**FULL))
    assert [REFERENCE in json.dumps(asked.body) for asked in rated.asked] == [False, True]


def test_one_form_that_fails_leaves_the_other(rate: Rate) -> None:
    def judge(asked: Asked) -> Reply:
        return Reply(data=FULL) if asked.number == 1 else Reply(status=400, message="too long")

    rated = rate(FINDINGS, FINDINGS.model_copy(update={"name": "again"}), judge=judge)
    assert rated.rubric.llm_trait_scores["findings.count"] == 2
    assert "'again' has no score" in rated.problems


def test_without_a_judge_it_says_so(rate: Rate) -> None:
    assert "'findings' has no score: it needs a judge" in rate(FINDINGS).problems
