"""Tests of pass@k, pass^k and flip probability against enumeration of all draws."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from karenina_gui.analysis.statistics.means import score_mean
from karenina_gui.analysis.statistics.pass_at_k import curve, flip_probability, pass_all_k, pass_at_k
from karenina_gui.analysis.statistics.rates import wilson
from tests.examples import examples

TWO_QUESTIONS = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
TRIALS, PASSED = np.array([5, 5]), np.array([3, 4])
COUNTS = st.integers(0, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


def test_pass_at_k_has_its_worked_figures() -> None:
    assert [sum(row) for row in TWO_QUESTIONS] == PASSED.tolist()
    values = [found.value for found in curve(TRIALS, PASSED, "any")]
    assert values[:2] == pytest.approx([0.7, 0.95])
    assert pass_at_k(10, 8, 2) == pytest.approx(0.978, abs=5e-4)


def test_pass_all_k_has_its_worked_figures_and_is_not_the_rate_to_the_power_of_k() -> None:
    values = [found.value for found in curve(TRIALS, PASSED, "all")]
    assert values[:2] == pytest.approx([0.7, 0.45])
    assert pass_all_k(5, 3, 2) == pytest.approx(0.3) != pytest.approx(0.36)


@given(COUNTS, st.integers(-1, 9))
@settings(max_examples=examples(30, 100), deadline=None)
def test_chances_are_those_of_all_subsets(counts: tuple[int, int], k: int) -> None:
    n, c = counts
    answers = [1] * c + [0] * (n - c)
    if not 1 <= k <= n:
        assert pass_at_k(n, c, k) is None and pass_all_k(n, c, k) is None
        return
    drawn = list(combinations(answers, k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, drawn)) / len(drawn))
    assert pass_all_k(n, c, k) == pytest.approx(sum(map(all, drawn)) / len(drawn))


@given(COUNTS)
@settings(max_examples=examples(20, 60), deadline=None)
def test_the_flip_probability_is_that_of_all_pairs(counts: tuple[int, int]) -> None:
    n, c = counts
    pairs = list(combinations([1] * c + [0] * (n - c), 2))
    if not pairs:
        assert flip_probability(n, c) is None
        return
    assert flip_probability(n, c) == pytest.approx(sum(a != b for a, b in pairs) / len(pairs))
    assert bool(flip_probability(n, c)) is (0 < c < n)


def test_the_flip_probability_has_its_worked_figures() -> None:
    assert flip_probability(3, 1) == pytest.approx(2 / 3)
    assert flip_probability(5, 2) == pytest.approx(0.6)
    assert flip_probability(5, 5) == 0.0
    assert flip_probability(1, 1) is None


def test_large_numbers_are_exact() -> None:
    assert pass_at_k(3000, 1, 1500) == 0.5
    assert pass_all_k(3000, 2999, 1500) == 0.5


def test_more_passed_than_answered_is_refused() -> None:
    for measure in (lambda: pass_at_k(3, 4, 1), lambda: pass_all_k(3, -1, 1), lambda: flip_probability(3, 4)):
        with pytest.raises(ValueError, match="cannot be"):
            measure()


def test_each_point_counts_only_questions_with_as_many_answers() -> None:
    found = curve(np.array([3, 2, 0, 1]), np.array([3, 1, 0, 0]), "all")
    assert [point.n for point in found] == [3, 2, 1]
    assert [point.value for point in found] == pytest.approx([(1 + 0.5 + 0) / 3, (1 + 0) / 2, 1])
    assert found[0].low is not None and (found[2].low, found[2].high) == (None, None)


def test_a_curve_of_nothing_is_empty() -> None:
    assert curve(np.array([0, 0]), np.array([0, 0]), "any") == []
    assert curve(np.array([], dtype=int), np.array([], dtype=int), "all") == []


def test_questions_that_are_all_alike_have_no_band_but_where_they_always_pass_that_of_a_rate() -> None:
    once, twice, *often = curve(np.full(9, 4), np.full(9, 2), "any")
    for point in (once, twice):
        assert (point.low, point.high, point.error) == (None, None, None) and "other questions may differ" in point.why
    assert often == [wilson(9, 9)] * 2


def test_each_point_has_the_interval_of_a_mean_which_is_nearly_that_of_drawn_questions() -> None:
    chance = np.random.default_rng(5)
    trials = np.full(60, 4)
    passed = chance.binomial(4, chance.beta(0.6, 0.4, 60))
    for k, point in enumerate(curve(trials, passed, "all"), 1):
        each = np.array([pass_all_k(4, int(c), k) for c in passed])
        assert point == score_mean(each, low=0, high=1)
        drawn = each[chance.integers(0, 60, (4000, 60))].mean(axis=1)
        assert (point.low, point.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.02)
        assert point.value == pytest.approx(each.mean())
        assert (point.deviation, point.error) == pytest.approx((each.std(ddof=1), drawn.std()), rel=0.05)


def test_one_answer_each_makes_both_curves_the_pass_rate() -> None:
    passed = np.arange(40) % 4 == 0
    for kind in ("any", "all"):
        (point,) = curve(np.ones(40, dtype=int), passed.astype(int), kind)
        assert point.value == 0.25 and not point.approximate


def test_questions_without_an_answer_change_nothing() -> None:
    trials, passed = np.array([3, 3, 3, 2]), np.array([0, 1, 3, 1])
    without = curve(trials, passed, "any")
    assert curve(np.append(trials, [0, 0]), np.append(passed, [0, 0]), "any") == without
    assert [point.n for point in without] == [4, 4, 3]
