"""Tests of ICCs against published figures and the formula of their interval, and of undefined cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karenina_gui.analysis.statistics.agreement import krippendorff_alpha
from karenina_gui.analysis.statistics.intraclass import absolute_agreement, icc, no_icc

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Shrout & Fleiss 1979, table 2: 6 targets, 4 judges."""


def test_intraclass_correlations_are_those_of_shrout_and_fleiss() -> None:
    found = icc(np.array(SHROUT_FLEISS, dtype=float))
    assert [round(value or 0, 3) for value in found.values()] == [0.166, 0.290, 0.715, 0.443, 0.620, 0.909]
    assert list(found) == ["ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"]


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ([[1, 2], [3, np.nan]], "1 of 2 rows lack a score; the coefficients need all of them."),
        ([[2, 2], [2, 2]], "All scores are the same."),
        ([[1, 2, 3]], "At least two answers must have two scores."),
        ([[1], [2]], "At least two answers must have two scores."),
    ],
)
def test_without_the_scores_for_it_there_is_no_intraclass_correlation(matrix: list[list[float]], why: str) -> None:
    assert set(icc(np.array(matrix, dtype=float)).values()) == {None}
    assert no_icc(np.array(matrix, dtype=float)) == why


def test_raters_that_only_contradict_each_other_have_no_correlation_of_means() -> None:
    found = icc(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert found["ICC(1,1)"] == pytest.approx(-1)
    assert found["ICC(1,k)"] is None


def test_absolute_agreement_is_the_published_one_over_the_answers_that_all_have_rated() -> None:
    whole = np.array(SHROUT_FLEISS, dtype=float).T
    found = absolute_agreement(np.column_stack([whole, [3, np.nan, 2, 9]]))
    assert found.value == pytest.approx(0.290, abs=5e-4)
    assert (found.n, found.why, found.approximate) == (6, "", True)
    assert found.low is not None and found.high is not None and found.low < 0.290 < found.high
    assert found == absolute_agreement(np.column_stack([whole, [3, np.nan, 2, 9]]))


def test_a_judge_who_is_always_stricter_lowers_it() -> None:
    grades = np.arange(40.0) % 5
    assert absolute_agreement(np.stack([grades, grades])).value == pytest.approx(1)
    stricter = absolute_agreement(np.stack([grades, grades - 1])).value
    assert stricter == pytest.approx(0.8, abs=0.05)
    assert icc(np.stack([grades, grades - 1]).T)["ICC(C,1)"] == pytest.approx(1)


@pytest.mark.parametrize("judges", [2, 3])
def test_the_interval_is_made_by_leaving_out_whole_clusters(judges: int) -> None:
    """Against the full formula on the remaining clusters."""
    chance = np.random.default_rng(judges)
    clusters = np.repeat(np.arange(12), 4)
    ratings = chance.normal(3, 1, 12)[clusters] + chance.normal(0, 0.7, (judges, 48)) + np.arange(judges)[:, None] / 5
    found = absolute_agreement(ratings, clusters=clusters)
    without = [icc(ratings[:, clusters != each].T)["ICC(A,1)"] for each in range(12)]
    apart = np.log1p(-np.array(without, dtype=float))
    half = stats.t.ppf(0.975, 11) * np.sqrt(11 / 12 * ((apart - apart.mean()) ** 2).sum())
    assert found.value is not None
    assert (found.low, found.high) == pytest.approx(1 - (1 - found.value) * np.exp([half, -half]))
    alone = absolute_agreement(ratings)
    assert alone.value == found.value and alone.error is not None and found.error is not None
    assert alone.error < found.error


@pytest.mark.parametrize(
    ("ratings", "clusters", "why"),
    [
        ([[1, 2, np.nan], [np.nan, 2, 3]], None, "At least two answers must have two scores."),
        ([[2, 2], [2, 2]], None, "All scores are the same."),
        ([[1, 2], [2, 1]], None, "undefined"),
        ([[1, 2, 3], [1, 3, 3]], [7, 7, 7], "All answers belong to one question"),
        ([[1, 2, 1, 2], [1, 2, 1, 2]], [0, 0, 1, 1], "to the same degree"),
    ],
)
def test_where_there_is_no_figure_or_no_interval_it_says_why(
    ratings: list[list[float]], clusters: list[int] | None, why: str
) -> None:
    found = absolute_agreement(np.array(ratings, dtype=float), clusters=clusters)
    assert why in found.why
    assert (found.low, found.high) == (None, None)


def test_of_ten_thousand_judgments_it_is_the_truth_and_near_alpha() -> None:
    chance = np.random.default_rng(3)
    ratings = chance.normal(0, 1, 5000) + chance.normal(0, 1, (2, 5000))
    found = absolute_agreement(ratings, clusters=np.repeat(np.arange(1250), 4))
    assert found.value == pytest.approx(0.5, abs=0.05)
    assert found.value == pytest.approx(krippendorff_alpha(ratings, "interval").value, abs=0.01)


def test_a_coefficient_below_minus_one_lies_in_its_interval() -> None:
    found = absolute_agreement(np.array([[5.0, 3, 5], [2, 5, 2]]))
    assert found.value is not None and found.value < -1
    assert found.low is not None and found.high is not None and found.low <= found.value <= found.high


def test_what_cannot_be_left_out_is_not_said_to_be_alike() -> None:
    found = absolute_agreement(np.array([[5.0, 4, 2, 3], [5, 3, 2, 1]]), clusters=[0, 0, 0, 1])
    assert found.low is None and found.why.startswith("Without one of the 2 questions, this figure would be undefined")
