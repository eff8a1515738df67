"""Tests of means and rates with intervals against published figures and other libraries."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.scores import Scores
from karenina_gui.analysis.statistics.means import (
    arm_mean,
    bootstrap,
    clustered_mean,
    half_width,
    mean_of_questions,
    score_mean,
)
from karenina_gui.analysis.statistics.rates import wilson
from tests.examples import examples
from tests.scored import scored

SLEEP = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SLEEP -= np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
"""Hours of sleep gained with one drug less those with the other (Student 1908)."""


def interval(found: Estimate) -> tuple[float, float]:
    assert found.low is not None and found.high is not None
    return found.low, found.high


def scores_of(values: np.ndarray, metric: Metric = VERDICT) -> Scores:
    return scored(values, metric)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (5, 5, 0.566, 1),
    ],
)
def test_rates_have_the_intervals_of_newcombe_1998(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson(successes, trials)
    assert interval(found) == pytest.approx((low, high), abs=5e-4 if trials == 5 else 5e-5)
    assert (found.value, found.n, found.why) == (successes / trials, trials, "")


@given(st.integers(0, 300), st.integers(1, 300))
@settings(max_examples=examples(10, 30), deadline=None)
def test_wilson_is_that_of_scipy_and_never_leaves_its_range(successes: int, trials: int) -> None:
    successes = min(successes, trials)
    expected = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    low, high = interval(wilson(successes, trials))
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert 0 <= low <= successes / trials <= high <= 1


def test_a_rate_of_nothing_is_none_and_an_impossible_one_is_refused() -> None:
    nothing = wilson(0, 0)
    assert (nothing.value, nothing.low, nothing.high, nothing.n) == (None, None, None, 0) and nothing.why
    for successes, trials in ((6, 5), (-1, 5)):
        with pytest.raises(ValueError, match="cannot be"):
            wilson(successes, trials)


def test_a_mean_of_questions_has_the_interval_of_student() -> None:
    values = np.array([0.2, 0.4, nan, 0.9, 0.6, 0.5])
    found, there = mean_of_questions(values), values[~np.isnan(values)]
    expected = stats.ttest_1samp(there, 0).confidence_interval()
    assert interval(found) == pytest.approx((expected.low, expected.high))
    assert (found.value, found.n) == (pytest.approx(0.52), 5)
    assert (found.error, found.deviation) == (pytest.approx(stats.sem(there)), pytest.approx(there.std(ddof=1)))


def test_none_one_and_equal_scores_have_no_interval_and_say_why() -> None:
    for measure in (mean_of_questions, bootstrap, lambda values: clustered_mean(values, range(len(values)))):
        nothing, one, same = (measure(np.array(values)) for values in ([nan, nan], [0.4, nan], [2 / 3, 1 - 1 / 3] * 3))
        assert (nothing.value, nothing.n) == (None, 0) and nothing.why
        assert (one.value, one.n, one.low, one.high, one.error, one.deviation) == (0.4, 1, None, None, None, None)
        assert "no interval" in one.why
        assert (same.value, same.n, same.low, same.high, same.error) == (pytest.approx(2 / 3), 6, None, None, None)
        assert same.why.endswith("other questions may differ.")


def test_an_interval_ends_where_the_scale_ends_and_says_so() -> None:
    values = np.array([5, 5, 5, 4, 5, 1.0])
    free, bounded = mean_of_questions(values), mean_of_questions(values, low=1, high=5)
    assert interval(free)[1] > 5 and "cut" not in free.method
    assert interval(bounded) == (interval(free)[0], 5) and "cut at the end of the scale" in bounded.method


@pytest.mark.parametrize(
    ("mean", "questions", "ends", "approximate"),
    [
        (0.5, 29, (0, 1), True),
        (0.5, 30, (0, 1), False),
        (0.92, 300, (0, 1), True),
        (0.08, 300, (0, 1), True),
        (4.7, 300, (1, 5), True),
        (4.5, 300, (1, 5), False),
        (0.92, 300, (None, None), False),
    ],
)
def test_few_questions_and_means_near_an_end_make_an_interval_approximate(
    mean: float, questions: int, ends: tuple[float | None, float | None], approximate: bool
) -> None:
    values = mean + 0.01 * (np.arange(questions) % 2 - 0.5)
    assert mean_of_questions(values, low=ends[0], high=ends[1]).approximate is approximate


def test_clusters_have_the_error_that_inspect_and_statsmodels_give() -> None:
    values, groups = np.array([1, 1, 1, 0, 0, 0, 1, 0, 1, 1.0]), list("0001112233")
    found = clustered_mean(values, groups)
    assert found.error == pytest.approx(0.2673, abs=5e-5)
    miller = sqrt(sum((values[np.array(groups) == group] - 0.6).sum() ** 2 for group in "0123")) / 10
    assert miller == pytest.approx(0.2315, abs=5e-5)
    assert found.error == pytest.approx(miller * sqrt(4 / 3))
    assert mean_of_questions(values).error == pytest.approx(0.1633, abs=5e-5)
    assert interval(found) == pytest.approx(stats.t.interval(0.95, 3, 0.6, found.error))
    assert (found.value, found.n, found.clusters, found.approximate) == (0.6, 10, 4, True)


def test_clusters_of_one_question_each_are_the_plain_mean() -> None:
    values = np.random.default_rng(4).random(40)
    clustered, plain = clustered_mean(values, [f"document {n}" for n in range(40)]), mean_of_questions(values)
    assert (clustered.value, clustered.error, clustered.low, clustered.high, clustered.approximate) == pytest.approx(
        (plain.value, plain.error, plain.low, plain.high, plain.approximate)
    )


def test_one_cluster_and_clusters_without_difference_have_no_interval() -> None:
    one = clustered_mean(np.array([1, 0, 1.0]), ["a", "a", "a"])
    assert (one.value, one.n, one.clusters, one.low) == (pytest.approx(2 / 3), 3, 1, None) and "one cluster" in one.why
    even = clustered_mean(np.array([1, 0, 0, 1.0]), ["a", "a", "b", "b"])
    assert (even.value, even.n, even.clusters, even.low, even.error) == (
        0.5,
        4,
        2,
        None,
        None,
    ) and "do not differ" in even.why


def test_missing_scores_leave_their_clusters() -> None:
    values, groups = np.array([1, nan, 0, nan, 1, 0]), ["a", "a", "b", "c", "d", "d"]
    assert clustered_mean(values, groups) == clustered_mean(np.array([1, 0, 1, 0.0]), ["a", "b", "d", "d"])


def test_a_bootstrap_of_the_sleep_data_is_that_of_scipy_with_the_same_seed() -> None:
    found = bootstrap(SLEEP)
    assert interval(found) == pytest.approx((-2.640, -1.05), abs=5e-4)
    assert (found.value, found.error, found.n) == (pytest.approx(-1.58), pytest.approx(0.368, abs=5e-4), 10)
    assert found == bootstrap(SLEEP, seed=0) != bootstrap(SLEEP, seed=1)
    assert found.method == "BCa bootstrap over questions"


def test_any_statistic_can_be_drawn() -> None:
    found = bootstrap(np.append(np.arange(60.0), nan), np.median)
    assert found.value == 29.5 and interval(found)[0] < 29.5 < interval(found)[1]


def test_a_bootstrap_that_never_changes_has_no_interval() -> None:
    found = bootstrap(np.array([0.0] * 60 + [1.0]), np.median)
    assert (found.value, found.low, found.high) == (0, None, None) and "hardly changes" in found.why


def test_one_answer_a_question_is_a_rate_and_several_are_means() -> None:
    verdicts = np.random.default_rng(2).integers(0, 2, (40, 2, 3, 1)).astype(float)
    once = scores_of(verdicts[:, :, :1])
    assert arm_mean(once, 1) == wilson(int(verdicts[:, 1, 0].sum()), 40)
    thrice = arm_mean(scores_of(verdicts), 1)
    assert thrice == score_mean(verdicts[:, 1].mean(axis=(1, 2)), low=0, high=1)
    assert thrice.method == "Wilson interval of the effective number of answers by question"


def test_a_question_without_a_score_is_left_out_of_its_arm_only() -> None:
    verdicts = np.random.default_rng(2).integers(0, 2, (40, 2, 1, 1)).astype(float)
    verdicts[:7, 0] = nan
    scores = scores_of(verdicts)
    assert (arm_mean(scores, 0).n, arm_mean(scores, 1).n) == (33, 40)
    assert arm_mean(scores, 0).value == pytest.approx(verdicts[7:, 0].mean())
    verdicts[:, 0] = nan
    assert arm_mean(scores_of(verdicts), 0).value is None


def test_an_arm_that_always_passes_has_the_interval_of_a_rate() -> None:
    assert arm_mean(scores_of(np.ones((12, 1, 3, 1))), 0) == wilson(12, 12)
    halves = np.tile([[[1.0], [0.0]]], (12, 1, 1, 1))
    assert "other questions may differ" in arm_mean(scores_of(halves), 0).why


def test_a_verdict_that_judges_dispute_is_no_rate() -> None:
    disputed = np.tile([[[[1.0, 0.0]]], [[[1.0, 1.0]]]], (20, 1, 1, 1))
    assert "effective number" in arm_mean(scores_of(disputed), 0).method


def test_a_trait_has_an_interval_within_its_own_ends() -> None:
    grades = np.array([5, 5, 5, 4, 5, 1.0]).reshape(6, 1, 1, 1)
    found = arm_mean(scores_of(grades, Metric("depth", "number", 1, 5)), 0)
    assert found.high is not None and found.low is not None and 1 < found.low < 4 < found.high < 5
    free = arm_mean(scores_of(grades, Metric("length", "number", None, None)), 0)
    assert free.high is not None and free.high > 5


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, nan]), max_size=8), st.sampled_from([(0, 1), (None, None)]))
@settings(max_examples=examples(25, 80), deadline=None)
def test_whatever_the_scores_there_is_a_figure_or_a_reason(
    values: list[float], ends: tuple[float | None, float | None]
) -> None:
    groups = [number // 2 for number in range(len(values))]
    array = np.array(values, dtype=float)
    for found in (
        mean_of_questions(array, low=ends[0], high=ends[1]),
        clustered_mean(array, groups, low=ends[0], high=ends[1]),
    ):
        figures = [figure for figure in (found.value, found.low, found.high, found.error) if figure is not None]
        assert np.isfinite(figures).all()
        assert bool(found.why) == (found.low is None) == (found.high is None)
        assert found.value is None or found.low is None or found.low <= found.value <= (found.high or 0)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (1.0, 5.0), (-1.0, 1.0)])
def test_the_interval_of_a_mean_is_wilsons_of_the_effective_number_of_answers(low: float, high: float) -> None:
    """Definition of Wilson's interval: all p whose score test does not reject the mean.

    The standard error is scaled to p.
    """
    chance = np.random.default_rng(3)
    places = chance.binomial(3, chance.beta(4, 0.4, 40)) / 3
    found = score_mean(low + (high - low) * places, low=low, high=high)
    mean, error = places.mean(), places.std(ddof=1) / np.sqrt(40)
    t = stats.t.ppf(0.975, 39)
    assert found.value == pytest.approx(low + (high - low) * mean) and found.n == 40
    for end in interval(found):
        p = (end - low) / (high - low)
        assert 0 < p < 1
        assert abs(mean - p) == pytest.approx(t * error * np.sqrt(p * (1 - p) / (mean * (1 - mean))))


def test_the_interval_of_a_mean_in_the_middle_is_nearly_students() -> None:
    values = np.tile([1, 2 / 3, 1 / 3, 0], 30)
    assert interval(score_mean(values, low=0, high=1)) == pytest.approx(interval(mean_of_questions(values)), abs=0.002)


def test_scores_at_the_ends_alone_are_a_rate_between_them() -> None:
    found = score_mean(np.array([1.0, 5, 5, 5]), low=1, high=5)
    rate = wilson(3, 4)
    assert rate.low is not None and rate.high is not None
    assert (found.value, *interval(found)) == pytest.approx((4, 1 + 4 * rate.low, 1 + 4 * rate.high))
    assert found.deviation == pytest.approx(2)
    assert half_width(3, 2, 4, low=0, high=None) == pytest.approx((3 + stats.t.ppf(0.975, 3)) / 2)
    best = score_mean(np.full(20, 5.0), low=1, high=5)
    assert best.value == best.high == 5 and best.low is not None and best.low < 5 and not best.why


def test_a_mean_on_a_scale_without_an_end_and_one_outside_its_scale_have_students_interval() -> None:
    for values, low, high in ((np.arange(9.0), 0.0, None), (np.array([5, 6, 7.0, 9]), 1.0, 5.0)):
        assert score_mean(values, low=low, high=high) == mean_of_questions(values, low=low, high=high)


def test_clusters_that_all_pass_have_the_interval_of_as_many_questions_as_there_are_clusters() -> None:
    found = clustered_mean(np.ones(12), [number // 2 for number in range(12)], low=0, high=1)
    assert (found.value, found.low, found.n, found.clusters) == (1, wilson(6, 6).low, 12, 6)


def test_the_bootstrap_of_less_than_ten_questions_has_no_interval_and_says_why() -> None:
    found = bootstrap(np.array([1.0, 2.0, 7.0]))
    assert found.value == pytest.approx(10 / 3) and (found.low, found.high) == (None, None)
    assert "fewer than 10 questions" in found.why
    assert bootstrap(np.arange(10.0)).low is not None
