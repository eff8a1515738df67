"""Tests of paired comparisons against published figures, other libraries and definitions."""

from __future__ import annotations

from itertools import product
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from karenina_gui.analysis.estimate import PairedDifference
from karenina_gui.analysis.statistics.means import bootstrap
from karenina_gui.analysis.statistics.paired import (
    PairedDesign,
    adjust_p_values,
    mcnemar_p,
    paired_difference,
    permutation_p,
    wilcoxon_p,
)
from tests.examples import examples

FIRST = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
SECOND = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
"""Hours of sleep gained with two drugs (Student 1908)."""
PLANTS = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
"""Differences in height from SciPy's documentation of `wilcoxon`."""
BENJAMINI_HOCHBERG = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459),
    *(0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000),
]


def by_signs(differences: np.ndarray) -> float | None:
    return permutation_p(differences)[0]


def interval(found: PairedDifference) -> tuple[float, float]:
    assert found.low is not None and found.high is not None
    return found.low, found.high


def verdicts(both: int, gained: int, lost: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    counts = (both, gained, lost, neither)
    return np.repeat([1.0, 0.0, 1.0, 0.0], counts), np.repeat([1.0, 1.0, 0.0, 0.0], counts)


def test_the_sleep_data_have_the_paired_t_that_is_published() -> None:
    found = paired_difference(FIRST, SECOND, PairedDesign(binary=False, single=False))
    assert found.value == pytest.approx(-1.58)
    assert found.value is not None and found.error is not None
    assert found.value / found.error == pytest.approx(-4.0621, abs=5e-5)
    assert found.p == pytest.approx(0.002833, abs=5e-7)
    assert interval(found) == pytest.approx((-2.4599, -0.7001), abs=5e-5)
    assert (found.n, found.dropped, found.approximate, found.method) == (10, 0, True, "paired t-test, t interval")


def test_the_bootstrap_of_differences_is_that_of_pairs() -> None:
    expected = stats.bootstrap(
        (SECOND, FIRST), lambda a, b, axis: np.mean(a - b, axis=axis), paired=True, rng=np.random.default_rng(0)
    )
    found = bootstrap(SECOND - FIRST)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval))


@given(st.integers(2, 40), st.integers(0, 1000))
@settings(max_examples=examples(12, 40), deadline=None)
def test_means_are_compared_as_scipy_compares_them(questions: int, seed: int) -> None:
    before, after = np.random.default_rng(seed).random((2, questions))
    found, expected = (
        paired_difference(before, after, PairedDesign(binary=False, single=False)),
        stats.ttest_rel(after, before),
    )
    low, high = expected.confidence_interval()
    assert interval(found) == pytest.approx((low, high))
    assert found.p == pytest.approx(expected.pvalue)


def test_only_questions_with_scores_on_both_sides_are_compared_and_the_others_counted() -> None:
    before = np.array([*FIRST, 1.0, nan, nan, 3.0])
    after = np.array([*SECOND, nan, 2.0, nan, nan])
    found = paired_difference(before, after, PairedDesign(binary=False, single=False))
    assert (found.n, found.dropped) == (10, 3)
    assert interval(found) == interval(paired_difference(FIRST, SECOND, PairedDesign(binary=False, single=False)))


def test_none_one_and_equal_differences_have_no_test_and_say_why() -> None:
    nothing = paired_difference(np.array([1, nan]), np.array([nan, 1]), PairedDesign(binary=True, single=True))
    assert (nothing.value, nothing.n, nothing.dropped, nothing.p) == (None, 0, 2, None) and nothing.why
    one = paired_difference(np.array([0.5]), np.array([0.75]), PairedDesign(binary=True, single=False))
    assert (one.value, one.n, one.low, one.p, one.identical) == (0.25, 1, None, None, False) and one.why
    thirds = np.array([0, 1, 2, 0]) / 3
    moved = paired_difference(thirds, thirds + 1 / 3, PairedDesign(binary=True, single=False))
    assert (moved.value, moved.low, moved.high, moved.p, moved.error) == (pytest.approx(1 / 3), None, None, None, None)
    assert moved.identical and "same amount" in moved.why
    same = paired_difference(thirds, thirds, PairedDesign(binary=True, single=False))
    assert (same.value, same.p, same.identical) == (0, None, True) and "same score" in same.why


