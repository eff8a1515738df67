"""Decisions of charts: the case and the numbers that sentences are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from karenina_gui.analysis.charts import arms, comparison, convergence
from karenina_gui.analysis.charts.arms import ArmMark, ArmsSummary
from karenina_gui.analysis.charts.chart_request import EACH_OTHER, ChartData, ChartRequest
from karenina_gui.analysis.charts.comparison import ComparisonSummary, summarize as summarize_comparison
from karenina_gui.analysis.charts.convergence import ConvergenceSummary, summarize as summarize_convergence
from karenina_gui.analysis.charts.order import OrderDoubt
from karenina_gui.analysis.estimate import Estimate, PairedDifference, PowerPlan
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.report_text import ComparedArms, describe_difference, describe_plan
from karenina_gui.analysis.scores import Arm, Scores
from tests.scored import scored

NAN = np.nan
HEDGES = Metric("hedges", "binary", 0.0, 1.0, False)


def run(*each: Sequence[Sequence[float]], metric: Metric = VERDICT) -> Scores:
    """Scores by arm, question and replicate, judged once."""
    return scored(np.array(each, dtype=float).transpose(1, 0, 2)[..., None], metric)


# Scores by configuration


def mark(label: str, value: float | None, low: float | None = None, high: float | None = None) -> ArmMark:
    return ArmMark(label, 0, Estimate(value, low, high, 20), (), 20, 20, 0)


@pytest.mark.parametrize(
    ("marks", "case", "best", "tied"),
    [
        ([mark("A", None)], "single", "A", (0, 0)),
        ([mark("A", None), mark("B", None)], "no_score", None, (0, 0)),
        ([mark("A", None), mark("B", 0.5)], "only_scored", "B", (0, 0)),
        ([mark("A", 0.5), mark("B", 0.5)], "equal", "A", (1, 1)),
        ([mark("A", 0.2), mark("B", 0.8)], "ranked", "B", (0, 0)),
        ([mark("A", 0.8), mark("B", 0.8), mark("C", 0.1)], "ranked", "A", (1, 0)),
        ([mark("A", 0.8), mark("B", 0.1), mark("C", 0.1)], "ranked", "A", (0, 1)),
    ],
)
def test_arms_are_ranked_only_if_they_differ(
    marks: list[ArmMark], case: str, best: str | None, tied: tuple[int, int]
) -> None:
    found = arms.summarize(VERDICT, marks, lambda *_: SIGNIFICANT)
    labels = [each.label for each in found.ranked]
    assert (found.case, labels[0] if labels else None, found.tied, found.doubt) == (case, best, tied, None)


SIGNIFICANT = PairedDifference(0.6, 0.4, 0.8, 30, p=0.001)


@pytest.mark.parametrize(
    ("difference", "doubt"),
    [
        (SIGNIFICANT, None),
        (PairedDifference(0.6, 0.6, 0.6, 30, identical=True), None),
        (PairedDifference(0.6, -0.1, 1.0, 30, p=0.2), OrderDoubt("unproven", 0.2)),
        (PairedDifference(0.6, 0.1, 1.0, 30, p=0.04, adjusted=0.08), OrderDoubt("unproven", 0.08)),
        (PairedDifference(-0.6, -0.8, -0.4, 30, p=0.001), OrderDoubt("reversed", 0.001)),
        (PairedDifference(0.6, n=1, why="one question"), OrderDoubt("missing")),
        (PairedDifference(None), OrderDoubt("missing")),
    ],
)
def test_an_order_is_as_certain_as_the_paired_test(difference: PairedDifference, doubt: OrderDoubt | None) -> None:
    asked = []

    def tested(*pair: int) -> PairedDifference:
        asked.append(pair)
        return difference

    for metric in (VERDICT, HEDGES):  # whose best is the lowest
        assert arms.summarize(metric, [mark("A", 0.2), mark("B", 0.8)], tested).doubt == doubt
    assert asked == [(1, 0)] * 2  # the higher less the lower


def test_the_lowest_rate_is_best_where_lower_is_better() -> None:
    found = arms.summarize(HEDGES, [mark("A", 0.8, 0.7, 0.9), mark("B", 0.2, 0.1, 0.3)], lambda *_: SIGNIFICANT)
    assert isinstance(found, ArmsSummary) and [each.label for each in found.ranked] == ["B", "A"]


# Paired differences


AB = ComparedArms("A", "B", VERDICT, 40)


@pytest.mark.parametrize(
    ("difference", "start"),
    [
        (PairedDifference(None), "No comparison: "),
        (PairedDifference(0.0, n=1), "A and B have the same pass rate on 1 question. These data allow no interval"),
        (PairedDifference(0.2, n=1), "B has a higher pass rate than A on 1 question: 20 percentage points. These data"),
        (
            PairedDifference(0.0, -0.1, 0.1, 30, identical=True),
            "A and B have the same pass rate on each of 30 questions (B − A: ",
        ),
        (
            PairedDifference(0.2, 0.1, 0.3, 30, identical=True),
            "B has a higher pass rate than A on each of 30 questions: 20 percentage points (B − A: ",
        ),
        (PairedDifference(0.2, 0.1, 0.3, 30, p=0.01), "B has a significantly higher pass rate than A"),
        (PairedDifference(0.2, -0.1, 0.5, 30, p=0.2), "No significant difference in pass rate"),
        (PairedDifference(0.2, 0.01, 0.4, 30, p=0.04, adjusted=0.12), "No significant difference in pass rate"),
    ],
)
def test_a_difference_is_significant_if_interval_and_corrected_test_agree(
    difference: PairedDifference, start: str
) -> None:
    assert describe_difference(difference, AB).startswith(start)


@pytest.mark.parametrize(
    ("plan", "difference", "part"),
    [
        (PowerPlan(None), 0.1, " is unknown."),
        (PowerPlan(0.2), None, "The minimum detectable difference in pass rate between A and B on 40 questions is 20 "),
        (PowerPlan(0.2, 40), 0.0, "The minimum detectable difference in pass rate between A and B on 40 questions is "),
        (PowerPlan(0.2, 40), 0.1, "40 questions are enough to detect a difference of 10 percentage points"),
        (PowerPlan(0.2, 41), 0.1, "Detecting a difference of 10 percentage points in pass rate between A and B"),
    ],
)
def test_a_plan_tells_what_would_settle_a_difference(plan: PowerPlan, difference: float | None, part: str) -> None:
    assert part in describe_plan(plan, AB, difference)


def compared(scores: Scores, against: str | None = None) -> ComparisonSummary:
    found = comparison.find(scores, ChartData(request=ChartRequest(against=against)))
    return summarize_comparison(found.marks)


WORSE = [[0, 0]] * 20 + [[1, 1]] * 20
BETTER = [[1, 1]] * 20 + [[1, 1]] * 20
ALIKE = [[1, 0], [0, 1], [1, 1], [0, 0]] * 10


def test_one_comparison_is_reported_alone() -> None:
    found = compared(run(WORSE, BETTER))
    assert (found.case, found.number, found.significant, found.lead) == ("single", 1, 1, "")
    assert found.first.difference.value == 0.5


def test_the_largest_significant_difference_is_reported_of_several() -> None:
    found = compared(run(WORSE, ALIKE, BETTER))
    assert (found.case, found.number, found.significant) == ("several", 2, 1)
    assert (found.first.label, found.first.is_significant, found.first.correction) == ("C", True, "Holm")
    pairs = compared(run(WORSE, ALIKE, BETTER), EACH_OTHER)
    assert (pairs.number, pairs.significant, pairs.first.label) == (3, 2, "C")


def test_without_any_difference_one_comparison_is_an_example() -> None:
    found = compared(run(ALIKE, ALIKE, ALIKE))
    assert (found.case, found.significant, found.lead) == ("several", 0, "For example")


def test_the_only_arm_with_shared_questions_is_reported() -> None:
    found = compared(run(WORSE, BETTER, [[NAN, NAN]] * 40))
    assert (found.case, found.number, found.first.label) == ("only_known", 2, "B")


def test_conditions_and_models_are_reported_separately() -> None:
    four = run(WORSE, BETTER, ALIKE, ALIKE)
    grid = tuple(Arm(model, way) for model in ("gpt", "claude") for way in ("plain", "tools"))
    found = compared(replace(four, arms=grid))
    assert (found.case, found.number) == ("by_factor", 4)
    assert found.second is not None and (found.first.changed, found.second.changed) == ("condition", "model")
    assert found.lead == "Largest difference between conditions"
    assert found.second_lead == "Largest difference between models"


# Mean and margin by number of replicates


def converging(scores: Scores, within: float | None = None) -> ConvergenceSummary:
    found = convergence.find(scores, ChartData(request=ChartRequest(within=within)))
    assert found.marks is not None, found.empty_reason
    return summarize_convergence(scores.metric, found.marks)


MIXED = [[1, 1], [0, 0], [1, 0], [0, 1]] * 10
STEADY = [[1, 1], [0, 0]] * 20
MOSTLY_STEADY = [[1, 1], [0, 0], [1, 1], [0, 0], [1, 0]] * 8
ANSWERED_ONCE = [[1, NAN], [0, NAN]] * 19 + [[NAN, 1], [NAN, 0]]


@pytest.mark.parametrize(
    ("values", "within", "outlook"),
    [
        (MIXED, 40.0, "reached"),
        (MIXED, 10.0, "takes_either"),
        (STEADY, 5.0, "takes_questions"),
        (MIXED, 5.0, "takes_questions_uncertain"),
        (ANSWERED_ONCE, 5.0, "takes_questions_unknown"),
        (MIXED, None, "worth_cost"),
        (MOSTLY_STEADY, None, "little_effect"),
        (ANSWERED_ONCE, None, "unknown"),
        (STEADY, None, "no_effect"),
    ],
)
def test_the_outlook_depends_on_target_and_variances(values: Any, within: float | None, outlook: str) -> None:
    found = converging(run(values), within)
    assert (found.choice, found.outlook) == ("alone", outlook)


def test_the_arm_that_needs_the_most_questions_is_reported_with_a_target() -> None:
    found = converging(run(MIXED, STEADY), 5.0)
    assert (found.choice, found.curve.label, found.curve.lacks) == ("widest", "B", 393)
    assert found.curve.need is not None and not found.curve.need.reached


def test_unlimited_replicates_save_at_least_what_is_certain() -> None:
    found = converging(run(MIXED))
    assert 0 < found.surely < found.saved < 1
