from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from karenina_gui.analysis.estimate import Estimate, PairedDifference, PowerPlan, VarianceComponents
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.report_text import (
    ComparedArms,
    describe_difference,
    describe_estimate,
    describe_plan,
    shows_difference,
)
from karenina_gui.analysis.variance_text import describe_components
from tests.examples import examples

CITES = Metric("cites", "binary")
CONCISE = Metric("concise", "number", 1, 5, True)
LATENCY = Metric("latency", "number", None, None, False)
HEDGES = Metric("hedges", "binary", 0, 1, False)
LENGTH = Metric("length", "number", None, None, None)

DIFFERENCES: list[tuple[PairedDifference, Metric, int, Any, str]] = [
    (
        PairedDifference(0.06, 0.01, 0.11, 50, p=0.02), VERDICT, 50, 3,
        ("B has a significantly higher pass rate than A on 50 questions with 3 replicates: 6 percentage points (95% "
        "CI 1 to 11)."),
    ),
    (
        PairedDifference(-0.06, -0.11, -0.01, 50, p=0.02), VERDICT, 50, 1,
        ("A has a significantly higher pass rate than B on 50 questions with 1 replicate: 6 percentage points (95% "
        "CI 1 to 11)."),
    ),
    (
        PairedDifference(0.06, 0.01, 0.11, 50, p=0.02), VERDICT, 50, "2 to 3 replicates",
        ("B has a significantly higher pass rate than A on 50 questions with 2 to 3 replicates: 6 percentage points "
        "(95% CI 1 to 11)."),
    ),
    (
        PairedDifference(0.06, 0.004, 0.116, 50, p=0.04), VERDICT, 50, None,
        "B has a significantly higher pass rate than A on 50 questions: 6 percentage points (95% CI 0.4 to 12).",
    ),
    (
        PairedDifference(0.06, 0.000001, 0.116, 50, p=0.04), VERDICT, 50, None,
        "B has a significantly higher pass rate than A on 50 questions: 6 percentage points (95% CI <0.01 to 12).",
    ),
    (
        PairedDifference(0.012, 0.008, 0.016, 9000, p=0.0), VERDICT, 9000, None,
        ("B has a significantly higher pass rate than A on 9,000 questions: 1.2 percentage points (95% CI 0.8 to "
        "1.6)."),
    ),
    (
        PairedDifference(0.01, 0.002, 0.0178, 9000, p=0.0), VERDICT, 9000, None,
        "B has a significantly higher pass rate than A on 9,000 questions: 1 percentage point (95% CI 0.2 to 1.8).",
    ),
    (
        PairedDifference(0.035, -0.04, 0.11, 12, p=0.3), VERDICT, 12, 3,
        ("No significant difference in pass rate between A and B on 12 questions with 3 replicates (B − A: +4 "
        "percentage points, 95% CI −4 to +11)."),
    ),
    (
        PairedDifference(0.035, -0.04, 0.11, 12, p=0.3, approximate=True), VERDICT, 12, 3,
        ("No significant difference in pass rate between A and B on 12 questions with 3 replicates (B − A: +4 "
        "percentage points, 95% CI −4 to +11). With fewer than 30 questions, the interval is approximate."),
    ),
    (
        PairedDifference(0.06, 0.01, 0.11, 60, p=0.02, approximate=True), VERDICT, 60, None,
        ("B has a significantly higher pass rate than A on 60 questions: 6 percentage points (95% CI 1 to 11). The "
        "interval is approximate, because nearly all scores are at one end of the scale."),
    ),
    (
        PairedDifference(0.06, 0.0, 0.12, 50, p=0.05), VERDICT, 50, 3,
        ("No significant difference in pass rate between A and B on 50 questions with 3 replicates (B − A: +6 "
        "percentage points, 95% CI 0 to +12)."),
    ),
    (
        PairedDifference(-0.06, -0.12, 0.0, 50, p=0.05), VERDICT, 50, 3,
        ("No significant difference in pass rate between A and B on 50 questions with 3 replicates (B − A: −6 "
        "percentage points, 95% CI −12 to 0)."),
    ),
    (
        PairedDifference(0.0, 0.0, 0.0, 50, p=1.0), VERDICT, 50, 3,
        ("No significant difference in pass rate between A and B on 50 questions with 3 replicates (B − A: 0 "
        "percentage points)."),
    ),
    (
        PairedDifference(0.06, 0.003, 0.117, 50, p=0.04, adjusted=0.2), VERDICT, 50, 3,
        ("No significant difference in pass rate between A and B on 50 questions with 3 replicates (B − A: +6 "
        "percentage points, uncorrected 95% CI +0.3 to +12, adjusted p = 0.2)."),
    ),
    (
        PairedDifference(0.06, 0.003, 0.117, 50, p=0.0517, adjusted=0.2), VERDICT, 50, 3,
        ("No significant difference in pass rate between A and B on 50 questions with 3 replicates (B − A: +6 "
        "percentage points, uncorrected 95% CI +0.3 to +12, adjusted p = 0.2)."),
    ),
    (
        PairedDifference(0.06, 0.003, 0.117, 50, p=0.07), VERDICT, 50, 1,
        ("No significant difference in pass rate between A and B on 50 questions with 1 replicate (B − A: +6 "
        "percentage points, 95% CI +0.3 to +12, p = 0.07)."),
    ),
    (
        PairedDifference(0.06, 0.01, 0.11, 38, dropped=12, p=0.02), VERDICT, 50, 3,
        ("B has a significantly higher pass rate than A on 38 questions with 3 replicates: 6 percentage points (95% "
        "CI 1 to 11). Only 38 of 50 questions are scored in both."),
    ),
    (
        PairedDifference(0.5, n=1, dropped=1), VERDICT, 2, 2,
        ("B has a higher pass rate than A on 1 question: 50 percentage points. These data allow no interval and no "
        "test. Only 1 of 2 questions is scored in both."),
    ),
    (
        PairedDifference(0.0, n=1), VERDICT, 1, 2,
        "A and B have the same pass rate on 1 question. These data allow no interval and no test.",
    ),
    (
        PairedDifference(0.0, n=50, identical=True), VERDICT, 50, 3,
        "A and B have the same pass rate on each of 50 questions. These data allow no interval and no test.",
    ),
    (
        PairedDifference(0.0, -0.07, 0.07, 50, p=1.0, identical=True), CITES, 50, 1,
        "A and B have the same “cites” rate on each of 50 questions (B − A: 95% CI −7 to +7 percentage points).",
    ),
    (
        PairedDifference(-1.0, n=5, identical=True), VERDICT, 5, 1,
        ("A has a higher pass rate than B on each of 5 questions: 100 percentage points. These data allow no "
        "interval and no test."),
    ),
    (
        PairedDifference(None, why="No question has scores in both."), VERDICT, 50, 3,
        "No comparison: none of 50 questions has scores for both A and B.",
    ),
    (
        PairedDifference(-0.42, -0.8, -0.07, 50, p=0.02), CONCISE, 50, 3,
        ("A has a significantly higher mean “concise” score than B on 50 questions with 3 replicates: 0.4 (scale 1 "
        "to 5, 95% CI 0.1 to 0.8)."),
    ),
    (
        PairedDifference(-1.42, -2.8, -0.07, 50, p=0.02), LATENCY, 50, 3,
        ("B has a significantly lower mean “latency” score than A on 50 questions with 3 replicates: 1.4 (95% CI 0.1 "
        "to 2.8). Lower is better."),
    ),
    (
        PairedDifference(0.12, 0.05, 0.19, 80, p=0.001), HEDGES, 80, None,
        ("A has a significantly lower “hedges” rate than B on 80 questions: 12 percentage points (95% CI 5 to 19). "
        "Lower is better."),
    ),
    (
        PairedDifference(0.2, -0.1, 0.5, 50, p=0.1), LATENCY, 50, 3,
        ("No significant difference in mean “latency” score between A and B on 50 questions with 3 replicates (B − "
        "A: +0.2, 95% CI −0.1 to +0.5)."),
    ),
    (
        PairedDifference(-1234.5, -2000.4, -400.2, 50, p=0.01), LENGTH, 50, 3,
        ("A has a significantly higher mean “length” score than B on 50 questions with 3 replicates: 1,234 (95% CI "
        "400 to 2,000)."),
    ),
    (
        PairedDifference(2, -10, 14, 50, p=0.7), LENGTH, 50, 3,
        ("No significant difference in mean “length” score between A and B on 50 questions with 3 replicates (B − A: "
        "+2, 95% CI −10 to +14)."),
    ),
    (
        PairedDifference(0.0021, -0.0004, 0.0046, 50, p=0.1), CONCISE, 50, 3,
        ("No significant difference in mean “concise” score between A and B on 50 questions with 3 replicates (B − "
        "A: +0.002, scale 1 to 5, 95% CI −0.0004 to +0.005)."),
    ),
]  # fmt: skip