def test_single_verdicts_are_compared_by_the_exact_test() -> None:
    found = paired_difference(*verdicts(20, 8, 40, 12), PairedDesign(binary=True, single=True))
    assert found.value == pytest.approx(-32 / 80)
    assert found.p == mcnemar_p([[20, 40], [8, 12]])
    assert "McNemar" in found.method and not found.approximate
    low, high = interval(found)
    assert -1 <= low < found.value < high < 0


def test_replicates_are_not_thrown_away_for_the_test_of_verdicts() -> None:
    before, after = verdicts(20, 40, 8, 12)
    assert (
        paired_difference(before, after, PairedDesign(binary=True, single=False)).method == "paired t-test, t interval"
    )
    assert (
        paired_difference(before / 2, after, PairedDesign(binary=True, single=True)).method
        == "paired t-test, t interval"
    )


ONE_WAY = "10022113332020313031003132000020221310000010000312"
OTHER_WAY = "00033303333020213133021132111333123101000321010211"
"""Passed of 3 answers to each of 50 questions, in two conditions."""


def test_majority_verdicts_lose_what_the_replicates_show() -> None:
    before, after = (np.array([*map(int, row)]) for row in (ONE_WAY, OTHER_WAY))
    whole = paired_difference(before / 3, after / 3, PairedDesign(binary=True, single=False))
    most = paired_difference((before > 1) * 1.0, (after > 1) * 1.0, PairedDesign(binary=True, single=True))
    assert whole.p == pytest.approx(0.030, abs=5e-4)
    assert most.p == pytest.approx(0.39, abs=5e-3)


def test_tables_have_the_p_values_that_are_published() -> None:
    for table, statistic, large, exact in (
        ([[20, 40], [8, 12]], 20.0208, 8e-6, 3e-6),
        ([[9959, 11], [1, 29]], 6.75, 0.0094, 0.0063),
    ):
        by_library = mcnemar(table, exact=False)
        assert (by_library.statistic, by_library.pvalue) == pytest.approx((statistic, large), rel=0.05)
        assert mcnemar_p(table) == pytest.approx(exact, rel=0.15)
        discordant = (table[0][1], table[1][0])
        assert mcnemar_p(table) == pytest.approx(stats.binomtest(discordant[0], sum(discordant)).pvalue)


def test_no_discordant_pair_is_p_of_one_with_an_interval_of_some_width() -> None:
    assert mcnemar_p([[7, 0], [0, 5]]) == 1.0
    assert mcnemar_p([[0, 0], [0, 0]]) is None
    with np.errstate(invalid="ignore", divide="ignore"):
        assert not mcnemar([[7, 0], [0, 5]], exact=False).pvalue > 0
    found = paired_difference(*verdicts(12, 0, 0, 8), PairedDesign(binary=True, single=True))
    assert (found.value, found.p, found.identical, found.error) == (0, 1.0, True, None) and found.why
    z2 = stats.norm.ppf(0.975) ** 2
    assert interval(found) == pytest.approx((-z2 / (20 + z2), z2 / (20 + z2)))


def test_the_interval_of_verdicts_is_the_one_published_for_airways_of_children() -> None:
    """Fagerland, Lydersen and Laake 2014 (Stat Med 33:2850), 21 children: 1, 1, 7, 12."""
    found = paired_difference(*verdicts(1, 7, 1, 12), PairedDesign(binary=True, single=True))
    assert interval(found) == pytest.approx((0.026, 0.517), abs=5e-4)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 60))
@settings(max_examples=examples(20, 60), deadline=None)
def test_the_interval_of_verdicts_holds_what_the_score_test_does_not_reject(gained: int, lost: int, same: int) -> None:
    n = gained + lost + same
    if not n:
        return
    low, high = interval(paired_difference(*verdicts(same, gained, lost, 0), PairedDesign(binary=True, single=True)))
    assert -1 <= low <= (gained - lost) / n <= high <= 1
    z2 = stats.norm.ppf(0.975) ** 2
    for end in (low, high):
        if abs(end) < 1 - 1e-6:
            assert quartic(n, gained, lost, z2)(end) == pytest.approx(0, abs=1e-5)


