"""Tests of agreement coefficients against published figures and formulas, and of undefined cases."""

from __future__ import annotations

from itertools import permutations
from math import nan

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.agreement import (
    Level,
    alphas,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    raw_agreement,
)
from karenina_gui.analysis.statistics.rates import wilson
from tests.benchmarks.coverage import NESTED, nested
from tests.examples import examples

THREE_CODERS = np.array(
    [
        [nan, nan, nan, nan, nan, 3, 4, 1, 2, 1, 1, 3, 3, nan, 3],
        [1, nan, 2, 1, 3, 3, 4, 3, nan, nan, nan, nan, nan, nan, nan],
        [nan, nan, 2, 1, 3, 4, 4, nan, 2, 1, 1, 3, 3, nan, 4],
    ]
)
"""Example from the page of the krippendorff library."""
FOUR_CODERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
)
"""Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C."""
PATIENTS = [
    *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
    *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
]
"""Fourteen raters, ten subjects, five categories: the usual example of Fleiss' kappa."""
FIRST, SECOND = np.array([0, 2, 0, 1, 2.0]), np.array([0, 2, 0, 1, 0.0])
"""negative, positive, negative, neutral, positive: the example of scikit-learn's `cohen_kappa_score`."""
LEVELS: list[Level] = ["nominal", "ordinal", "interval", "ratio"]


def has_interval(found: Estimate) -> bool:
    return found.value is not None and found.low is not None and found.high is not None and not found.why


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.691), ("interval", 0.811)])
def test_alpha_has_the_figures_of_its_library(level: Level, value: float) -> None:
    found = krippendorff_alpha(THREE_CODERS, level)
    assert found.value == pytest.approx(value, abs=5e-4)
    assert (found.n, has_interval(found), found.approximate) == (12, True, True)


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_has_the_figures_of_its_inventor(level: Level, value: float) -> None:
    assert krippendorff_alpha(FOUR_CODERS, level).value == pytest.approx(value, abs=5e-4)


RATINGS = st.integers(2, 4).flatmap(
    lambda judges: st.lists(
        st.lists(st.sampled_from([1.0, 2.0, 3.0, nan]), min_size=judges, max_size=judges), min_size=1, max_size=7
    )
)


@given(RATINGS, st.sampled_from(["nominal", "interval"]))
@settings(max_examples=examples(20, 60), deadline=None)
def test_alpha_is_one_less_observed_by_expected_disagreement(units: list[list[float]], level: Level) -> None:
    found = krippendorff_alpha(np.array(units).T, level)
    rated = [[score for score in unit if score == score] for unit in units]
    rated = [unit for unit in rated if len(unit) > 1]
    pooled = [score for unit in rated for score in unit]
    if len(set(pooled)) < 2:
        assert found.value is None and found.why
        return

    def apart(a: float, b: float) -> float:
        return float(a != b) if level == "nominal" else (a - b) ** 2

    observed = sum(sum(apart(*pair) for pair in permutations(unit, 2)) / (len(unit) - 1) for unit in rated)
    expected = sum(apart(*pair) for pair in permutations(pooled, 2)) / (len(pooled) - 1)
    assert found.value == pytest.approx(1 - observed / expected)
    assert found.n == len(rated)


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_of_alpha_is_the_jackknife_of_the_library_on_the_logarithm_of_disagreement(level: Level) -> None:
    chance = np.random.default_rng(7)
    ratings = np.clip(chance.integers(1, 6, 40) + chance.integers(-1, 2, (3, 40)), 1, 5).astype(float)
    ratings[0, :5] = nan
    found = krippendorff_alpha(ratings, level)
    without = [krippendorff.alpha(np.delete(ratings, each, axis=1), level_of_measurement=level) for each in range(40)]
    apart = np.log1p(-np.array(without))
    half = stats.t.ppf(0.975, 39) * np.sqrt(39 / 40 * ((apart - apart.mean()) ** 2).sum())
    assert found.value is not None and not found.approximate
    ends = 1 - (1 - found.value) * np.exp([half, -half])
    assert (found.low, found.high) == pytest.approx(ends)
    drawn = [krippendorff.alpha(ratings[:, chance.integers(0, 40, 40)], level_of_measurement=level) for _ in range(400)]
    assert found.error == pytest.approx(np.std(drawn), rel=0.15)
    assert found.method.endswith("jackknife over answers")


def test_where_judges_disagree_once_the_interval_ends_at_full_agreement() -> None:
    ratings = np.array([[1, 2, 3, 1, 2, 3, 1, 2.0], [1, 2, 3, 1, 2, 3, 1, 1]])
    found = krippendorff_alpha(ratings, "nominal")
    assert has_interval(found) and found.high == 1 and found.low is not None and 0 < found.low < (found.value or 0)