ESTIMATES = [
    (
        Estimate(0.72, 0.58, 0.83, 50), VERDICT, 50,
        "A passes 72% of 50 questions (95% CI 58–83%).",
    ),
    (
        Estimate(1.0, 0.57, 1.0, 5, approximate=True), VERDICT, 5,
        "A passes 100% of 5 questions (95% CI 57–100%). With fewer than 30 questions, the interval is approximate.",
    ),
    (
        Estimate(1.0, n=5, why="all 5 have the same mean"), VERDICT, 6,
        "A passes 100% of 5 questions. All 5 have the same mean. Only 5 of 6 questions have a score.",
    ),
    (
        Estimate(0.999, 0.98, 1.0, 900), VERDICT, 900,
        "A passes 99.9% of 900 questions (95% CI 98–100%).",
    ),
    (
        Estimate(0.0, 0.0, 0.16, 20), VERDICT, 20,
        "A passes 0% of 20 questions (95% CI 0–16%).",
    ),
    (
        Estimate(0.5, 0.3, 0.7, 40), CITES, 40,
        "“cites” is yes for A in 50% of answers to 40 questions (95% CI 30–70%).",
    ),
    (
        Estimate(3.42, 3.12, 3.72, 50), CONCISE, 51,
        ("A has a mean “concise” score of 3.4 on 50 questions (scale 1 to 5, 95% CI 3.1 to 3.7). Only 50 of 51 "
        "questions have a score."),
    ),
    (
        Estimate(None, why="No question has a score."), CONCISE, 50,
        "A has no “concise” score on any of 50 questions. No question has a score.",
    ),
]  # fmt: skip

