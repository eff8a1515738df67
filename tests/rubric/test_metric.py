"""Metric traits."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.rubric.metric import figures
from karenina_gui.schemas.rubric import MetricRubricTrait
from tests.rubric.conftest import REFERENCE, Rate, replies
from tests.twin import Reply, in_turn

ALL = ["precision", "recall", "specificity", "accuracy", "f1"]
FOUND = {"tp": ["BCL2", "BAX"], "fn": ["MCL1", "BAK"], "fp": ["TP53"], "tn": ["KRAS", "EGFR", "MYC"]}
"""Lists for which all metrics differ."""


def some(**changes: Any) -> MetricRubricTrait:
    return MetricRubricTrait(
        **{"name": "proteins", "metrics": ["precision", "recall", "f1"], "tp_instructions": ["names BCL2"], **changes}
    )


def full(**changes: Any) -> MetricRubricTrait:
    return some(evaluation_mode="full_matrix", metrics=ALL, tn_instructions=["names KRAS"], **changes)


@pytest.mark.parametrize("rate", ["openai_endpoint", "claude_tool"], indirect=True)
def test_figures_are_counted_from_the_judges_lists(rate: Rate) -> None:
    rated = rate(full(), judge=replies(**FOUND))
    assert rated.rubric.metric_trait_scores["proteins"] == pytest.approx(
        {"precision": 2 / 3, "recall": 2 / 4, "specificity": 3 / 4, "accuracy": 5 / 8, "f1": 4 / 7}
    )
    assert rated.rubric.metric_trait_confusion_lists == {"proteins": FOUND}
    assert rated.result.template.usage_metadata["rubric_evaluation"]["total_tokens"] == 18


def test_only_the_metrics_that_are_asked_for_are_kept(rate: Rate) -> None:
    assert list(rate(some(metrics=["recall"]), judge=replies(**FOUND)).rubric.metric_trait_scores["proteins"]) == [
        "recall"
    ]


def test_without_what_should_be_absent_nothing_counts_as_rightly_absent(rate: Rate) -> None:
    rated = rate(some(), judge=lambda _: Reply(data=FOUND))
    assert set(rated.asked[0].schema["properties"]) == {"tp", "fn", "fp"}
    assert set(rated.rubric.metric_trait_confusion_lists["proteins"]) == {"tp", "fn", "fp"}


@pytest.mark.parametrize(("once", "kept"), [(True, ["BCL2", "BAX"]), (False, ["BCL2", "bcl2", "BAX"])])
def test_repeated_mentions_count_once_if_the_trait_says_so(rate: Rate, once: bool, kept: list[str]) -> None:
    found = {"tp": ["BCL2", " bcl2 ", "BAX", " "], "fn": [], "fp": ["x"]}
    rated = rate(some(repeated_extraction=once, metrics=["precision"]), judge=replies(**found))
    assert rated.rubric.metric_trait_confusion_lists["proteins"]["tp"] == kept
    assert rated.rubric.metric_trait_scores["proteins"]["precision"] == len(kept) / (len(kept) + 1)


def test_where_there_is_nothing_to_divide_by_a_figure_is_zero() -> None:
    assert figures({"tp": [], "fn": [], "fp": [], "tn": []}, ALL) == dict.fromkeys(ALL, 0.0)


def test_a_list_that_is_missing_is_not_an_empty_one(rate: Rate) -> None:
    rated = rate(some(), judge=replies(tp=["BCL2"], fn=[]))
    assert rated.rubric.metric_trait_scores is None
    assert "'proteins' has no score" in rated.problems
    assert "'fp'" in rated.problems
    assert rated.result.template.usage_metadata["rubric_evaluation"]["total_tokens"] == 36


def test_a_list_that_comes_after_feedback_counts(rate: Rate) -> None:
    rated = rate(some(), judge=in_turn(Reply(data={"tp": "BCL2"}), Reply(data={"tp": ["BCL2"], "fn": [], "fp": []})))
    assert rated.rubric.metric_trait_scores["proteins"]["f1"] == 1.0


def test_the_judge_is_told_what_should_be_there_and_what_should_not_but_never_the_reference(rate: Rate) -> None:
    (asked,) = rate(full(description="Proteins of apoptosis"), judge=replies(**FOUND)).asked
    for told in ("names BCL2", "names KRAS", "Proteins of apoptosis", "It binds BCL2."):
        assert told in asked.text
    assert REFERENCE not in asked.text + asked.system
    (asked,) = rate(some(tn_instructions=["names KRAS"]), judge=replies(**FOUND)).asked
    assert "names KRAS" not in asked.text


def test_a_judge_that_fails_leaves_the_trait_without_a_score(rate: Rate) -> None:
    rated = rate(some(), some(name="other"), judge=lambda _: Reply(status=400, message="no"))
    assert "'proteins' has no score: judge" in rated.problems
    assert "'other' has no score: judge" in rated.problems
    assert rated.result.completed_without_errors


def test_without_a_judge_it_says_so(rate: Rate) -> None:
    assert "'proteins' has no score: it needs a judge" in rate(some()).problems
