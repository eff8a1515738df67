"""Tests of the chart of means by arm: its rows and its sentence."""

from __future__ import annotations

import numpy as np
import pytest

from karenina_gui.analysis.charts import comparison
from karenina_gui.analysis.charts.arms import find
from karenina_gui.analysis.charts.chart_request import EACH_OTHER, ChartData, ChartRequest
from karenina_gui.analysis.metrics import VERDICT, Metric
from tests.scored import scored

NAN = np.nan


def verdicts(*arms: list[list[float]]) -> np.ndarray:
    """Scores by arm, question and replicate."""
    return np.array(arms).transpose(1, 0, 2)[..., None]


def test_a_row_has_the_mean_of_question_means_with_its_interval_and_the_mean_of_each_replicate() -> None:
    scores = scored(verdicts([[1, 1], [1, 0], [0, NAN], [1, 1]]), VERDICT)
    finding = find(scores, ChartData())
    (mark,) = finding.marks.arms
    assert mark.estimate.value == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    assert mark.estimate.low < mark.estimate.value < mark.estimate.high
    assert mark.replicates == ((1, 0.75), (2, pytest.approx(2 / 3)))
    assert (mark.scored, mark.planned) == (7, 8)
    assert (finding.scored, finding.planned, finding.lacking) == (7, 8, {"timeout": 1})
    assert finding.table.rows[0][:3] == ("A", None, 0.625)
    assert finding.table.links == [{"model": "A"}]


def test_the_first_and_the_last_are_named_and_a_doubt_about_the_first_two_is_said() -> None:
    good, fair, bad = [[1.0]] * 35 + [[0.0]] * 5, [[1.0]] * 33 + [[0.0]] * 7, [[1.0]] * 5 + [[0.0]] * 35
    finding = find(scored(verdicts(good, fair, bad), VERDICT), ChartData())
    assert finding.sentence == (
        "Highest pass rate on 40 questions: A, 88% (95% CI 74% to 95%). Lowest: C, 13% (95% CI 5% to 26%). "
        "The order of the two highest is uncertain, because a paired test finds no significant difference (p = 0.50)."
    )
    alike = find(scored(verdicts(good, bad, bad), VERDICT), ChartData())
    assert "Lowest: C (tied with 1 other), 13%" in alike.sentence
    assert "uncertain" not in find(scored(verdicts(good, bad), VERDICT), ChartData()).sentence


@pytest.mark.parametrize("against", [None, EACH_OTHER, "A"])
def test_the_order_is_that_of_the_pairwise_comparison_even_if_intervals_overlap(against: str | None) -> None:
    """20 questions of 60 are hard for both; of the others, B fails 14 that A passes."""
    good = [[0.0]] * 20 + [[1.0]] * 40
    fair = [[0.0]] * 34 + [[1.0]] * 26
    data = ChartData(request=ChartRequest(against=against))
    scores = scored(verdicts(good, fair), VERDICT)
    means = [mark.estimate for mark in find(scores, data).marks.arms]
    assert means[0].low < means[1].high
    (pair,) = comparison.find(scores, data).marks.comparisons
    assert pair.p < 0.001
    assert "uncertain" not in find(scores, data).sentence
    # Corrected for as many comparisons as the chart of them makes.
    third = scored(verdicts(good, [[0.0]] * 26 + [[1.0]] * 34, [[1.0]] * 60), VERDICT)
    for name, one in {mark.label: mark for mark in comparison.find(third, data).marks.comparisons}.items():
        tested = comparison.tested_difference(third, data, "ABC".index(name), "ABC".index(one.baseline))
        assert tested == one.difference


def test_where_low_is_better_the_lowest_comes_first_and_where_nobody_knows_none_is_best() -> None:
    values = verdicts([[3.0], [4.0], [5.0]], [[1.0], [2.0], [1.5]])
    lower = find(scored(values, Metric("errors", "number", None, None, False)), ChartData())
    assert lower.sentence.startswith("Lowest (best) mean “errors” score on 3 questions: B, 1.5 (95% CI ")
    unknown = find(scored(values, Metric("length", "number", None, None, None)), ChartData())
    assert unknown.sentence.startswith("Highest mean “length” score on 3 questions: A, 4 (95% CI ")
    assert "best" not in unknown.sentence


def test_one_question_has_no_interval_and_says_so() -> None:
    finding = find(scored(verdicts([[3.0]], [[2.0]])), ChartData())
    assert [mark.estimate.low for mark in finding.marks.arms] == [None, None]
    assert finding.sentence.endswith("is uncertain, because these data allow no paired test.")
    assert finding.cautions == ("A and B: There is only one question, so there is no interval.",)
    # Whether its answers agree or not.
    rates = find(scored(verdicts([[1.0, 1.0, 1.0]], [[1.0, 0.0, 0.0]]), VERDICT), ChartData())
    assert rates.cautions == finding.cautions