def quartic(n: int, gained: int, lost: int, g: float) -> np.poly1d:
    """Polynomial with Tango's limits as roots (Yang, Sun and Hardin 2013, Stat Med 32:1336)."""
    apart, discordant = gained - lost, gained + lost
    coefficients = [
        n**2 * (n / g + 1) ** 2,
        -n * apart * (n / g + 1) * (4 * n / g + 1),
        2 * n * apart**2 * (3 * n / g + 2) / g - n**2 * (discordant / g + 1),
        n * apart * (2 * discordant / g + 1) - apart**3 * (4 * n / g + 1) / g,
        apart**2 * (apart**2 / g - discordant) / g,
    ]
    return np.poly1d(np.array(coefficients) / max(map(abs, coefficients)))


def test_intervals_of_differences_stay_within_what_is_possible() -> None:
    before, after = np.array([0, 0, 1, 0.0]), np.array([1, 1, 0.5, 1.0])
    found = paired_difference(before, after, PairedDesign(binary=True, single=False))
    assert interval(found)[1] == 1 and "cut" in found.method
    grades = paired_difference(1 + 4 * before, 1 + 4 * after, PairedDesign(binary=False, single=False, low=1, high=5))
    assert interval(grades)[1] == 4
    free = paired_difference(1 + 4 * before, 1 + 4 * after, PairedDesign(binary=False, single=False))
    assert interval(free)[1] > 4


def test_differences_of_arms_that_nearly_always_pass_are_approximate() -> None:
    before, after = verdicts(95, 3, 2, 0)
    assert paired_difference(before, after, PairedDesign(binary=True, single=True)).approximate
    assert paired_difference(before, after, PairedDesign(binary=True, single=False)).approximate
    assert not paired_difference(*verdicts(40, 20, 10, 30), PairedDesign(binary=True, single=True)).approximate


def test_ranks_have_the_p_value_that_scipy_documents() -> None:
    assert stats.wilcoxon(PLANTS).statistic == 24
    assert wilcoxon_p(np.array(PLANTS, dtype=float)) == pytest.approx(0.04126, abs=5e-6)


def test_tests_of_nothing_are_none_and_of_zeros_one() -> None:
    for test in (wilcoxon_p, by_signs):
        assert test(np.array([nan, nan])) is None
        assert test(np.array([])) is None
        assert test(np.array([0.0, 0.0, nan])) == 1.0
        assert test(np.array([0.5])) == 1.0
        assert test(np.full(8, 0.1 + 0.2 - 0.3)) == 1.0


def test_equal_steps_have_equal_ranks_whatever_the_rounding() -> None:
    steps = np.array([1 / 3, 1 / 3, 1 / 3, -(1 - 2 / 3), 2 / 3, 1.0, -2 / 3, 1.0])
    assert wilcoxon_p(steps) == pytest.approx(stats.wilcoxon([1, 1, 1, -1, 2, 3, -2, 3]).pvalue)
    assert wilcoxon_p(steps) != pytest.approx(stats.wilcoxon(steps).pvalue)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9), st.sampled_from([1, 3, 6, 7, 1e-3]))
@settings(max_examples=examples(20, 60), deadline=None)
def test_a_permutation_test_of_few_questions_tries_all_signs(differences: list[int], parts: float) -> None:
    """Includes thirds and sixths, the means of three replicates and two judgments."""
    totals = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    share = sum(abs(total) >= abs(sum(differences)) for total in totals) / len(totals)
    assert by_signs(np.array(differences, dtype=float) / parts) == pytest.approx(share)


