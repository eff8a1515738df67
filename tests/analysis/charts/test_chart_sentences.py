"""Tests of the sentences of charts, on cases with known truth: quotable and cautious."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karenina_gui.analysis.charts import (
    comparison,
    convergence,
    cost,
    distribution,
    heatmap,
    judges,
    pass_curves,
    reliability,
    replicate_strip,  # fmt: skip
    variance,
)
from karenina_gui.analysis.charts.chart_request import ChartData, ChartRequest
from karenina_gui.analysis.charts.chart_text import APPROXIMATE
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.scores import Judgment
from karenina_gui.analysis.statistics.intraclass import icc
from karenina_gui.analysis.statistics.means import arm_mean
from karenina_gui.analysis.statistics.rates import wilson
from karenina_gui.analysis.thresholds import MAX_BARS_BY_SCORE
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.charts.theme import LIGHT
from karenina_gui.gui.pages.guide.chapters import CHAPTERS
from tests.job_tables import chart_data
from tests.scored import NUMBER, scored

NAN = np.nan
DATA = ChartData(texts={f"q{at}": f"Text {at}" for at in range(200)})
KINDS = {kind.name: kind for kind in CHARTS}
GRADES = Metric("depth", "number", 1.0, 5.0, True)
HEDGES = Metric("hedges", "binary", 0.0, 1.0, False)


def arms(*each: Sequence[Sequence[float]]) -> np.ndarray:
    """Scores by arm, question and replicate, judged once."""
    return np.array(each, dtype=float).transpose(1, 0, 2)[..., None]


def judged(*each: Sequence[float]) -> np.ndarray:
    """One arm and one replicate: ratings by judgment and question."""
    return np.array(each, dtype=float).T[:, None, None, :]


# How much do answers to the same question vary?


def test_no_question_is_named_the_most_varying_where_several_are() -> None:
    values = arms([[1, 0, 1], [1, 0, 0], [1, 1, 1], [0, 0, 1]])
    spread = replicate_strip.find(scored(values, VERDICT), DATA)
    assert spread.sentence == "3 of 4 questions with A (75%) have answers with different verdicts (3 answers each)."
    heat = heatmap.find(scored(values, VERDICT), chart_data(texts=DATA.texts, outcome=["passed"] * values.size))
    assert heat.sentence.endswith("3 answers each). Flakiest, tied: “Text 1”, “Text 3”, and “Text 0”.")
    others = replicate_strip.find(scored(arms([[1, 0], [0, 1], [1, 1]], [[1, 1], [1, 1], [1, 1]]), VERDICT), DATA)
    assert others.sentence.endswith("answers with different verdicts (2 answers each).")
    three = [[1, 0, 1, 1], [1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]]
    some = replicate_strip.find(scored(arms(three), VERDICT), DATA)
    assert some.sentence.endswith("(4 answers each). The 2 that vary most are tied.")
    for found in (spread, heat, others, some):
        assert "Most variation" not in found.sentence and "Flakiest:" not in found.sentence


def test_the_spread_names_the_question_that_varies_most() -> None:
    found = replicate_strip.find(scored(arms([[1, 1, 1], [1, 0, 1], [0, 0, 0]]), VERDICT), DATA)
    assert found.sentence == (
        "1 of 3 questions with A (33%) has answers with different verdicts (3 answers each). Most variation: “Text 1” "
        "(2 of 3 passed)."
    )
    assert found.marks.strips[0].question_id == "q1" and found.table.links[0]["question"] == "q1"
    assert any("rare variation may go unseen" in caution for caution in found.cautions)


def test_the_spread_of_scores_is_pooled_over_questions() -> None:
    found = replicate_strip.find(scored(arms([[1, 3], [4, 4]])), DATA)
    assert "have a standard deviation of 1 (pooled over 2 questions with A, 2 answers each)" in found.sentence
    assert "“Text 0” (1 to 3 in 2 answers)" in found.sentence


def test_answers_that_all_agree_are_no_proof_of_steadiness() -> None:
    found = replicate_strip.find(scored(arms([[1, 1], [0, 0]]), VERDICT), DATA)
    assert found.sentence.startswith(
        "No variation in verdicts between answers to the same question (2 questions with A"
    )
    assert found.cautions


def test_only_the_most_varying_are_drawn_and_the_table_has_all() -> None:
    found = replicate_strip.find(scored(arms([[1, 0]] * 30 + [[1, 1]] * 30), VERDICT), DATA)
    assert (len(found.marks.strips), found.marks.others, len(found.table.rows)) == (40, 20, 60)
    assert "The figure shows the 40 that vary most; the table has all 60." in found.cautions


@pytest.mark.parametrize("metric", [VERDICT, HEDGES])
def test_judges_who_disagree_on_an_answer_make_no_question_flaky(metric: Metric) -> None:
    most, tied, other = [1, 1, 0], [1, 0, NAN], [0, 0, 1]
    worse, better = (other, most) if metric.higher_is_better else (most, other)
    values = np.array([[[most, most]], [[tied, worse]], [[tied, better]], [[most, other]]])
    run = scored(values, metric)
    found, reliable, heat = (chart.find(run, DATA) for chart in (replicate_strip, reliability, heatmap))
    different = "verdicts" if metric.trait is None else "“hedges” scores"
    assert found.sentence == f"2 of 4 questions with A (50%) have answers with different {different} (2 answers each)."
    assert reliable.marks.kinds["sometimes"] == 2 and "and 2 flaky (50%, 2 answers each)" in heat.sentence
    assert {value for strip in found.marks.strips for value in strip.values} <= {1 / 3, 1 / 2, 2 / 3}
    assert any("8 answers had conflicting judgments" in said for said in found.cautions)
    only = replicate_strip.find(scored(values[1:2], metric), DATA)
    assert only.sentence.endswith("(1 question with A, 2 answers each, by majority of judgments).")


def test_the_pass_rate_counts_every_judgment_but_each_question_the_same() -> None:
    values = np.array([[[1, 1, 0], [1, 1, 1]], [[0, 0, 0], [NAN, NAN, NAN]]], dtype=float)[:, None]
    scores = scored(values, VERDICT)
    found = pass_curves.find(scores, DATA)
    (said,) = [caution for caution in found.cautions if "pass@1" in caution]
    assert said.endswith("differs from the pass rate, which counts every judgment instead of the majority.")
    rate = arm_mean(scores, 0).value
    assert rate == pytest.approx((5 / 6 + 0) / 2) != pytest.approx(np.nanmean(values))
    column = found.table.columns.index("pass@k (at least one good)")
    assert found.table.rows[0][column] == pytest.approx(1 / 2)
    (entry,) = re.findall(r"\*\*Pass rate\*\*.*", CHAPTERS["glossary"].markdown)
    assert "Each question has the same weight." in entry


# Which is better, and by how much?


def test_a_clear_difference_is_told_with_what_the_data_allow() -> None:
    worse, better = [[0, 0, 1]] * 20 + [[1, 1, 1]] * 20, [[1, 0, 1]] * 15 + [[0, 0, 1]] * 5 + [[1, 1, 1]] * 20
    found = comparison.find(scored(arms(worse, better), VERDICT), DATA)
    assert found.sentence == (
        "B has a significantly higher pass rate than A on 40 questions with 3 replicates: 12 percentage points "
        "(95% CI 7 to 18)."
    )
    (one,) = found.marks.comparisons
    assert one.is_significant and one.p == one.difference.p < 0.001


def test_chance_is_not_sold_as_a_difference_and_what_would_settle_it_is_said() -> None:
    before, after = [[1, 0], [0, 1], [1, 1], [0, 0]] * 6, [[1, 1], [0, 0], [1, 1], [0, 1]] * 6
    found = comparison.find(scored(arms(before, after), VERDICT), DATA)
    assert found.sentence.startswith("No significant difference in pass rate between A and B on 24 questions")
    assert "Detecting a difference of 12 percentage points" in found.sentence
    assert not found.marks.comparisons[0].is_significant


def test_comparisons_are_corrected_for_their_number() -> None:
    chance = np.random.default_rng(5)
    values = (chance.random((40, 6, 2, 1)) < 0.5).astype(float)
    found = comparison.find(scored(values, VERDICT), DATA)
    assert found.sentence.startswith("None of 5 comparisons with A is significant (Holm-corrected).")
    ones = found.marks.comparisons
    assert all(one.difference.adjusted >= one.difference.p for one in ones)


def test_a_difference_that_is_only_rounding_is_none_and_nothing_is_planned_for_it() -> None:
    before, after = [[1, 0, 0], [1, 1, 1], [1, 1, 1]] * 7, [[1, 1, 0], [1, 1, 0], [1, 1, 1]] * 7
    found = comparison.find(scored(arms(before, after), VERDICT), DATA)
    assert np.sum(after) == np.sum(before) and np.mean(np.mean(after, 1) - np.mean(before, 1)) != 0
    row = dict(zip(found.table.columns, found.table.rows[0], strict=True))
    assert (row["Difference (percentage points)"], row["Questions needed"], row["Replicates needed"]) == (0, None, None)
    assert "The minimum detectable difference in pass rate" in found.sentence and "Detecting" not in found.sentence


def test_what_was_not_tested_names_no_test() -> None:
    same, one = [[1, 0], [0, 0], [1, 1]], [[1, 0]]
    for before, after, method in (
        (same, same, "no test: all questions alike"),
        (one, [[1, 1]], "no test: one question"),
        (same, [[1, 1], [0, 0], [1, 1]], "exact permutation test, t interval"),
    ):
        table = comparison.find(scored(arms(before, after), VERDICT), DATA).table
        assert dict(zip(table.columns, table.rows[0], strict=True))["Method"] == method


def test_a_number_of_questions_that_nobody_has_is_not_counted_out() -> None:
    chance = np.random.default_rng(2).normal(0, 1, 40)
    before = chance - chance.mean() + 1e-5
    found = comparison.find(scored(arms(np.zeros((40, 1)).tolist(), before[:, None].tolist()), NUMBER), DATA)
    row = dict(zip(found.table.columns, found.table.rows[0], strict=True))
    assert row["Questions needed"] == "more than 1,000,000"
    assert "takes more than 1,000,000 questions" in found.sentence


def test_a_lower_score_wins_where_lower_is_better() -> None:
    found = comparison.find(scored(arms([[1, 1]] * 20 + [[0, 0]] * 20, [[0, 0]] * 40), HEDGES), DATA)
    assert found.sentence.startswith(
        "B has a significantly lower “hedges” rate than A on 40 questions with 2 replicates: 50 p"
    )
    assert " Lower is better. " in found.sentence


def test_a_difference_that_a_few_questions_carry_is_doubted_by_ranks() -> None:
    few_gain_much = [[-0.1]] * 25 + [[1.0]] * 15
    found = comparison.find(scored(arms([[0.0]] * 40, few_gain_much), NUMBER), DATA)
    (one,) = found.marks.comparisons
    assert one.is_significant and one.ranks is not None and one.ranks > 0.05
    assert any("the Wilcoxon test does not confirm this" in words for words in found.cautions)
    all_gain = comparison.find(scored(arms([[0.0]] * 40, [[0.3 + n / 100] for n in range(40)]), NUMBER), DATA)
    assert not any("Wilcoxon" in words for words in all_gain.cautions)
    assert all_gain.table.rows[0][all_gain.table.columns.index("Wilcoxon p")] < 0.001


def test_the_table_has_the_interval_of_the_bootstrap_for_all_but_single_verdicts() -> None:
    values = arms([[0.0]] * 40, [[-0.1]] * 25 + [[1.0]] * 15)
    table = comparison.find(scored(values, NUMBER), DATA).table
    row = dict(zip(table.columns, table.rows[0], strict=True))
    drawn = stats.bootstrap((values[:, 1, 0, 0] - values[:, 0, 0, 0],), np.mean, rng=np.random.default_rng(1))
    ends = (drawn.confidence_interval.low, drawn.confidence_interval.high)
    assert (row["Bootstrap CI low"], row["Bootstrap CI high"]) == pytest.approx(ends, abs=0.03)
    assert row["Bootstrap CI low"] != row["95% CI low"]
    verdicts = comparison.find(scored(arms([[0.0]] * 20, [[1.0]] * 11 + [[0.0]] * 9), VERDICT), DATA).table
    row = dict(zip(verdicts.columns, verdicts.rows[0], strict=True))
    assert row["95% CI low (percentage points)"] is not None
    assert [row[f"Bootstrap CI {end} (percentage points)"] for end in ("low", "high")] == [None, None]
    assert row["Bootstrap method"] is None


def test_questions_scored_on_one_side_only_are_left_out_and_counted() -> None:
    found = comparison.find(scored(arms([[1.0], [0.0], [NAN], [1.0]], [[1.0], [NAN], [0.0], [0.0]]), VERDICT), DATA)
    (one,) = found.marks.comparisons
    row = dict(zip(found.table.columns, found.table.rows[0], strict=True))
    assert (one.difference.n, one.difference.dropped, row["Shared questions"]) == (2, 2, 2)
    assert "Excluded, because scored in only one of the two: B: 2 questions." in found.cautions
    assert any("only a hint" in caution for caution in found.cautions)


def test_an_interval_without_0_is_explained_where_the_difference_is_not_significant() -> None:
    """Six questions and two comparisons: the exact test cannot reach a corrected p below 0.06."""
    base = [[2.0], [3.0], [4.0], [2.0], [3.0], [4.0]]
    higher = [[score + gain] for (score,), gain in zip(base, (0.4, 0.5, 0.6, 0.4, 0.5, 0.6), strict=True)]
    found = comparison.find(scored(arms(base, higher, higher), GRADES), DATA)
    (caution,) = (said for said in found.cautions if "although the 95% CI excludes 0" in said)
    assert caution.startswith("B and C: not significant")
    alone = comparison.find(scored(arms(base, higher), GRADES), DATA)
    assert not any("excludes 0" in said for said in alone.cautions)


# Which questions fail where?


def test_the_flaky_come_first_and_the_failing_before_the_passing() -> None:
    values = arms([[1, 1, 1], [0, 0, 0], [1, 0, 1]])
    outcomes = ["passed" if value else "wrong" for value in values.ravel()]
    found = heatmap.find(scored(values, VERDICT), chart_data(texts=DATA.texts, outcome=outcomes))
    assert [row.question_id for row in found.marks.rows] == ["q2", "q1", "q0"]
    assert found.sentence == (
        "3 questions with A: 1 always passed, 1 never passed, and 1 flaky (33%, 3 answers each). Flakiest: “Text 2”."
    )
    assert found.marks.rows[0].cells[0].outcomes == ("passed", "wrong", "passed")
    assert found.marks.rows[0].cells[0].flip == pytest.approx(2 / 3)


def test_what_went_wrong_otherwise_is_told_apart_from_a_wrong_answer() -> None:
    outcomes: list[Any] = ["passed", "abstained", "error", None]
    found = heatmap.find(scored(arms([[1, 0, NAN, NAN]]), VERDICT), chart_data(outcome=outcomes))
    (row,) = found.marks.rows
    assert row.cells[0].outcomes == ("passed", "abstained", "error", None)
    assert (row.cells[0].successes, row.cells[0].trials) == (1, 2)
    assert found.table.rows[0][-1] == "passed, not answered, error, not run"


def test_answers_with_a_score_are_listed_by_it() -> None:
    outcomes: list[Any] = ["passed", "wrong", "error", None]
    found = heatmap.find(scored(arms([[4, 2.5, NAN, NAN]]), GRADES), chart_data(outcome=outcomes))
    assert found.table.rows[0][-1] == "4, 2.5, error, not run"


def test_without_repeated_answers_nobody_knows_what_is_flaky() -> None:
    found = heatmap.find(scored(arms([[1], [0]]), VERDICT), chart_data(outcome=["passed", "wrong"]))
    assert found.sentence.endswith("Flaky questions are unknown, as no question has two scored answers.")


# Is it the questions, the answers or the judge?


def test_the_largest_part_of_the_variance_says_what_to_do() -> None:
    chance = np.random.default_rng(3)
    steady = chance.normal(0, 3, (40, 1, 1, 1)) + chance.normal(0, 0.3, (40, 1, 4, 1))
    found = variance.find(scored(steady), DATA)
    assert "99% between questions" in found.sentence
    assert "More questions make the result more precise; more replicates hardly help." in found.sentence
    noisy = variance.find(scored(chance.normal(0, 1, (40, 1, 4, 1))), DATA)
    assert "More replicates of each question make the result more precise." in noisy.sentence
    parts = {trace["name"]: trace["hovertext"][0] for trace in KINDS["variance"].figure(found, LIGHT)["data"]}
    assert "shrinks with more questions, not with more replicates." in parts["Questions"]
    assert "shrinks with more replicates of each question, and with more questions." in parts["Answers"]
    (budget,) = found.marks.budgets
    assert budget.once is not None and budget.all is not None and 0.9 < budget.once < budget.all <= 1


def test_each_metric_of_the_run_has_its_bar_and_classes_without_order_have_none() -> None:
    values = np.random.default_rng(4).random((12, 2, 3, 1))
    tone = Metric("tone", "number", 0.0, 2.0, None, ("a", "b", "c"))
    data = ChartData(metrics=(NUMBER, GRADES, tone), scores=lambda metric: scored(values, metric))
    found = variance.find(scored(values, NUMBER), data)
    assert [budget.metric for budget in found.marks.budgets] == [NUMBER, GRADES]


def test_the_sentence_on_the_variance_is_about_the_metric_that_was_chosen() -> None:
    values = np.random.default_rng(4).random((12, 2, 3, 1))
    lone = Metric("code alone", "number", 0.0, 1.0, True)
    of = {NUMBER: values, lone: values[:1]}
    data = ChartData(metrics=(NUMBER, lone), scores=lambda metric: scored(of[metric], metric))
    found = variance.find(scored(values[:1], lone), data)
    assert found.sentence == "Not available for “code alone” scores: Fewer than two questions have scores."
    assert [budget.metric for budget in found.marks.budgets] == [NUMBER]
    tone = Metric("tone", "number", 0.0, 2.0, None, ("a", "b", "c"))
    assert variance.find(scored(np.ones((3, 1, 1, 1)), tone), data).sentence.startswith(
        "Not available: the classes of “tone” have no order"
    )


def test_what_answers_add_is_named_where_it_cannot_be_told_apart_and_advises_no_replicates() -> None:
    found = variance.find(scored(np.random.default_rng(4).random((12, 2, 1, 1))), DATA)
    assert "one configuration better and between answers to the same question (not separable)" in found.sentence
    row = dict(zip(found.table.columns, found.table.rows[0], strict=True))
    assert "the effect of more replicates cannot be estimated" in str(row["Recommendation"])
    (part,) = (trace for trace in KINDS["variance"].figure(found, LIGHT)["data"] if "×" in trace["name"])
    assert "not separable" in part["hovertext"][0]
    assert "These data do not show the effect of more replicates." in part["hovertext"][0]


# Can it ever, and does it always?


def test_pass_curves_are_those_of_the_published_example() -> None:
    found = pass_curves.find(scored(arms([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), VERDICT), DATA)
    (curve,) = found.marks.curves
    assert [curve.any[at].value for at in (0, 1)] == pytest.approx([0.7, 0.95])
    assert [curve.all[at].value for at in (0, 1)] == pytest.approx([0.7, 0.45])
    assert found.sentence == (
        "A passes 100% of 2 questions at least once in 5 attempts (pass@5, 95% CI 34% to 100%) and 0% every time "
        "(pass^5, 95% CI 0% to 66%). The gap is questions that it can answer, but not every time."
    )


def test_intervals_of_few_questions_are_called_approximate_in_curves() -> None:
    few, many = ([[1, 0], [0, 0], [1, 1], [0, 1]] * number for number in (2, 20))
    said = APPROXIMATE
    assert said in pass_curves.find(scored(arms(few), VERDICT), DATA).cautions
    assert said not in pass_curves.find(scored(arms(many), VERDICT), DATA).cautions


def test_a_score_that_is_no_yes_or_no_has_no_pass_curve_and_says_what_to_choose() -> None:
    found = pass_curves.find(scored(arms([[1, 3]])), DATA)
    assert found.marks is None and "Choose the pass rate" in found.empty_reason


def test_the_good_end_of_a_trait_is_what_a_pass_curve_counts() -> None:
    found = pass_curves.find(scored(arms([[0, 0], [1, 0]]), HEDGES), DATA)
    assert "“hedges” is no for A on 100% of 2 questions at least once" in found.sentence
    assert "50% every time" in found.sentence


# Would more replicates make the result surer?


def test_what_endless_replicates_give_is_no_single_number_where_few_questions_do_not_tell_it() -> None:
    """16 questions that differ little, so that the variance between them is uncertain."""
    ease = np.linspace(0.5, 0.75, 16)[:, None, None, None]
    values = (np.random.default_rng(16).random((16, 1, 3, 1)) < ease).astype(float)
    found = convergence.find(scored(values, VERDICT), DATA)
    (course,) = found.marks.curves
    now = course.halves[-1]
    assert 0 < course.limit < 0.2 * now and 0.9 * now < course.limit_most < now
    assert (
        "Unlimited replicates would reduce it to 2 to 14 percentage points, so these data do not show" in found.sentence
    )
    (mark,) = [each for each in KINDS["convergence"].figure(found, LIGHT)["data"] if "error_y" in each]
    assert mark["y"][0] + mark["error_y"]["array"][0] == pytest.approx(100 * course.limit_most)
    row = dict(zip(found.table.columns, found.table.rows[-1], strict=True))
    assert (row["Margin with unlimited replicates"], row["Upper bound"]) == (course.limit, course.limit_most)


def test_where_questions_differ_most_only_more_questions_help() -> None:
    chance = np.random.default_rng(6)
    values = chance.normal(0, 3, (40, 1, 1, 1)) + chance.normal(0, 0.3, (40, 1, 4, 1))
    found = convergence.find(scored(values), DATA)
    assert (
        found.sentence.startswith("A has a mean “depth” score of ")
        and " on 40 questions with 4 replicates: " in found.sentence
    )
    assert found.sentence.endswith("Unlimited replicates would hardly reduce it; only more questions do.")


def test_where_answers_differ_most_more_replicates_help() -> None:
    found = convergence.find(scored(np.random.default_rng(7).normal(0, 1, (40, 1, 2, 1))), DATA)
    (course,) = found.marks.curves
    assert "more replicates are worth their cost" in found.sentence
    alike = convergence.find(scored(arms([[1, 5], [5, 1], [1, 5], [5, 1.5]]), GRADES), DATA)
    assert "More questions or more replicates reduce it." in alike.sentence
    assert course.limit is not None and course.halves[1] is not None and course.limit < course.halves[1] / 2


def test_an_interval_that_ends_where_the_scale_does_has_its_half_width() -> None:
    values = np.zeros((12, 1, 3, 1))
    values[0, 0, :2], values[1, 0, :1] = 9, 4
    found = convergence.find(scored(values, Metric("findings", "number", 0.0, None)), DATA)
    (course,) = found.marks.curves
    last = course.points[-1]
    assert last.low == 0 and last.value is not None and last.high is not None
    assert course.halves[-1] == pytest.approx(last.high / 2)


def test_near_the_end_of_the_scale_sentence_table_and_axis_have_one_half_width() -> None:
    values = np.ones((12, 1, 3, 1))
    values[0, 0, :2], values[1, 0, :1] = 0, 0
    found = convergence.find(scored(values, VERDICT), DATA)
    (course,) = found.marks.curves
    last = course.points[-1]
    assert last.value is not None and last.low is not None and last.high is not None
    assert last.value < last.high < 1 and last.value - last.low > last.high - last.value
    half = (last.high - last.low) / 2
    assert course.halves[-1] == pytest.approx(half)
    assert (
        f"(95% CI 70% to 98%) on 12 questions with 3 replicates: a margin of error of {100 * half:.0f} percentage"
        in found.sentence
    )
    assert found.table.rows[-1][found.table.columns.index("Margin of error")] == half
    drawn = KINDS["convergence"].figure(found, LIGHT)["data"][1]
    assert (
        drawn["y"][-1] == pytest.approx(100 * half)
        and f"margin {100 * half:.0f} percentage points" in drawn["text"][-1]
    )


def test_means_near_the_end_of_the_scale_are_drawn_on_what_there_is_of_it() -> None:
    finding = convergence.find(scored(arms([[1, 1]] * 29 + [[1, 0]]), VERDICT), DATA)
    low, high = KINDS["convergence"].figure(finding, LIGHT)["layout"]["yaxis"]["range"]
    assert 0.8 < low < 0.95 and 1 < high < 1.01


def test_what_is_wanted_is_answered_where_all_come_out_alike() -> None:
    always = scored(np.ones((20, 1, 3, 1)), VERDICT)
    reached = convergence.find(always, ChartData(request=ChartRequest(within=20)))
    assert "(95% CI 84% to 100%)" in reached.sentence
    assert reached.sentence.endswith("of 8 percentage points. This meets the target of 20 percentage points.")
    more = convergence.find(always, ChartData(request=ChartRequest(within=5)))
    assert (
        "For a margin of 5 percentage points, you need about 35 questions with the same number of replicates."
        in more.sentence
    )
    assert wilson(35, 35).low == pytest.approx(0.90, abs=0.002)


def test_means_without_an_interval_are_not_passed_over_in_silence() -> None:
    values = np.concatenate([np.ones((2, 1, 3, 1)), np.full((2, 1, 3, 1), 1.0)], axis=1)
    values[:, 1, 0] = 0
    found = convergence.find(scored(values, VERDICT), DATA)
    assert (
        found.sentence.startswith("A has a pass rate") and "largest of all configurations with a CI." in found.sentence
    )


def test_the_mean_is_followed_from_replicate_to_replicate() -> None:
    found = convergence.find(scored(arms([[1, 1, 0], [0, 1, 0], [NAN, 0, 0]]), VERDICT), DATA)
    (course,) = found.marks.curves
    assert [point.value for point in course.points] == pytest.approx([0.5, 0.5, 1 / 3])
    assert [point.n for point in course.points] == [2, 3, 3]
    assert any("Points to the left leave out questions" in caution for caution in found.cautions)


def test_what_a_half_width_takes_is_said_drawn_and_told_by_the_table() -> None:
    values = np.random.default_rng(7).normal(3, 0.2, (40, 1, 1, 1)) + np.random.default_rng(8).normal(
        0, 1, (40, 1, 6, 1)
    )
    found = convergence.find(scored(values), wanting(0.135))
    (course,) = found.marks.curves
    assert course.need is not None and course.need.replicates is not None
    replicates, questions = course.need.replicates, course.need.questions
    assert found.sentence.endswith(
        f" For a margin of 0.135, you need about {replicates} replicates of each of these questions, or "
        f"about {questions} questions with the same number of replicates."
    )
    assert 6 < replicates <= 20 and len(course.need.predicted) == replicates - 6
    assert course.need.predicted[-1] <= 0.135 + 1e-9 < course.need.predicted[-2]
    rows = [dict(zip(found.table.columns, row, strict=True)) for row in found.table.rows]
    assert [row["Target margin"] for row in rows] == [0.135] * 6
    assert [row["Replicates needed"] for row in rows] == [*[None] * 5, replicates]
    assert rows[-1]["Questions needed"] == questions
    figure = KINDS["convergence"].figure(found, LIGHT)
    assert figure["layout"]["annotations"][0]["text"] == "Target: 0.135"
    assert f"Needed: about {replicates} replicates or about {questions} questions" in figure["data"][0]["name"]
    (foreseen,) = [trace for trace in figure["data"] if trace.get("line", {}).get("dash") == "dot"]
    assert (foreseen["x"][0], foreseen["x"][-1]) == (6, replicates) and foreseen["y"][-1] <= 0.135 + 1e-9
    assert figure["layout"]["xaxis2"]["range"][1] > replicates > figure["layout"]["xaxis"]["range"][1]


def test_what_replicates_would_do_is_left_open_where_the_data_allow_both() -> None:
    """40 questions with 2 answers each and hardly any variance between questions."""
    values = np.random.default_rng(3).normal(0, 1, (40, 1, 2, 1))
    now = convergence.find(scored(values), DATA).marks.curves[0]
    assert now.limit < 0.3 * now.halves[-1]
    found = convergence.find(scored(values), wanting(0.3 * now.halves[-1]))
    (course,) = found.marks.curves
    assert course.need.uncertain and course.need.replicates is None and course.need.predicted == ()
    assert found.sentence.endswith(
        " with the same number of replicates. These data do not show whether any number of replicates would be enough."
    )


def test_the_sentence_is_about_the_mean_that_takes_most_for_what_is_wanted() -> None:
    chance = np.random.default_rng(3)
    near, middle = chance.random((60, 3)) < 0.97, chance.random((60, 3)) < 0.5
    near[12:] = np.nan  # few questions, and a wide interval
    values = np.stack([np.where(np.arange(60)[:, None] < 12, near, np.nan), middle], axis=1)[..., None].astype(float)
    found = convergence.find(scored(values, VERDICT), ChartData(request=ChartRequest(within=4)))
    few, many = found.marks.curves
    assert few.halves[-1] > many.halves[-1] and few.need.questions < many.need.questions
    assert (
        found.sentence.startswith(f"{many.label} has a pass rate")
        and "the one that needs the most questions." in found.sentence
    )
    assert f"you need about {many.need.questions} questions" in found.sentence


def test_a_half_width_that_is_missed_by_a_hair_is_not_said_to_be_the_one_that_is_wanted() -> None:
    scores = scored(np.random.default_rng(7).normal(0, 1, (40, 1, 2, 1)))
    (course,) = convergence.find(scores, DATA).marks.curves
    found = convergence.find(scores, wanting(course.halves[-1] - 0.0001))
    assert not found.marks.curves[0].need.reached
    assert "a margin of error of slightly more than 0." in found.sentence


def test_further_replicates_are_foreseen_with_as_many_failures() -> None:
    """The first predicted number follows the last measured one."""
    chance = np.random.default_rng(5)
    values = chance.normal(0, 1, (60, 1, 1, 1)) + chance.normal(0, 1, (60, 1, 3, 1))
    values[chance.random((60, 1, 3, 1)) < 1 / 3] = np.nan
    (course,) = (found := convergence.find(scored(values), DATA)).marks.curves
    now = course.halves[-1]
    (course,) = convergence.find(scored(values), wanting(0.97 * now)).marks.curves
    assert course.need.predicted and 0.9 * now < course.need.predicted[0] < now
    assert found.empty_reason == ""


def test_numbers_beyond_all_use_are_words_and_none_that_was_reached_is_more_than_there_are() -> None:
    values = np.random.default_rng(6).normal(0, 3, (40, 1, 3, 1))
    rows = convergence.find(scored(values), wanting(1e-4)).table
    assert rows.rows[-1][rows.columns.index("Questions needed")] == "more than 1,000,000"
    alike = convergence.find(scored(np.ones((20, 1, 3, 1)), VERDICT), ChartData(request=ChartRequest(within=99))).table
    assert [alike.rows[-1][alike.columns.index(name)] for name in ("Replicates needed", "Questions needed")] == [1, 1]


def test_where_no_number_of_replicates_is_enough_only_questions_are_told() -> None:
    chance = np.random.default_rng(6)
    values = chance.normal(0, 3, (40, 1, 1, 1)) + chance.normal(0, 0.3, (40, 1, 4, 1))
    found = convergence.find(scored(values), wanting(0.5))
    only = (
        r"you need about \d+ questions with the same number of replicates\. "
        r"No number of replicates of these questions is enough\.$"
    )
    assert re.search(rf"For a margin of 0\.5, {only}", found.sentence)
    assert found.marks.curves[0].need.predicted == ()
    tiny = convergence.find(scored(values), wanting(1e-5))
    assert "you need more than 1,000,000 questions" in tiny.sentence


def test_a_half_width_that_is_reached_is_said_to_be_and_one_of_rates_is_in_points() -> None:
    rates = arms([[1, 0], [1, 1], [0, 0], [1, 1], [0, 1], [1, 1]])
    (course,) = (found := convergence.find(scored(rates, VERDICT), wanting(60))).marks.curves
    assert found.sentence.endswith(
        "a margin of error of 33 percentage points. This meets the target of 60 percentage points."
    )
    assert course.need.reached and found.marks.target == 0.6
    assert not any("hint" in caution for caution in found.cautions)
    sooner = convergence.find(scored(rates, VERDICT), wanting(5))
    assert "For a margin of 5 percentage points, you need about" in sooner.sentence
    assert any("only a hint (A)" in caution for caution in sooner.cautions)
    assert "Target margin" not in convergence.find(scored(rates, VERDICT), DATA).table.columns


def wanting(within: float) -> ChartData:
    return replace(DATA, request=ChartRequest(within=within))


# How are the scores distributed?


def test_all_grades_have_a_bar_also_those_that_nobody_gave() -> None:
    found = distribution.find(scored(arms([[1, 1], [3, 5]]), GRADES), DATA)
    assert [one.label for one in found.marks.bins] == ["1", "2", "3", "4", "5"]
    assert found.marks.arms[0].counts == (2, 0, 1, 0, 1)
    assert found.sentence == "Most frequent “depth” score: 1, 2 of 4 scores. A has a mean of 2.5."


def test_classes_are_called_by_their_names() -> None:
    tone = Metric("tone", "number", 0.0, 1.0, None, ("casual", "formal"))
    found = distribution.find(scored(arms([[0, 0, -1]], [[1, 1, 1]]), tone), DATA)
    assert [one.label for one in found.marks.bins] == ["none of the classes", "casual", "formal"]
    assert found.sentence == ("Most frequent “tone” class: formal, 3 of 6 scores, from 0 of 3 (A) to 3 of 3 (B).")


def test_many_different_scores_are_counted_in_ranges() -> None:
    found = distribution.find(scored(np.linspace(0, 100, 40).reshape(40, 1, 1, 1)), DATA)
    assert len(found.marks.bins) == MAX_BARS_BY_SCORE and sum(found.marks.arms[0].counts) == 40


# What does quality cost?


def test_the_best_and_the_cheapest_are_named_with_their_prices() -> None:
    scores = scored(arms([[1]] * 3 + [[0]], [[1]] * 2 + [[0]] * 2), VERDICT)
    data = chart_data(outcome=["passed"] * 8, dollars=[0.02, 0.01] * 4, seconds=[1.0] * 8)
    found = cost.find(scores, data)
    assert found.sentence.startswith(
        "Highest pass rate: A, 75% (95% CI 30% to 95%) on 4 questions, $0.02 per answer including judging (4 answers). "
        "Lowest cost: B, 50% (95% CI 15% to 85%) on 4 questions, $0.01 per answer including judging (4 answers), 50% "
        "less."
    )
    assert ["dollars" in arm.best_by for arm in found.marks.arms] == [True, True] and found.marks.unit == "dollars"


def test_each_panel_of_costs_has_its_own_pareto_line_and_the_table_a_column_for_each() -> None:
    """A is best and slow, B is quick and dear, C is worse than B in all."""
    scores = scored(arms([[1]] * 3 + [[0]], [[1]] * 2 + [[0]] * 2, [[1]] + [[0]] * 3), VERDICT)
    data = chart_data(outcome=["passed"] * 12, dollars=[0.01, 0.02, 0.03] * 4, seconds=[3.0, 1.0, 2.0] * 4)
    found = cost.find(scores, data)
    column = found.table.columns.index("Pareto-optimal by cost")
    assert [row[column : column + 2] for row in found.table.rows] == [("yes", "yes"), ("no", "yes"), ("no", "no")]
    lines = [trace for trace in KINDS["cost"].figure(found, LIGHT)["data"] if trace["mode"] == "lines"]
    assert [(line["xaxis"], line["x"], line["y"]) for line in lines] == [("x2", [1.0, 3.0], [0.5, 0.75])]
    assert [line["showlegend"] for line in lines] == [True]


def test_one_that_costs_more_than_an_equally_good_one_is_not_on_the_pareto_line() -> None:
    scores = scored(arms([[1]] * 3 + [[0]], [[1]] * 3 + [[0]], [[1]] + [[0]] * 3), VERDICT)
    data = chart_data(outcome=["passed"] * 12, dollars=[0.03, 0.02, 0.01] * 4)
    found = cost.find(scores, data)
    assert ["dollars" in arm.best_by for arm in found.marks.arms] == [False, True, True]
    (line,) = [trace for trace in KINDS["cost"].figure(found, LIGHT)["data"] if trace["mode"] == "lines"]
    assert line["name"] == "Pareto-optimal: none as good for less"


def test_costs_in_tokens_are_called_tokens_and_have_no_decimals() -> None:
    scores = scored(arms([[1]] * 4, [[1]] * 2 + [[0]] * 2), VERDICT)
    found = cost.find(scores, chart_data(outcome=["passed"] * 8, tokens=[947, 895, 947, 896] * 2, dollars=[0.0] * 8))
    assert "Fewest tokens: B, 50% (95% CI 15% to 85%) on 4 questions, 896 tokens per answer" in found.sentence
    assert "Pareto-optimal by tokens" in found.table.columns and "Pareto-optimal by cost" not in found.table.columns
    assert "cost" not in found.sentence.replace("Costs", "")


@pytest.mark.parametrize(
    ("second", "dollars", "start"),
    [
        (
            1,
            [0.02, 0.01],
            "Lowest (best) “hedges” rate: A, 0% (95% CI 0% to 66%) on 2 questions, $0.02 per answer including",
        ),
        (
            1,
            [0.01, 0.02],
            "Lowest (best) “hedges” rate and lowest cost: A, 0% (95% CI 0% to 66%) on 2 questions, $0.01 per answer",
        ),
        (0, [0.01, 0.01], "No configuration has a better “hedges” rate or a lower cost than A: 0% (95% CI 0% to 66%)"),
    ],
)
def test_where_low_is_good_the_sentence_on_the_best_says_so(second: float, dollars: list[float], start: str) -> None:
    scores = scored(arms([[0], [0]], [[second], [second]]), HEDGES)
    data = chart_data(outcome=["passed"] * 4, dollars=dollars * 2, seconds=[1.0] * 4)
    assert cost.find(scores, data).sentence.startswith(start)


def test_an_answer_that_was_judged_several_times_is_one_answer_with_one_cost() -> None:
    twice = np.array([[[[1, 1]], [[0, 1]]]], dtype=float)  # one question, two arms, one answer each, judged twice
    data = chart_data(outcome=["passed"] * 4, dollars=[0.5, 0.5, 0.2, 0.2], seconds=[3.0, 3.0, 1.0, 1.0])
    found = cost.find(scored(twice, VERDICT), data)
    assert [(arm.dollars.value, arm.dollars.n, arm.answers) for arm in found.marks.arms] == [(0.5, 1, 1), (0.2, 1, 1)]


def test_costs_have_the_interval_of_drawn_questions_in_the_table_and_the_figure() -> None:
    chance = np.random.default_rng(3)
    dollars = chance.exponential(0.01, 40)
    data = chart_data(outcome=["passed"] * 40, dollars=dollars.tolist(), seconds=[1.0] * 40)
    found = cost.find(scored(arms([[1]] * 30 + [[0]] * 10), VERDICT), data)
    row = dict(zip(found.table.columns, found.table.rows[0], strict=True))
    drawn = stats.bootstrap((dollars,), np.mean, rng=np.random.default_rng(1)).confidence_interval
    assert (row["Cost CI low"], row["Cost CI high"]) == pytest.approx((drawn.low, drawn.high), rel=0.03)
    assert (row["Seconds CI low"], row["Seconds CI high"]) == (None, None)  # which never differ
    (point,) = (trace for trace in KINDS["cost"].figure(found, LIGHT)["data"] if "error_x" in trace)
    (far,) = point["error_x"]["array"]
    assert far == pytest.approx(row["Cost CI high"] - row["Cost per answer incl. judging ($)"])
    assert "Cost intervals may be too narrow with fewer than 100 questions." in found.cautions


@pytest.mark.parametrize(("apart", "surely"), [(0.1, False), (20.0, True)])
def test_the_cheapest_is_said_to_be_unsure_while_the_paired_test_finds_nothing(apart: float, surely: bool) -> None:
    draw = np.random.default_rng(3)
    # Questions differ far more than arms, so that all intervals overlap.
    tokens = draw.normal(389, 200, (40, 1)) + draw.normal(0, 5, (40, 2)) + np.array([0.0, apart])
    said = "The order by tokens is uncertain, because a paired test finds no significant difference (p = 0.89)."
    for better in (0, 1):
        verdicts = [[[1.0 - abs(better - arm)]] * 40 for arm in (0, 1)]
        told = cost.find(
            scored(arms(*verdicts), VERDICT), chart_data(outcome=["passed"] * 80, tokens=tokens.ravel().tolist())
        ).sentence
        assert "ewest tokens: " in told and told.endswith(said) == (not surely)
    same = scored(arms([[1.0]] * 40, [[1.0]] * 40), VERDICT)
    told = cost.find(same, chart_data(outcome=["passed"] * 80, tokens=tokens.ravel().tolist())).sentence
    assert told.startswith("No configuration has a better pass rate or fewer tokens than A: ") and told.endswith(
        said
    ) == (not surely)
    length = replace(NUMBER, trait="length")
    told = cost.find(
        scored(arms([[1.0]] * 40, [[2.0]] * 40), length), chart_data(tokens=tokens.ravel().tolist())
    ).sentence
    assert told.startswith("Fewest tokens: A, mean “length” score 1 ") and told.endswith(said) == (not surely)


def test_where_a_price_is_missing_tokens_stand_for_the_cost() -> None:
    scores = scored(arms([[1]], [[0]]), VERDICT)
    found = cost.find(scores, chart_data(outcome=["passed", "wrong"], dollars=[0.1, None], tokens=[10, 20]))
    assert found.marks.unit == "tokens" and ["tokens" in arm.best_by for arm in found.marks.arms] == [True, False]
    assert any("prices" in caution for caution in found.cautions)


# Do the judges agree?


def test_judges_that_agree_may_be_relied_on() -> None:
    ratings = [1, 0] * 40
    found = judges.find(_judged([ratings, [*ratings[:-1], 1]]), DATA)
    assert found.sentence.startswith(
        "a and b, verdicts: same rating for 99% of 80 answers, Krippendorff’s alpha 0.98 (95% CI "
    )
    assert "Reliable: the CI is at or above 0.8. Where they differ, b passes what a fails in 1" in found.sentence
    assert found.marks.confusion.counts == ((39, 1), (0, 40))


def test_judges_that_differ_in_one_direction_are_not_called_balanced_by_silence() -> None:
    lenient = [1, 0] * 20
    strict = [0 if at < 20 else rating for at, rating in enumerate(lenient)]
    found = judges.find(_judged([lenient, strict]), DATA)
    assert "Where they differ, a passes what b fails in 10 of 10 answers." in found.sentence
    assert any("p = 0.002" in caution and "depend on the choice of judge" in caution for caution in found.cautions)
    row = dict(zip(found.table.columns, found.table.rows[0], strict=True))
    assert (row["First higher"], row["Second higher"]) == (10, 0)
    assert row["Sign test p"] == pytest.approx(2 * 0.5**10)
    both_ways = judges.find(
        _judged([lenient, [1 - rating if at < 10 else rating for at, rating in enumerate(lenient)]]), DATA
    )
    assert "in 5 of 10 answers" in both_ways.sentence
    assert not any("systematic difference" in caution for caution in both_ways.cautions)


def test_answers_to_one_question_are_one_sign_for_the_direction_of_two_judges() -> None:
    ratings = np.array([[[[1, 0]] * 10], [[[1, 1]] * 10]], dtype=float)
    found = judges.find(scored(ratings, VERDICT, judges=[Judgment("a", 1), Judgment("b", 1)]), DATA)
    (one,) = found.marks.groups
    assert (one.leaning.above, one.leaning.questions, one.leaning.one_sided) == ((10, 0), (1, 0), False)


def test_of_grades_it_is_said_how_much_of_their_spread_is_the_answers_own() -> None:
    grades = [1, 2, 3, 4, 5] * 8
    strict = [max(1, grade - 1) for grade in grades]
    found = judges.find(_graded([[*grades, 5], [*strict, NAN]]), DATA)
    (one,) = found.marks.groups
    assert (one.icc.n, one.same.n) == (40, 40)
    assert any(said.startswith("“Sources of variance” estimates the judge’s share") for said in found.cautions)
    assert one.icc.value == pytest.approx(icc(np.array([grades, strict], dtype=float).T)["ICC(A,1)"])
    assert found.sentence.endswith(
        "Of the variance of single judgments, 80% lies between answers and the rest between judgments of the same "
        f"answer (ICC for absolute agreement 0.80, 95% CI {one.icc.low:.2f} to {one.icc.high:.2f})."
    )
    row = dict(zip(found.table.columns, found.table.rows[0], strict=True))
    assert (row["ICC (absolute agreement)"], row["Answers with all judgments"]) == (one.icc.value, 40)
    (words,) = KINDS["judges"].figure(found, LIGHT)["data"][0]["text"]
    assert re.search(r"ICC 0\.8 \(95% CI 0\.\d+ to 0\.\d+\) for 40 answers", words)


def test_judges_of_whom_one_has_left_out_answers_are_compared_on_the_others() -> None:
    three = scored(judged([1, 2, 3, 4], [1, 2, 3, 5], [2, 2, NAN, 4]), GRADES, judges=[Judgment(j, 1) for j in "abc"])
    assert (
        "Of the variance of single judgments for the 3 answers with all judgments, "
        in judges.find(three, DATA).sentence
    )


def test_grades_that_only_contradict_each_other_have_nothing_of_the_answers() -> None:
    told = judges.find(_graded([[1, 2, 3, 4, 5] * 3, [5, 4, 3, 2, 1] * 3]), DATA).sentence
    assert "Of the variance of single judgments, none lies between answers" in told and "agreement -" in told


def test_yes_and_no_and_classes_have_no_such_figure() -> None:
    found = judges.find(_judged([[1, 0] * 20, [1, 1, 0, 0] * 10]), DATA)
    assert found.marks.groups[0].icc.value is None and "ICC" not in found.sentence
    assert not any("Sources of variance" in said for said in found.cautions)


def _graded(ratings: list[list[float]]) -> Any:
    return scored(judged(*ratings), GRADES, judges=[Judgment("a", 1), Judgment("b", 1)])


def test_judges_at_odds_are_not_and_the_sentence_says_what_to_do() -> None:
    found = judges.find(_judged([[1, 0] * 20, [1, 1, 0, 0] * 10]), DATA)
    assert "Make the rubric clearer" in found.sentence


def test_agreement_that_chance_would_give_as_well_is_no_agreement() -> None:
    found = judges.find(_judged([[1.0] * 9, [1.0] * 9]), DATA)
    assert found.marks.groups[0].alpha.value is None and "undefined" in found.sentence


def test_agreement_without_an_interval_lets_nothing_rest_on_it() -> None:
    found = judges.find(_judged([[1, 1, 0, 0], [1, 1, 0, 1]]), DATA)
    assert found.marks.groups[0].alpha.low is not None
    single = judges.find(_judged([[1, 0], [1, 1]]), DATA)
    assert single.marks.groups[0].alpha.low is None
    assert "These data allow no interval, so the agreement is uncertain." in single.sentence


def test_one_judgment_of_each_answer_says_how_to_get_a_second() -> None:
    found = judges.find(scored(arms([[1], [0]]), VERDICT), DATA)
    assert found.marks is None and "second judge" in found.empty_reason


def _judged(ratings: list[list[float]]) -> Any:
    return scored(judged(*ratings), VERDICT, judges=[Judgment("a", 1), Judgment("b", 1)])


# What comes out the same is not ranked


AMONG_REPEATED = " among those with two or more answers to most questions"
DOUBTFUL = " The order by pass^2 is uncertain, because a paired test finds no significant difference (p = {p})."


def test_of_arms_that_always_do_as_well_none_is_called_the_steadiest() -> None:
    same = arms([[1, 1], [1, 0]], [[1, 1], [0, 1]])
    assert pass_curves.find(scored(same, VERDICT), DATA).sentence.endswith("No configuration has a higher pass^2.")


def test_the_steadiest_is_said_to_be_unsure_while_the_paired_test_finds_nothing() -> None:
    found = pass_curves.find(scored(arms([[1, 1], [1, 0], [1, 1]], [[1, 1], [1, 0], [1, 0]]), VERDICT), DATA)
    assert found.sentence.startswith("A passes ")
    assert found.sentence.endswith(f"Its pass^2 is the highest of all configurations.{DOUBTFUL.format(p='1.00')}")
    # Their intervals overlap: each question is hard or easy for both.
    close = pass_curves.find(scored(arms([[0, 0]] * 20 + [[1, 1]] * 20, [[0, 0]] * 30 + [[1, 1]] * 10), VERDICT), DATA)
    assert close.sentence.endswith("Its pass^2 is the highest of all configurations.")
    surer = pass_curves.find(scored(arms([[1, 1]] * 20 + [[1, 0]] * 2, [[0, 0]] * 20 + [[1, 1]] * 2), VERDICT), DATA)
    assert surer.sentence.endswith("Its pass^2 is the highest of all configurations.")
    lone = pass_curves.find(scored(arms([[1, 1]], [[1, 0]]), VERDICT), DATA)
    assert lone.sentence.endswith(" The order by pass^2 is uncertain, because these data allow no paired test.")


def test_arms_are_compared_in_as_many_tries_as_all_of_them_have() -> None:
    whole = [[1, 1, 1]] * 6 + [[1, 0, 1]] * 4
    failed = [[1, 1, NAN]] * 7 + [[1, 1, 1]] * 2 + [[0, 0, 1]]
    told = pass_curves.find(scored(arms(whole, failed), VERDICT), DATA).sentence
    assert told.startswith("B passes 97% of 10 questions at least once in 2 attempts (pass@2")
    assert told.endswith(f"Its pass^2 is the highest of all configurations.{DOUBTFUL.format(p='0.25')}")
    once = [[1, NAN, NAN]] * 9 + [[1, 1, NAN]]
    told = pass_curves.find(scored(arms(whole, once), VERDICT), DATA).sentence
    assert "at least once in 3 attempts" in told and told.endswith("most of their questions have only one answer.")
    told = pass_curves.find(scored(arms(whole, failed, once), VERDICT), DATA).sentence
    assert told.startswith("B passes ") and f"Its pass^2 is the highest of all configurations{AMONG_REPEATED}." in told
    told = pass_curves.find(scored(arms(whole, whole, once), VERDICT), DATA).sentence
    assert told.startswith("A passes ") and told.endswith(f"No configuration has a higher pass^3{AMONG_REPEATED}.")


def test_scores_that_are_equally_frequent_are_all_named() -> None:
    found = distribution.find(scored(arms([[0, 1]], [[1, 0]]), HEDGES), DATA)
    assert found.sentence == "Most frequent “hedges” scores: no and yes, each 2 of 4 scores."


def test_comparisons_that_all_come_out_the_same_have_no_largest() -> None:
    same = [[1, 1], [0, 0], [1, 0]]
    told = comparison.find(scored(arms(same, same, same), VERDICT), DATA).sentence
    assert "For example: B vs. A, 0 percentage points in pass rate on 3 questions" in told and "Largest" not in told


def test_what_is_as_good_for_the_same_cost_is_not_called_the_best() -> None:
    scores = scored(arms([[1], [1]], [[1], [1]]), VERDICT)
    data = chart_data(tokens=[500] * len(scores), seconds=[1.0] * len(scores))
    assert cost.find(scores, data).sentence.startswith(
        "No configuration has a better pass rate or fewer tokens than A: 100%"
    )


def test_one_question_does_not_advise_more_replicates() -> None:
    scores = scored(arms([[1, 0, 1]], [[0, 0, 1]]), VERDICT)
    data = ChartData(metrics=(VERDICT,), scores=lambda _: scores)
    told = variance.find(scores, data).sentence
    assert told.startswith("Not available: Fewer than two questions have scores.") and "replicates" not in told


def test_intervals_of_several_comparisons_are_said_to_be_uncorrected_and_the_largest_to_shrink() -> None:
    several = comparison.find(scored(arms([[1], [0]] * 10, [[1], [1]] * 10, [[0], [1]] * 10), VERDICT), DATA)
    uncorrected = (
        "Each interval is for one comparison and not corrected for the number of comparisons. The largest of several "
        "differences is likely to shrink when it is measured again."
    )
    assert uncorrected in several.cautions
    one = comparison.find(scored(arms([[1], [0]] * 10, [[1], [1]] * 10), VERDICT), DATA)
    assert uncorrected not in one.cautions


def test_judgments_without_any_disagreement_recommend_no_judge() -> None:
    told = judges.find(scored(judged([1, 0] * 20, [1, 0] * 20), VERDICT), DATA).sentence
    assert "The judgments agree on every answer." in told
    assert "Reliable" not in told


def test_every_question_of_the_heatmap_is_in_one_of_its_counts() -> None:
    values = arms([[1, 1], [1, 1], [1, 0], [0, 0], [NAN, NAN]], [[1, 1], [0, 0], [1, 1], [0, 0], [NAN, NAN]])
    told = heatmap.find(scored(values, VERDICT), DATA).sentence
    assert told.startswith(
        "5 questions in 2 configurations: 1 always passed, 1 never passed, 1 passed in some configurations only, 1 "
        "without a score, and 1 flaky in at least one configuration (20%, 2 answers each)."
    )


def test_dollars_that_nobody_knows_are_not_said_to_be_known_of_some() -> None:
    scores = scored(arms([[1], [0]], [[1], [1]]), VERDICT)
    data = chart_data(tokens=[500] * len(scores))
    assert "Costs in dollars are unknown: enter the prices of the models." in cost.find(scores, data).cautions