def test_all_alike_is_neither_better_nor_plus_minus_nothing() -> None:
    finding = find(scored(verdicts([[1.0], [1.0]], [[1.0], [1.0]]), VERDICT), ChartData())
    assert finding.sentence == ("A and B have the same pass rate on 2 questions: 100% (95% CIs within 34% to 100%).")
    assert [mark.estimate.low == 1 for mark in finding.marks.arms] == [False, False]


def test_without_a_score_there_is_nothing_to_draw() -> None:
    finding = find(scored(verdicts([[NAN]], [[NAN]]), VERDICT), ChartData())
    assert finding.marks is None
    assert finding.empty_reason == "No result has a score yet."
    assert finding.table.rows[0][2] is None
    assert (finding.scored, finding.planned, finding.cautions) == (0, 2, ())


def test_an_arm_without_a_score_stays_in_its_row() -> None:
    finding = find(scored(verdicts([[1.0], [0.0]], [[NAN], [NAN]]), VERDICT), ChartData())
    assert [mark.planned for mark in finding.marks.arms] == [2, 2]
    assert [mark.estimate.value for mark in finding.marks.arms] == [0.5, None]
    assert "50%" in finding.sentence
    assert finding.sentence.endswith(" No other configuration has a score.")


def test_a_rate_over_replicates_is_one_of_answers_and_with_one_answer_each_of_questions() -> None:
    several = find(scored(verdicts([[1, 1], [1, 0], [0, 0]]), VERDICT), ChartData())
    assert "A has a pass rate of 50% over 3 questions" in several.sentence
    once = find(scored(verdicts([[1.0], [1.0], [0.0]]), VERDICT), ChartData())
    assert once.sentence.startswith("A passes 67% of 3 questions (95% CI ")
    judged_twice = np.array([[1, 0], [1, 1], [0, 0]], dtype=float)[:, None, None, :]
    assert "A passes 50% of 3 questions" in find(scored(judged_twice, VERDICT), ChartData()).sentence


def test_questions_without_a_score_are_counted_before_arms_are_compared() -> None:
    values = verdicts([[1.0], [0.0], [1.0], [NAN]], [[0.0], [0.0], [NAN], [NAN]])
    assert find(scored(values, VERDICT), ChartData()).sentence.startswith(
        "Highest pass rate on 2 to 3 of 4 questions: A, "
    )


def test_questions_that_share_a_keyword_widen_the_interval_and_everything_says_so() -> None:
    by_cluster = [[float(at // 4 % 2)] for at in range(48)]
    scores = scored(verdicts(by_cluster, [[1.0 - value[0]] for value in by_cluster]), VERDICT)
    words = {question: (f"document {at // 4}",) for at, question in enumerate(scores.questions)}
    plain = find(scores, ChartData(keywords=words))
    finding = find(scores, ChartData(keywords=words, request=ChartRequest(clustered=True)))
    one, other = plain.marks.arms[0].estimate, finding.marks.arms[0].estimate
    assert (other.value, other.n, other.clusters, one.clusters) == (one.value, 48, 12, None)
    assert other.high - other.low > 1.8 * (one.high - one.low)
    assert finding.sentence.startswith("A and B have the same pass rate on 48 questions in 12 clusters: 50% (95% CIs ")
    assert finding.cautions[0] == "With fewer than 20 clusters, the intervals are approximate."
    assert dict(zip(finding.table.columns, finding.table.rows[0], strict=True))["Clusters"] == 12
    assert str(finding.table.rows[0][-2]).endswith("by cluster") and "Clusters" not in plain.table.columns
    alone = find(scored(verdicts(by_cluster), VERDICT), ChartData(keywords=words, request=ChartRequest(clustered=True)))
    assert "50% of 48 questions in 12 clusters (95% CI " in alone.sentence
    assert alone.sentence.endswith("With fewer than 20 clusters, the interval is approximate.")


def test_all_questions_in_one_cluster_have_no_interval_and_say_why() -> None:
    scores = scored(verdicts([[1.0], [0.0], [1.0]]), VERDICT)
    words = dict.fromkeys(scores.questions, ("dose",))
    finding = find(scores, ChartData(keywords=words, request=ChartRequest(clustered=True)))
    assert finding.marks.arms[0].estimate.low is None
    assert "All scores belong to one cluster, so there is no interval." in finding.sentence
    several = find(
        scored(verdicts(*[[[1.0], [0.0], [1.0]]] * 6), VERDICT),
        ChartData(keywords=words, request=ChartRequest(clustered=True)),
    )
    assert several.cautions == ("A, B, C, and 3 more: All scores belong to one cluster, so there is no interval.",)