def test_sums_that_are_equal_but_for_rounding_are_as_far_from_nothing() -> None:
    few = np.array([2, 0, 0, 1, 1, -1, 1, 1, 2, 2, 1, -2])
    assert by_signs(few / 6) == pytest.approx(560 / 4096)
    before, after = (
        np.array([0, 0, 2, 1, 0, 3, 2, 2, 3, 2, 2, 1]) / 3,
        np.array([0, 2, 3, 3, 2, 3, 3, 3, 2, 1, 3, 3]) / 3,
    )
    assert by_signs(after - before) == pytest.approx(0.0508, abs=5e-5)
    many = np.random.default_rng(5).integers(-2, 4, 40)
    assert by_signs(many / 6) == by_signs(many.astype(float))


def test_a_permutation_test_of_more_questions_is_that_of_scipy() -> None:
    chance = np.random.default_rng(3)
    for differences in (chance.normal(0.4, 1, 20), chance.integers(-4, 6, 60) / 3):
        expected = stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", vectorized=True, rng=np.random.default_rng(1)
        )
        assert by_signs(differences) == pytest.approx(expected.pvalue, abs=0.012)


def test_all_signs_are_counted_where_their_number_allows_it() -> None:
    """Counts and grades, for any number of questions; checked against binomial probabilities."""
    for n in (14, 60, 500):
        differences = np.repeat([1 / 3, -1 / 3, 0.0], (n * 6 // 10, n - n * 6 // 10, 5))
        p, how = permutation_p(differences)
        assert how == "exact permutation test"
        assert p == pytest.approx(stats.binomtest(n * 6 // 10, n).pvalue)
    chance = np.random.default_rng(2)
    assert permutation_p(chance.normal(0.2, 1, 17))[1] == "exact permutation test"
    assert permutation_p(chance.integers(-12, 14, 1000) / 6)[1] == "exact permutation test"


def test_signs_that_are_drawn_say_how_many_and_by_which_seed() -> None:
    differences = np.random.default_rng(2).normal(0.2, 1, 40)
    assert permutation_p(differences)[1] == "permutation test, 9,999 draws (seed 0)"
    found = paired_difference(np.zeros(40), differences, PairedDesign(binary=False, single=False, by_signs=True))
    assert found.method.startswith("permutation test, 9,999 draws (seed 0), t interval")


def test_a_test_by_signs_has_the_interval_of_student_and_says_which_it_is() -> None:
    plain, signs = (
        paired_difference(FIRST, SECOND, PairedDesign(binary=False, single=False, by_signs=by)) for by in (False, True)
    )
    assert interval(plain) == interval(signs) and (plain.method, signs.method) == (
        "paired t-test, t interval", "exact permutation test, t interval",
    )  # fmt: skip
    assert signs.p == by_signs(SECOND - FIRST) == pytest.approx(4 / 2**10)


def test_a_permutation_test_of_many_questions_is_the_same_each_time_and_near_the_t_test() -> None:
    differences = np.random.default_rng(8).normal(0.3, 1, 40)
    p = by_signs(differences)
    assert p == by_signs(differences) == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=0.02)


def test_many_comparisons_are_corrected_as_benjamini_and_hochberg_do() -> None:
    found = adjust_p_values(BENJAMINI_HOCHBERG, many=True)
    assert found[:3] == pytest.approx([0.0015, 0.003, 0.0095])
    assert sum(p <= 0.05 for p in found if p is not None) == 4
    assert sum(15 * p <= 0.05 for p in BENJAMINI_HOCHBERG) == 3


def test_few_comparisons_are_corrected_as_holm_does_and_no_test_does_not_count() -> None:
    ps = [0.04, None, 0.01, 0.04, 0.9, None, 0.0, 0.011, 1.0]
    expected = iter(multipletests([p for p in ps if p is not None], method="holm")[1])
    for p, corrected in zip(ps, adjust_p_values(ps), strict=True):
        assert (corrected is None) is (p is None)
        assert p is None or corrected == pytest.approx(next(expected))
    assert adjust_p_values([0.01, 0.02, 0.03]) == pytest.approx([0.03, 0.04, 0.04])


def test_no_test_at_all_stays_none() -> None:
    assert adjust_p_values([]) == []
    assert adjust_p_values([None, None]) == adjust_p_values([None, None], many=True) == [None, None]
    assert adjust_p_values([None, 0.04], many=True) == [None, 0.04]