ALONE = "There is only one configuration."
ONCE = "No answer was judged more than once."
COMPONENTS = [
    (
        VarianceComponents(0.12, 0.0, 0.06, 0.02, n=50), VERDICT,
        ("Sources of variance in verdicts on 50 questions in 2 configurations: 60% between questions, 0% from "
        "questions that suit one configuration better, 30% between answers to the same question, 10% between judgments "
        "of the same answer. More questions make the result more precise; more replicates hardly help."),
    ),
    (
        VarianceComponents(0.001, None, 0.5, None, n=8, why={"interaction": ALONE, "judge": ONCE}), CITES,
        ("Sources of variance in “cites” scores on 8 questions in 2 configurations: <1% between questions, >99% "
        "between answers to the same question. More replicates of each question make the result more precise. With "
        f"fewer than 10 questions, these shares are rough estimates. {ALONE} {ONCE}"),
    ),
    (
        VarianceComponents(0.2, 0.05, None, None, n=50, why={"answer": "Each was answered once."}), VERDICT,
        ("Sources of variance in verdicts on 50 questions in 2 configurations: 80% between questions, 20% from "
        "questions that suit one configuration better and between answers to the same question (not separable). More "
        "questions make the result more precise; the effect of more replicates cannot be estimated from these data. "
        "Each was answered once."),
    ),
    (
        VarianceComponents(0.2, None, None, None, n=50, why={"interaction": ALONE}), VERDICT,
        ("Sources of variance in verdicts on 50 questions in 2 configurations: 100% between questions and between "
        "answers to the same question (not separable). More questions make the result more precise; the effect of "
        f"more replicates cannot be estimated from these data. {ALONE}"),
    ),
    (
        VarianceComponents(0.0, 0.0, 0.0, None, n=50, why={"judge": ONCE}), VERDICT,
        ("On 50 questions in 2 configurations, verdicts do not vary, apart from mean differences between "
        f"configurations. {ONCE}"),
    ),
    (
        VarianceComponents(None, None, None, None, why=dict.fromkeys(("question", "judge"), "No job has a score.")),
        VERDICT,
        ("The sources of variance in verdicts on 0 questions in 2 configurations cannot be estimated. No job has a "
        "score."),
    ),
]  # fmt: skip