def test_where_one_unit_alone_is_rated_otherwise_there_is_no_interval() -> None:
    ratings = np.ones((2, 12))
    ratings[:, 3] = [1, 2]
    found = krippendorff_alpha(ratings, "nominal")
    assert found.value is not None and found.low is None
    assert found.why == "Without one of the 12 answers, this figure would be undefined, so there is no interval."


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_several_selections_is_that_of_the_library_on_these_units(level: Level) -> None:
    domain, counts = np.array([1.0, 2, 4, 5]), np.array([[2, 0, 0, 1], [0, 2, 1, 0], [0, 0, 2, 0], [1, 1, 1, 0]])
    draws = np.array([[1, 1, 1, 1], [3, 0, 1, 2], [0, 5, 0, 1], [0, 0, 4, 0]])
    found = alphas(domain, level, counts, draws.astype(float))
    for drawn, alpha in zip(draws[:3], found, strict=False):
        repeated = np.repeat(counts, drawn, axis=0)
        assert alpha == pytest.approx(
            krippendorff.alpha(value_counts=repeated, value_domain=domain, level_of_measurement=level)
        )
    assert np.isnan(found[3])


def test_judges_who_always_agree_have_no_alpha_but_an_agreement() -> None:
    ratings = np.ones((2, 8))
    for found in (krippendorff_alpha(ratings, "nominal"), cohen_kappa(*ratings), fleiss_kappa([[2, 0]] * 8)):
        assert (found.value, found.low, found.n) == (None, None, 8)
        assert "undefined" in found.why and "100%" in found.why
    assert raw_agreement(ratings) == wilson(8, 8)


def test_a_rating_that_nobody_else_gave_says_nothing() -> None:
    ratings = np.array([[1, 1, 2.0], [1, 1, nan]])
    assert krippendorff_alpha(ratings, "nominal").value is None
    assert raw_agreement(ratings).n == 2


def test_without_two_judges_there_is_no_agreement() -> None:
    for ratings in (np.array([[1, 2, 3.0]]), np.array([[1, nan], [nan, 2.0]]), np.zeros((2, 0))):
        for found in (krippendorff_alpha(ratings, "interval"), raw_agreement(ratings)):
            assert (found.value, found.n) == (None, 0) and "two judges" in found.why
    assert cohen_kappa(np.array([1, nan]), np.array([nan, 2.0])).value is None
    assert fleiss_kappa([[1, 0], [0, 1]]).why == "There is only one judge."
    assert fleiss_kappa([]).value is None and fleiss_kappa([[0, 0]]).value is None


def test_full_agreement_on_different_ratings_is_one_without_an_interval() -> None:
    ratings = np.array([[1, 2, 3, 1.0]] * 2)
    for found in (
        krippendorff_alpha(ratings, "ordinal"),
        cohen_kappa(*ratings),
        cohen_kappa(*ratings, weights="quadratic"),
        fleiss_kappa([[2, 0], [0, 2]]),
    ):
        assert found.value == 1 and found.low is None and "to the same degree" in found.why


def test_one_unit_has_no_interval() -> None:
    found = krippendorff_alpha(np.array([[1.0], [2.0]]), "nominal")
    assert (found.value, found.n, found.low) == (
        0,
        1,
        None,
    ) and found.why == "No interval can be computed from a single answer."


def test_kappa_of_two_judges_has_its_worked_figure() -> None:
    found = cohen_kappa(FIRST, SECOND)
    assert found.value == pytest.approx(0.6875)
    assert has_interval(found) and found.n == 5 and found.high == 1


def test_units_that_one_judge_has_not_rated_are_left_out_of_kappa() -> None:
    found = cohen_kappa(np.append(FIRST, [nan, 1]), np.append(SECOND, [1, nan]))
    assert found == cohen_kappa(FIRST, SECOND)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weights_are_the_distances_between_grades_also_where_one_is_never_given(weights: str) -> None:
    first, second = np.array([1, 2, 5, 5, 2, 1, 1, 5]), np.array([1, 5, 5, 2, 2, 1, 2, 5])
    power = {"linear": 1, "quadratic": 2}[weights]
    observed = (abs(first - second) ** power).mean()
    expected = (abs(first[:, None] - second) ** power).mean()
    found = cohen_kappa(first, second, weights=weights)  # type: ignore[arg-type]
    assert found.value == pytest.approx(1 - observed / expected)
    assert has_interval(found)


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_the_error_of_kappa_is_that_of_drawing_units(weights: str | None) -> None:
    chance = np.random.default_rng(3)
    first = chance.integers(1, 6, 200)
    second = np.clip(first + chance.integers(-1, 2, 200), 1, 5)
    found = cohen_kappa(first, second, weights=weights)  # type: ignore[arg-type]
    drawn = [cohen_kappa(first[at], second[at], weights=weights).value for at in chance.integers(0, 200, (100, 200))]  # type: ignore[arg-type]
    assert found.error == pytest.approx(np.std(np.array(drawn, dtype=float)), rel=0.25)
    assert not found.approximate


def test_kappa_of_many_judges_has_its_worked_figure() -> None:
    found = fleiss_kappa(PATIENTS)
    assert found.value == pytest.approx(0.2099, abs=5e-5)
    assert has_interval(found) and found.n == 10


