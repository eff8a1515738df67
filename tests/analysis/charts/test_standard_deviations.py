"""Tests of the chart of deviations: each under its own name, none if undefined."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.analysis.charts.standard_deviations import COLUMNS, find
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.gui.charts.standard_deviations import figure
from karenina_gui.gui.charts.theme import LIGHT
from tests.scored import scored

SCORE = Metric("judge.completeness", "number", 1.0, 5.0, True)
NAN = np.nan


def answers(*arms: list[list[float]]) -> np.ndarray:
    """Scores by arm, question and replicate."""
    return np.array(arms).transpose(1, 0, 2)[..., None]


def test_each_spread_has_a_column_and_a_mark_of_its_own() -> None:
    finding = find(scored(answers([[1, 2, 3], [4, 4, 4], [5, 3, 4]]), SCORE), ChartData())
    row = dict(zip(COLUMNS, finding.table.rows[0], strict=True))
    between = np.std([2, 4, 4], ddof=1)
    assert row["Within questions"] == pytest.approx(sqrt(2 / 3))
    assert row["Between questions"] == pytest.approx(between)
    assert row["Standard error of the mean"] == pytest.approx(between / sqrt(3))
    assert row["Mean SD of questions (k-eval ±)"] == pytest.approx(2 / 3)
    (mark,) = finding.marks.arms
    assert mark.sizes == {
        "within": row["Within questions"], "between": row["Between questions"],
        "error": row["Standard error of the mean"],
    }  # fmt: skip


def test_the_sentence_tells_the_three_apart() -> None:
    finding = find(scored(answers([[1, 2, 3], [4, 4, 4], [5, 3, 4]]), SCORE), ChartData())
    assert finding.sentence == (
        "For A, the mean “judge.completeness” score on 3 questions has a standard deviation of 0.82 within questions "
        "and 1.2 between questions, and a standard error of 0.67."
    )


def test_equal_scores_are_said_to_show_no_variation_rather_than_a_spread_of_nothing() -> None:
    finding = find(scored(answers([[4, 4], [4, 4], [4, 4]]), SCORE), ChartData())
    assert finding.sentence == (
        "For A, all “judge.completeness” scores on 3 questions are the same; other questions may differ."
    )


def test_equal_means_of_answers_that_differ_have_no_standard_error() -> None:
    finding = find(scored(answers([[0, 1], [1, 0]]), VERDICT), ChartData())
    assert finding.sentence == (
        "For A, the means of 2 questions are equal, so there is no standard error. The pass rate has a standard "
        "deviation of 71 percentage points within questions."
    )
    row = dict(zip(COLUMNS, finding.table.rows[0], strict=True))
    assert (row["Between questions"], row["Standard error of the mean"]) == (0, None)
    assert finding.cautions == (
        "A standard deviation of 0 between questions means that these have the same mean; other questions may differ.",
    )


@pytest.mark.parametrize("thrice", [[0.1] * 3, [0.3, 0.1, 0.2]])
def test_rounding_is_no_spread(thrice: list[float]) -> None:
    finding = find(scored(answers([thrice, thrice[::-1]]), SCORE), ChartData())
    row = dict(zip(COLUMNS, finding.table.rows[0], strict=True))
    assert (row["Between questions"], row["Standard error of the mean"]) == (0, None)
    assert ("are the same" in finding.sentence) == (len({*thrice}) == 1)


def test_one_answer_to_each_question_has_no_spread_within_rather_than_none() -> None:
    finding = find(scored(answers([[1.0], [0.0], [1.0]]), VERDICT), ChartData())
    assert finding.table.rows[0][3] is None
    assert "With one answer per question, there is no standard deviation within questions." in finding.sentence
    assert "58 percentage points" in finding.sentence
    assert any("unknown, not 0" in caution for caution in finding.cautions)


def test_one_question_alone_has_nothing_to_draw_but_its_answers() -> None:
    nothing = find(scored(answers([[3.0]]), SCORE), ChartData())
    assert (nothing.marks, nothing.empty_reason) == (None, "One answer to one question has no standard deviation.")
    assert find(scored(answers([[3.0, 4.0]]), SCORE), ChartData()).marks is not None


def test_missing_answers_stay_in_the_count() -> None:
    finding = find(scored(answers([[1, NAN], [4, 4], [NAN, NAN]]), SCORE), ChartData())
    assert finding.table.rows[0][-4:] == (2, 3, 3, 6)


def test_kinds_are_told_apart_without_colour_and_lead_to_their_results() -> None:
    finding = find(scored(answers([[1, 2], [4, 3]], [[1, 1], [2, 4]]), SCORE), ChartData())
    drawn = figure(finding, LIGHT)["data"]
    assert len({trace["marker"]["symbol"] for trace in drawn}) == 3
    assert [trace["customdata"] for trace in drawn] == [[0, 1]] * 3
    assert finding.table.links == [{"model": "A"}, {"model": "B"}]