ENOUGH = "No number of replicates is enough with these questions; only more questions help."
PLANS: list[tuple[PowerPlan, int, float | None, str]] = [
    (
        PowerPlan(0.19, 480, 12), 50, 0.06,
        ("Detecting a difference of 6 percentage points in pass rate between A and B (80% power) takes about 480 "
        "questions with 3 replicates, or 12 replicates of each of the 50 questions."),
    ),
    (
        PowerPlan(0.42, 12_345, None, source="defaults", why=ENOUGH), 8, -0.06,
        ("Detecting a difference of 6 percentage points in pass rate between A and B (80% power) takes about 12,345 "
        f"questions with 3 replicates. {ENOUGH} This assumes a typical spread of scores, as there are too few "
        "questions."),
    ),
    (
        PowerPlan(0.19, 10**9, None), 50, 0.00002,
        ("Detecting a difference of 0.002 percentage points in pass rate between A and B (80% power) takes more than "
        "1,000,000 questions with 3 replicates."),
    ),
    (
        PowerPlan(0.19, 40, 2), 50, 0.2,
        ("50 questions with 3 replicates are enough to detect a difference of 20 percentage points in pass rate "
        "between A and B (80% power)."),
    ),
    (
        PowerPlan(0.19), 50, None,
        ("The minimum detectable difference in pass rate between A and B on 50 questions with 3 replicates is 19 "
        "percentage points (80% power)."),
    ),
    (
        PowerPlan(None, why="No question has scores in both."), 0, None,
        ("The minimum detectable difference in pass rate between A and B on 0 questions with 3 replicates is unknown. "
        "No question has scores in both."),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("difference", "metric", "questions", "replicates", "sentence"), DIFFERENCES)
def test_a_difference_is_said_so_that_it_can_be_quoted(
    difference: PairedDifference, metric: Metric, questions: int, replicates: Any, sentence: str
) -> None:
    assert describe_difference(difference, ComparedArms("A", "B", metric, questions, replicates)) == sentence


@pytest.mark.parametrize(("estimate", "metric", "questions", "sentence"), ESTIMATES)
def test_a_mean_is_said_so_that_it_can_be_quoted(
    estimate: Estimate, metric: Metric, questions: int, sentence: str
) -> None:
    assert describe_estimate(estimate, "A", metric, questions) == sentence


@pytest.mark.parametrize(("components", "metric", "sentence"), COMPONENTS)
def test_the_parts_of_the_variance_are_said_with_what_helps(
    components: VarianceComponents, metric: Metric, sentence: str
) -> None:
    assert describe_components(components, metric, ["A", "B"]) == sentence


@pytest.mark.parametrize(("plan", "questions", "difference", "sentence"), PLANS)
def test_a_plan_says_what_it_takes(plan: PowerPlan, questions: int, difference: float | None, sentence: str) -> None:
    assert describe_plan(plan, ComparedArms("A", "B", VERDICT, questions, 3), difference) == sentence


AHEAD = re.compile(r"has a significantly (higher|lower) |[^t] significant\)")
NOTHING = re.compile(r"[-−]0\b(?!\.)|\b0 to 0\b(?!\.)|\bnan\b|\binf\b|CI (\S+) to \1(?![\d,])(?!\.\d)")

scores = st.floats(-1, 1).map(lambda score: round(score, 5))
differences = st.builds(
    lambda ends, n, dropped, p, adjusted: PairedDifference(
        ends[1], ends[0], ends[2], n, dropped, p, adjusted, approximate=n < 30
    ),
    st.tuples(scores, scores, scores).map(sorted),
    st.integers(2, 5000),
    st.integers(0, 50),
    st.none() | st.floats(0, 1),
    st.none() | st.floats(0, 1),
)
metrics = st.sampled_from([VERDICT, CITES, CONCISE, LATENCY, HEDGES, LENGTH])


@settings(max_examples=examples(25, 300), deadline=None)
@given(differences, metrics, st.none() | st.integers(1, 10))
def test_a_sentence_never_claims_what_the_interval_does_not_show(
    difference: PairedDifference, metric: Metric, replicates: int | None
) -> None:
    questions = difference.n + difference.dropped
    sentence = describe_difference(difference, ComparedArms("A", "B", metric, questions, replicates))
    assert re.search(rf"\b{difference.n:,} question", sentence)
    assert not NOTHING.search(sentence)
    assert difference.low is not None
    assert difference.high is not None
    if difference.low <= 0 <= difference.high:
        assert not AHEAD.search(sentence)
        assert sentence.startswith("No significant difference in ")
    assert shows_difference(difference) == bool(AHEAD.search(sentence))
    if difference.dropped:
        assert f"Only {difference.n:,} of {questions:,} questions" in sentence


@settings(max_examples=examples(20, 200), deadline=None)
@given(st.tuples(scores, scores, scores).map(sorted), st.integers(1, 5000), metrics)
def test_a_mean_is_never_said_without_what_it_rests_on(ends: list[float], n: int, metric: Metric) -> None:
    low, value, high = (abs(end) if metric.kind == "binary" else end for end in ends)
    sentence = describe_estimate(Estimate(value, low, high, n), "A", metric, n)
    assert re.search(rf"\b{n:,} questions?\b", sentence)
    assert not re.search(r"[-−]0\b(?!\.)|\bnan\b|\binf\b|CI (\S+)(?: to |–)\1(?![\d,])(?!\.\d)", sentence)