def test_kappa_of_unequal_numbers_of_ratings_is_none() -> None:
    found = fleiss_kappa([[2, 0], [1, 2]])
    assert (found.value, found.n) == (None, 2) and "Krippendorff" in found.why


def test_agreement_is_low_beyond_chance_where_nearly_all_is_alike_though_judges_agree() -> None:
    ratings = np.ones((2, 50))
    ratings[0, 0] = ratings[1, 1] = 0
    assert raw_agreement(ratings).value == 0.96
    alpha, kappa = krippendorff_alpha(ratings, "nominal").value, cohen_kappa(*ratings).value
    assert alpha is not None and kappa is not None and alpha < 0 and kappa < 0


def test_raw_agreement_is_the_share_of_equal_pairs_over_units() -> None:
    found = raw_agreement(np.array([[1, 1, 1.0], [1, 1, 2], [1, 2, nan]]))
    assert found.value == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert found.method.endswith("by answer")
    assert "answers have" in raw_agreement(np.array([[1, 1.0], [1, 1], [2, 2]])).why


def test_many_different_ratings_have_an_alpha_without_an_interval() -> None:
    scores = np.arange(60.0).reshape(2, 30)
    found = krippendorff_alpha(scores, "interval")
    assert found.value is not None and found.low is None and "different ratings" in found.why


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_scores_that_hardly_repeat_have_the_alpha_of_the_library_without_its_memory(level: Level) -> None:
    chance = np.random.default_rng(2)
    scores = np.round(chance.normal(50, 10, 60) + chance.normal(0, 4, (3, 60)))
    scores[0, ::7] = scores[1, ::9] = nan
    scores[2, 0] += 0.5
    few, many = scores[:, :12], np.concatenate([scores, scores * 1.7], axis=1)
    for ratings in (few, many):
        expected = krippendorff.alpha(ratings, level_of_measurement=level)
        assert krippendorff_alpha(ratings, level).value == pytest.approx(expected)
    large = chance.random((3, 20_000))
    assert krippendorff_alpha(large, level).value == pytest.approx(0, abs=0.02)
    assert raw_agreement(large).value == 0


def test_coefficients_for_classes_refuse_scores_that_hardly_repeat() -> None:
    scores = np.random.default_rng(2).random((2, 5000))
    for found in (krippendorff_alpha(scores, "nominal"), cohen_kappa(*scores), cohen_kappa(*scores, weights="linear")):
        assert (found.value, found.n) == (None, 5000) and "different ratings" in found.why


@pytest.mark.parametrize("name", ["alpha, ordinal", "Cohen's kappa", "ICC(A,1)", "raw agreement"])
def test_answers_to_one_question_are_left_out_together(name: str) -> None:
    """60 simulated benchmarks; `tests/benchmarks/coverage.py` has 2,000 of each."""
    measure, (rows, questions) = NESTED[name], nested(60, 40, 6, seed=3)
    truth = measure(nested(1, 20_000, 6)[0][0], None).value
    assert truth is not None

    def held(clusters: np.ndarray | None) -> float:
        found = [measure(row, clusters) for row in rows]
        return float(np.mean([e.low is not None and e.high is not None and e.low <= truth <= e.high for e in found]))

    assert 0.9 <= held(questions) <= 0.99
    assert held(None) < 0.87


def test_kappa_of_grades_without_weights_is_the_same_whether_or_not_answers_share_questions() -> None:
    (ratings,), questions = nested(1, 30, 12, seed=5)
    together, apart = cohen_kappa(*ratings, clusters=questions), cohen_kappa(*ratings)
    assert together.value == apart.value != cohen_kappa(*ratings, weights="linear").value
    assert together.low is not None and together.value is not None and together.low < together.value


@pytest.mark.parametrize("name", NESTED)
def test_questions_with_one_answer_each_are_units_themselves(name: str) -> None:
    (ratings,), _ = nested(1, 40, 1)
    assert NESTED[name](ratings, np.arange(40)) == NESTED[name](ratings, None)


def test_agreement_on_one_question_has_no_interval_and_that_on_all_of_several_the_one_of_questions() -> None:
    ratings = np.array([[1, 2, 3, 4, 5, 1], [1, 2, 3, 4, 1, 2.0]])
    for measure in NESTED.values():
        found = measure(ratings, np.zeros(6, dtype=int))
        assert (found.low, found.high) == (None, None)
        assert found.why == "All answers belong to one question, so there is no interval."
    always = raw_agreement(np.ones((2, 12)), clusters=[0] * 6 + [1] * 6)
    assert (always.value, always.low, always.n, always.clusters) == (1, wilson(2, 2).low, 12, 2)


def test_answers_that_one_judge_has_not_rated_leave_their_question() -> None:
    (ratings,), clusters = nested(1, 12, 3)
    ratings[0, :3] = ratings[1, 4] = nan
    there = ~np.isnan(ratings).any(axis=0)
    for name, measure in NESTED.items():
        if name != "Fleiss' kappa":
            assert measure(ratings, clusters) == measure(ratings[:, there], clusters[there])
