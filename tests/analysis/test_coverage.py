"""Coverage of intervals in 2,000 simulated benchmarks with known truth.

Each question's chance of passing is drawn from a beta distribution, its answers from that chance; the truth is the mean
of the distribution. `tests/benchmarks/coverage.py` has fewer questions, and intervals that the application does not use
or that take longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest
from scipy import stats

from karenina_gui.analysis.estimate import Estimate, PairedDifference
from karenina_gui.analysis.statistics.means import clustered_mean, mean_of_questions, score_mean
from karenina_gui.analysis.statistics.paired import PairedDesign, paired_difference
from karenina_gui.analysis.statistics.pass_at_k import curve, pass_all_k
from karenina_gui.analysis.statistics.rates import wilson
from tests.benchmarks.coverage import AGREEMENT, NESTED, judged, nested
from tests.examples import cases

BENCHMARKS = 2000
AS_SAID = (0.93, 0.97)
EVEN, HIGH = (0.1, 0.15, 0.2, 0.25, 0.3), (0.02, 0.03, 0.05, 0.2, 0.7)
"""Shares of the grades 1 to 5."""


def passed(questions: int, replicates: int, a: float, b: float, seed: int = 0) -> np.ndarray:
    """Passed answers of each question, shape benchmarks × questions."""
    chance = np.random.default_rng(seed)
    return chance.binomial(replicates, chance.beta(a, b, (BENCHMARKS, questions)))


def coverage(rows: np.ndarray, truth: float, measure: Callable[[np.ndarray], Estimate | PairedDifference]) -> float:
    return share_of(truth, [measure(row) for row in rows])


def share_of(truth: float, found: Sequence[Estimate | PairedDifference]) -> float:
    """Share of intervals that contain the truth."""
    return float(np.mean([e.low is not None and e.high is not None and e.low <= truth <= e.high for e in found]))


def rate_of_all_answers(replicates: int) -> Callable[[np.ndarray], Estimate]:
    """Wrong interval that treats all answers to all questions as independent."""
    one = cache(wilson)
    return lambda row: one(int(row.sum()), len(row) * replicates)


def mean_over(replicates: int) -> Callable[[np.ndarray], Estimate]:
    return lambda row: mean_of_questions(row / replicates, low=0, high=1)


@pytest.mark.parametrize(
    ("questions", "replicates", "a", "b", "naive"),
    cases([(50, 10, 0.6, 0.4, 0.59)], [(50, 3, 0.6, 0.4, 0.83), (100, 5, 2, 1, 0.82)]),
)
def test_the_mean_of_questions_holds_the_truth_where_a_rate_of_all_answers_does_not(
    questions: int, replicates: int, a: float, b: float, naive: float
) -> None:
    rows, truth = passed(questions, replicates, a, b), a / (a + b)
    assert AS_SAID[0] <= coverage(rows, truth, mean_over(replicates)) <= AS_SAID[1]
    assert coverage(rows, truth, rate_of_all_answers(replicates)) == pytest.approx(naive, abs=0.025)


def test_few_questions_near_the_ceiling_fall_short_and_say_so() -> None:
    rows, truth = passed(20, 3, 4, 0.4), 4 / 4.4
    assert coverage(rows, truth, mean_over(3)) == pytest.approx(0.89, abs=0.025)
    assert coverage(rows, truth, rate_of_all_answers(3)) == pytest.approx(0.89, abs=0.025)
    found = [mean_over(3)(row) for row in rows]
    assert all(estimate.approximate or estimate.low is None for estimate in found)


@pytest.mark.parametrize(
    ("questions", "replicates", "a", "b"),
    cases(
        [(30, 3, 4, 0.4), (30, 3, 0.4, 4)],
        [
            *((50, 3, 9, 1), (50, 10, 0.6, 0.4)),
            *((30, 5, 4, 0.4), (50, 3, 4, 0.4), (100, 3, 4, 0.4), (30, 3, 30, 5)),
            *((50, 3, 0.6, 0.1), (30, 3, 2, 0.5), (50, 3, 0.6, 0.4), (100, 5, 2, 1)),
        ],
    ),
)
def test_the_mean_of_an_arm_holds_the_truth_near_the_ends_as_well(
    questions: int, replicates: int, a: float, b: float
) -> None:
    rows = passed(questions, replicates, a, b) / replicates
    assert AS_SAID[0] <= coverage(rows, a / (a + b), lambda row: score_mean(row, low=0, high=1)) <= AS_SAID[1]


@pytest.mark.parametrize(("questions", "a", "b"), cases([(50, 0.6, 0.4)], [(100, 2, 1), (200, 1, 2)]))
def test_wilson_holds_the_truth_where_each_question_has_one_answer(questions: int, a: float, b: float) -> None:
    assert AS_SAID[0] <= coverage(passed(questions, 1, a, b), a / (a + b), rate_of_all_answers(1)) <= AS_SAID[1]


@pytest.mark.parametrize(
    ("questions", "share"),
    cases([(30, HIGH)], [(30, EVEN), (100, EVEN), (100, HIGH)]),
)
def test_a_mean_of_grades_holds_the_truth(questions: int, share: tuple[float, ...]) -> None:
    rows = np.random.default_rng(1).choice([1.0, 2, 3, 4, 5], (BENCHMARKS, questions, 3), p=share).mean(axis=2)
    truth = float(np.array(share) @ [1, 2, 3, 4, 5])
    assert AS_SAID[0] <= coverage(rows, truth, lambda row: score_mean(row, low=1, high=5)) <= AS_SAID[1]


@pytest.mark.parametrize(
    ("questions", "replicates", "a", "b"), cases([(50, 3, 4, 0.4)], [(50, 3, 0.6, 0.4), (50, 5, 1, 1)])
)
def test_the_curve_of_what_always_passes_holds_the_truth(questions: int, replicates: int, a: float, b: float) -> None:
    rows, number = passed(questions, replicates, a, b), np.full(questions, replicates)
    likely = stats.betabinom.pmf(np.arange(replicates + 1), replicates, a, b)
    found = [curve(number, row, "all") for row in rows]
    for k in range(1, replicates + 1):
        truth = float(likely @ [pass_all_k(replicates, c, k) or 0.0 for c in range(replicates + 1)])
        assert AS_SAID[0] <= share_of(truth, [each[k - 1] for each in found]) <= AS_SAID[1]


@pytest.mark.parametrize("name", cases([*AGREEMENT][::4], [name for place, name in enumerate(AGREEMENT) if place % 4]))
def test_agreement_of_judges_holds_the_truth(name: str) -> None:
    measure = AGREEMENT[name]
    truth = measure(judged(1, 50_000)[0]).value
    assert truth is not None
    assert AS_SAID[0] <= coverage(judged(BENCHMARKS, 30, seed=3), truth, measure) <= AS_SAID[1]


@pytest.mark.parametrize("name", cases(["ICC(A,1)"], ["alpha, ordinal", "Cohen's kappa", "raw agreement"]))
def test_agreement_on_answers_to_the_same_questions_holds_the_truth(name: str) -> None:
    measure, (rows, clusters) = NESTED[name], nested(BENCHMARKS, 30, 6, seed=5)
    truth = measure(nested(1, 60_000, 6)[0][0], None).value
    assert truth is not None
    assert AS_SAID[0] <= coverage(rows, truth, lambda row: measure(row, clusters)) <= AS_SAID[1]


def two_arms(questions: int, replicates: int, seed: int) -> np.ndarray:
    """Question means of two arms with correlated chances, the second .1 higher.

    Shape benchmarks × 2 × questions.
    """
    chance = np.random.default_rng(seed)
    base = 0.9 * chance.beta(0.8, 0.8, (BENCHMARKS, questions))
    better = np.where(chance.random((BENCHMARKS, questions)) < 0.5, base, 0.9 * chance.beta(0.8, 0.8, base.shape)) + 0.1
    return chance.binomial(replicates, np.stack([base, better], axis=1)) / replicates


@pytest.mark.parametrize(("questions", "replicates"), cases([(50, 3)], [(100, 5)]))
def test_a_paired_difference_of_means_holds_the_truth(questions: int, replicates: int) -> None:
    rows = two_arms(questions, replicates, 2)
    assert (
        AS_SAID[0]
        <= coverage(rows, 0.1, lambda two: paired_difference(*two, PairedDesign(binary=True, single=False)))
        <= AS_SAID[1]
    )


def test_a_paired_difference_of_single_verdicts_holds_the_truth() -> None:
    rows = two_arms(60, 1, 3)
    assert (
        AS_SAID[0]
        <= coverage(rows, 0.1, lambda two: paired_difference(*two, PairedDesign(binary=True, single=True)))
        <= AS_SAID[1]
    )


def test_a_paired_test_finds_a_difference_that_is_not_there_once_in_twenty_times() -> None:
    chance = np.random.default_rng(4)
    same = np.repeat(chance.beta(0.6, 0.4, (BENCHMARKS, 1, 50)), 2, axis=1)
    found = [paired_difference(*two, PairedDesign(binary=True, single=False)).p for two in chance.binomial(3, same) / 3]
    assert 0.03 <= np.mean([p is not None and p < 0.05 for p in found]) <= 0.07


def test_a_clustered_mean_holds_the_truth_where_a_plain_one_does_not() -> None:
    """Four questions on each document that share half of their difficulty."""
    chance, groups = np.random.default_rng(5), 30
    shared, own = chance.normal(0, 1, (BENCHMARKS, groups, 1)), chance.normal(0, 1, (BENCHMARKS, groups, 4))
    rows, labels = (shared + own).reshape(BENCHMARKS, -1), np.repeat(np.arange(groups), 4)
    assert AS_SAID[0] <= coverage(rows, 0, lambda row: clustered_mean(row, labels)) <= AS_SAID[1]
    assert coverage(rows[:500], 0, mean_of_questions) < 0.9
    assert not clustered_mean(rows[0], labels).approximate
    assert clustered_mean(rows[0, :40], labels[:40]).approximate


@pytest.mark.parametrize(("documents", "a", "b"), cases([(20, 4, 0.4)], [(30, 4, 0.4), (30, 0.6, 0.4)]))
def test_a_clustered_mean_holds_the_truth_near_the_ends_as_well(documents: int, a: float, b: float) -> None:
    """Four questions on each document with the same chance."""
    chance, labels = np.random.default_rng(0), np.repeat(np.arange(documents), 4)
    shared = chance.beta(a, b, (BENCHMARKS, documents, 1))
    rows = (chance.random((BENCHMARKS, documents, 4)) < shared).astype(float).reshape(BENCHMARKS, -1)
    held = coverage(rows, a / (a + b), lambda row: clustered_mean(row, labels, low=0, high=1))
    assert AS_SAID[0] <= held <= AS_SAID[1]
