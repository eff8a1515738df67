"""Tests of the metrics of a run and the meaning of their scores."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from karenina_gui.analysis.metrics import VERDICT, Metric, metrics_of
from karenina_gui.schemas.job_table import Scores
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.result import TraitScale
from tests.job_tables import job_table

HIGH = TraitScale(kind="score", higher_is_better=True, min_score=1, max_score=5)


def of(*traits: Scores, outcomes: Sequence[Outcome | None] = ("passed",), **scales: TraitScale) -> list[Metric]:
    return metrics_of(job_table(outcome=outcomes, traits=traits), scales)


def test_the_verdict_comes_first_and_then_traits_by_name() -> None:
    found = of({"depth": 3, "cites": True}, {"a": 1}, {})
    assert [metric.title for metric in found] == ["Pass rate", "a", "cites", "depth"]
    assert found[0] == VERDICT == Metric(None, "binary", 0.0, 1.0, True)


@pytest.mark.parametrize(
    ("outcomes", "traits", "has_verdict"),
    [
        (("passed", "unscored"), {"depth": 1}, True),
        (("unscored", "unscored"), {"depth": 1}, False),
        (("unscored", "abstained"), {"depth": 1}, False),
        (("abstained", "abstained"), {"depth": 1}, True),
        (("error", None), {"depth": 1}, False),
        (("error", None), {}, True),
        ((), {}, True),
    ],
)
def test_there_is_a_verdict_where_templates_were_asked_or_nothing_else_is_there(
    outcomes: tuple[Outcome | None, ...], traits: Scores, has_verdict: bool
) -> None:
    assert (VERDICT in of(traits, outcomes=outcomes)) is has_verdict


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (HIGH, Metric("t", "number", 1.0, 5.0, True)),
        (HIGH.model_copy(update={"higher_is_better": False}), Metric("t", "number", 1.0, 5.0, False)),
        (HIGH.model_copy(update={"min_score": 5, "max_score": 1}), Metric("t", "number", 1.0, 5.0, True)),
        (TraitScale(kind="score", higher_is_better=True), Metric("t", "number", None, None, True)),
        (TraitScale(kind="metric"), Metric("t", "number", 0.0, 1.0, True)),
        (TraitScale(kind="literal", higher_is_better=False, classes=["a", "b", "c"]),
         Metric("t", "number", 0.0, 2.0, False, ("a", "b", "c"))),
        (None, Metric("t", "number", None, None, None)),
    ],
)  # fmt: skip
def test_the_scale_of_a_trait_gives_its_ends_and_its_better_one(scale: TraitScale | None, expected: Metric) -> None:
    assert of({"t": 1}, **({"t": scale} if scale else {}))[1] == expected


def test_yes_and_no_are_binary_and_the_better_answer_is_the_trait_s_own() -> None:
    bad = TraitScale(kind="boolean", higher_is_better=False)
    assert of({"t": True}, t=bad)[1] == Metric("t", "binary", 0.0, 1.0, False)
    assert of({"t": True})[1].higher_is_better is None
    assert of({"t": True}, {"t": 1})[1].kind == "number"


def test_a_field_of_a_form_and_a_figure_of_what_was_counted_have_the_scale_of_their_trait() -> None:
    found = of({"found.precision": 0.5, "form.n": 3}, found=TraitScale(kind="metric"), form=TraitScale(kind="template"))
    assert found[1:] == [
        Metric("form.n", "number", None, None, None),
        Metric("found.precision", "number", 0.0, 1.0, True),
    ]


def test_the_worst_score_is_at_the_worse_end_where_there_is_one() -> None:
    assert VERDICT.worst == 0.0
    assert Metric("t", "number", 1.0, 5.0, False).worst == 5.0
    assert Metric("t", "number", 1.0, 5.0, None).worst is None
    assert Metric("t", "number", None, 5.0, True).worst is None
