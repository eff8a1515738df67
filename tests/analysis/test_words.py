from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from karenina_gui.analysis.estimate import Components, Difference, Estimate, Plan
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.words import claims, of_components, of_difference, of_estimate, of_plan
from tests.examples import examples

CITES = Metric("cites", "binary")
CONCISE = Metric("concise", "number", 1, 5, True)
LATENCY = Metric("latency", "number", None, None, False)
HEDGES = Metric("hedges", "binary", 0, 1, False)
LENGTH = Metric("length", "number", None, None, None)

DIFFERENCES: list[tuple[Difference, Metric, int, Any, str]] = [
    (
        Difference(0.06, 0.01, 0.11, 50, p=0.02), VERDICT, 50, 3,
        "B beats A by 6 points on these 50 questions; with 3 replicates the data allow anything from 1 to 11.",
    ),
    (
        Difference(-0.06, -0.11, -0.01, 50, p=0.02), VERDICT, 50, 1,
        "A beats B by 6 points on these 50 questions; with 1 replicate the data allow anything from 1 to 11.",
    ),
    (
        Difference(0.06, 0.01, 0.11, 50, p=0.02), VERDICT, 50, "2 to 3 replicates",
        "B beats A by 6 points on these 50 questions; with 2 to 3 replicates the data allow anything from 1 to 11.",
    ),
    (
        Difference(0.06, 0.004, 0.116, 50, p=0.04), VERDICT, 50, None,
        "B beats A by 6 points on these 50 questions; the data allow anything from 0.4 to 12.",
    ),
    (
        Difference(0.06, 0.000001, 0.116, 50, p=0.04), VERDICT, 50, None,
        "B beats A by 6 points on these 50 questions; the data allow anything from almost 0 to 12.",
    ),
    (
        Difference(0.012, 0.008, 0.016, 9000, p=0.0), VERDICT, 9000, None,
        "B beats A by 1.2 points on these 9,000 questions; the data allow anything from 0.8 to 1.6.",
    ),
    (
        Difference(0.01, 0.002, 0.0178, 9000, p=0.0), VERDICT, 9000, None,
        "B beats A by 1 point on these 9,000 questions; the data allow anything from 0.2 to 1.8.",
    ),
    (
        Difference(0.035, -0.04, 0.11, 12, p=0.3), VERDICT, 12, 3,
        ("These 12 questions do not tell A and B apart: "
        "the difference may be anything from 4 points for A to 11 for B."),
    ),
    (
        Difference(0.035, -0.04, 0.11, 12, p=0.3, approximate=True), VERDICT, 12, 3,
        ("These 12 questions do not tell A and B apart: the difference may be anything from 4 points for A to 11 for "
        "B. With fewer than 30 questions the interval is approximate."),
    ),
    (
        Difference(0.06, 0.01, 0.11, 60, p=0.02, approximate=True), VERDICT, 60, None,
        ("B beats A by 6 points on these 60 questions; the data allow anything from 1 to 11. "
        "The interval is approximate: nearly all scores are at one end."),
    ),
    (
        Difference(0.06, 0.0, 0.12, 50, p=0.05), VERDICT, 50, 3,
        "These 50 questions do not tell A and B apart: the difference may be anything from none to 12 points for B.",
    ),
    (
        Difference(-0.06, -0.12, 0.0, 50, p=0.05), VERDICT, 50, 3,
        "These 50 questions do not tell A and B apart: the difference may be anything from 12 points for A to none.",
    ),
    (
        Difference(0.0, 0.0, 0.0, 50, p=1.0), VERDICT, 50, 3,
        "These 50 questions do not tell A and B apart: no difference was seen.",
    ),
    (
        Difference(0.06, 0.003, 0.117, 50, p=0.04, adjusted=0.2), VERDICT, 50, 3,
        ("These 50 questions do not tell A and B apart: "
        "with so many comparisons chance explains a difference of 6 points as well."),
    ),
    (
        Difference(0.06, 0.003, 0.117, 50, p=0.0517, adjusted=0.2), VERDICT, 50, 3,
        "These 50 questions do not tell A and B apart: chance explains a difference of 6 points as well.",
    ),
    (
        Difference(0.06, 0.003, 0.117, 50, p=0.07), VERDICT, 50, 1,
        "These 50 questions do not tell A and B apart: chance explains a difference of 6 points as well.",
    ),
    (
        Difference(0.06, 0.01, 0.11, 38, dropped=12, p=0.02), VERDICT, 50, 3,
        ("B beats A by 6 points on these 38 questions; with 3 replicates the data allow anything from 1 to 11. "
        "Only 38 of 50 questions are scored in both."),
    ),
    (
        Difference(0.5, n=1, dropped=1), VERDICT, 2, 2,
        ("B came out 50 points above A on this question; whether that would be so again these data cannot say. "
        "Only 1 of 2 questions is scored in both."),
    ),
    (
        Difference(0.0, n=1), VERDICT, 1, 2,
        "A and B have the same mean on this question; whether that would be so again these data cannot say.",
    ),
    (
        Difference(0.0, n=50, identical=True), VERDICT, 50, 3,
        ("A and B came out the same on each of these 50 questions; "
        "whether that would be so again these data cannot say."),
    ),
    (
        Difference(0.0, -0.07, 0.07, 50, p=1.0, identical=True), CITES, 50, 1,
        ("A and B came out the same in “cites” on each of these 50 questions; "
        "the data allow up to 7 points either way."),
    ),
    (
        Difference(-1.0, n=5, identical=True), VERDICT, 5, 1,
        ("A came out 100 points above B on each of these 5 questions; "
        "whether that would be so again these data cannot say."),
    ),
    (
        Difference(None, why="No question has a score on both sides."), VERDICT, 50, 3,
        "Nothing to compare: 0 of 50 questions have scores for both A and B.",
    ),
    (
        Difference(-0.42, -0.8, -0.07, 50, p=0.02), CONCISE, 50, 3,
        ("A beats B by 0.4 (scale 1 to 5) in “concise” on these 50 questions; "
        "with 3 replicates the data allow anything from 0.1 to 0.8."),
    ),
    (
        Difference(-1.42, -2.8, -0.07, 50, p=0.02), LATENCY, 50, 3,
        ("B is lower than A by 1.4 in “latency” on these 50 questions, which is better here; "
        "with 3 replicates the data allow anything from 0.1 to 2.8."),
    ),
    (
        Difference(0.12, 0.05, 0.19, 80, p=0.001), HEDGES, 80, None,
        ("A is lower than B by 12 points in “hedges” on these 80 questions, which is better here; "
        "the data allow anything from 5 to 19."),
    ),
    (
        Difference(0.2, -0.1, 0.5, 50, p=0.1), LATENCY, 50, 3,
        ("These 50 questions do not tell A and B apart in “latency”: "
        "the difference may be anything from 0.1 for B to 0.5 for A."),
    ),
    (
        Difference(-1234.5, -2000.4, -400.2, 50, p=0.01), LENGTH, 50, 3,
        ("A is higher than B by 1,234 in “length” on these 50 questions; "
        "with 3 replicates the data allow anything from 400 to 2,000."),
    ),
    (
        Difference(2, -10, 14, 50, p=0.7), LENGTH, 50, 3,
        ("These 50 questions do not tell A and B apart in “length”: "
        "the difference may be anything from A higher by 10 to B higher by 14."),
    ),
    (
        Difference(0.0021, -0.0004, 0.0046, 50, p=0.1), CONCISE, 50, 3,
        ("These 50 questions do not tell A and B apart in “concise”: "
        "the difference may be anything from 0.0004 (scale 1 to 5) for A to 0.005 for B."),
    ),
]  # fmt: skip

ESTIMATES = [
    (
        Estimate(0.72, 0.58, 0.83, 50), VERDICT, 50,
        "A passes 72% of these 50 questions; the data allow anything from 58 to 83%.",
    ),
    (
        Estimate(1.0, 0.57, 1.0, 5, approximate=True), VERDICT, 5,
        ("A passes 100% of these 5 questions; the data allow anything from 57 to 100%. "
        "With fewer than 30 questions the interval is approximate."),
    ),
    (
        Estimate(1.0, n=5, why="all 5 have the same mean"), VERDICT, 6,
        "A passes 100% of these 5 questions. All 5 have the same mean. Only 5 of 6 questions have a score.",
    ),
    (
        Estimate(0.999, 0.98, 1.0, 900), VERDICT, 900,
        "A passes 99.9% of these 900 questions; the data allow anything from 98 to 100%.",
    ),
    (
        Estimate(0.0, 0.0, 0.16, 20), VERDICT, 20,
        "A passes 0% of these 20 questions; the data allow anything from 0 to 16%.",
    ),
    (
        Estimate(0.5, 0.3, 0.7, 40), CITES, 40,
        "“cites” holds for A on 50% of these 40 questions; the data allow anything from 30 to 70%.",
    ),
    (
        Estimate(3.42, 3.12, 3.72, 50), CONCISE, 51,
        ("A has a mean of 3.4 (scale 1 to 5) in “concise” on these 50 questions; "
        "the data allow anything from 3.1 to 3.7. Only 50 of 51 questions have a score."),
    ),
    (
        Estimate(None, why="No question has a score."), CONCISE, 50,
        "A has no score in “concise” on any of 50 questions. No question has a score.",
    ),
]  # fmt: skip

ALONE = "There is only one model under one condition."
ONCE = "No answer was judged more than once."
COMPONENTS = [
    (
        Components(0.12, 0.0, 0.06, 0.02, n=50), VERDICT,
        ("Of what scores on these 50 questions vary by, 60% lies between questions, 0% between questions that suit "
        "one model or condition more than another, 30% between answers to the same question, 10% between judgments "
        "of the same answer: more questions make the result surer, more replicates hardly do."),
    ),
    (
        Components(0.001, None, 0.5, None, n=8, why={"interaction": ALONE, "judge": ONCE}), CITES,
        ("Of what scores in “cites” on these 8 questions vary by, under 1% lies between questions, over 99% between "
        "answers to the same question: more replicates of each question make the result surer. Below 10 questions "
        f"these shares are no more than a hint. {ALONE} {ONCE}"),
    ),
    (
        Components(0.2, 0.05, None, None, n=50, why={"answer": "Each was answered once."}), VERDICT,
        ("Of what scores on these 50 questions vary by, 80% lies between questions, 20% between questions that suit "
        "one model or condition more than another and between answers to the same question, the two together: more "
        "questions make the result surer; what more replicates would change these data cannot say. Each was answered "
        "once."),
    ),
    (
        Components(0.2, None, None, None, n=50, why={"interaction": ALONE}), VERDICT,
        ("Of what scores on these 50 questions vary by, 100% lies between questions and between answers to the same "
        "question, the two together: more questions make the result surer; what more replicates would change these "
        f"data cannot say. {ALONE}"),
    ),
    (
        Components(0.0, 0.0, 0.0, None, n=50, why={"judge": ONCE}), VERDICT,
        ("On these 50 questions no scores vary, apart from what models and conditions differ by on average. "
        f"{ONCE}"),
    ),
    (
        Components(None, None, None, None, why=dict.fromkeys(("question", "judge"), "No job has a score.")), VERDICT,
        "What scores on these 0 questions vary by is not known. No job has a score.",
    ),
]  # fmt: skip

ENOUGH = "No number of replicates is enough with these questions; only more questions help."
PLANS: list[tuple[Plan, int, float | None, str]] = [
    (
        Plan(0.19, 480, 12), 50, 0.06,
        ("To settle a difference of 6 points between A and B, seen on these 50 questions with 3 replicates, it takes "
        "about 480 questions with as many replicates, or 12 replicates of each of these."),
    ),
    (
        Plan(0.42, 12_345, None, source="defaults", why=ENOUGH), 8, -0.06,
        ("To settle a difference of 6 points between A and B, seen on these 8 questions with 3 replicates, it takes "
        f"about 12,345 questions with as many replicates. {ENOUGH} "
        "This goes by usual variances: these data are too few to have their own."),
    ),
    (
        Plan(0.19, 10**9, None), 50, 0.00002,
        ("To settle a difference of 0.002 points between A and B, seen on these 50 questions with 3 replicates, "
        "it takes more than 1,000,000 questions with as many replicates."),
    ),
    (
        Plan(0.19, 40, 2), 50, 0.2,
        "These 50 questions with 3 replicates are enough to find a difference of 20 points between A and B.",
    ),
    (
        Plan(0.19), 50, None,
        ("On these 50 questions with 3 replicates, a difference of 19 points between A and B would be found "
        "80 times in 100, a smaller one less often."),
    ),
    (
        Plan(None, why="No question has scores in both."), 0, None,
        ("How small a difference these 0 questions with 3 replicates could show is not known. "
        "No question has scores in both."),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("difference", "metric", "questions", "replicates", "sentence"), DIFFERENCES)
def test_a_difference_is_said_so_that_it_can_be_quoted(
    difference: Difference, metric: Metric, questions: int, replicates: Any, sentence: str
) -> None:
    assert of_difference(difference, "A", "B", metric, questions, replicates) == sentence


@pytest.mark.parametrize(("estimate", "metric", "questions", "sentence"), ESTIMATES)
def test_a_mean_is_said_so_that_it_can_be_quoted(
    estimate: Estimate, metric: Metric, questions: int, sentence: str
) -> None:
    assert of_estimate(estimate, "A", metric, questions) == sentence


@pytest.mark.parametrize(("components", "metric", "sentence"), COMPONENTS)
def test_the_parts_of_the_variance_are_said_with_what_helps(
    components: Components, metric: Metric, sentence: str
) -> None:
    assert of_components(components, metric) == sentence


@pytest.mark.parametrize(("plan", "questions", "difference", "sentence"), PLANS)
def test_a_plan_says_what_it_takes(plan: Plan, questions: int, difference: float | None, sentence: str) -> None:
    assert of_plan(plan, "A", "B", VERDICT, questions, 3, difference) == sentence


AHEAD = re.compile(r"beats|is (higher|lower) than|better here|above")
NOTHING = re.compile(r"-0\b|\b0 to 0\b(?!\.)|\bnan\b|\binf\b|from (\S+)( points?)? to \1(?![\d,])(?!\.\d)")

scores = st.floats(-1, 1).map(lambda score: round(score, 5))
differences = st.builds(
    lambda ends, n, dropped, p, adjusted: Difference(
        ends[1], ends[0], ends[2], n, dropped, p, adjusted, approximate=n < 30
    ),
    st.tuples(scores, scores, scores).map(sorted),
    st.integers(2, 5000),
    st.integers(0, 50),
    st.none() | st.floats(0, 1),
    st.none() | st.floats(0, 1),
)
metrics = st.sampled_from([VERDICT, CITES, CONCISE, LATENCY, HEDGES, LENGTH])


@settings(max_examples=examples(60, 300), deadline=None)
@given(differences, metrics, st.none() | st.integers(1, 10))
def test_a_sentence_never_claims_what_the_interval_does_not_show(
    difference: Difference, metric: Metric, replicates: int | None
) -> None:
    questions = difference.n + difference.dropped
    sentence = of_difference(difference, "A", "B", metric, questions, replicates)
    assert re.search(rf"\b{difference.n:,} question", sentence)
    assert not NOTHING.search(sentence)
    assert difference.low is not None
    assert difference.high is not None
    if difference.low <= 0 <= difference.high:
        assert not AHEAD.search(sentence)
        assert "do not tell A and B apart" in sentence
    assert claims(difference) == bool(AHEAD.search(sentence))
    if difference.dropped:
        assert f"Only {difference.n:,} of {questions:,} questions" in sentence


@settings(max_examples=examples(50, 200), deadline=None)
@given(st.tuples(scores, scores, scores).map(sorted), st.integers(1, 5000), metrics)
def test_a_mean_is_never_said_without_what_it_rests_on(ends: list[float], n: int, metric: Metric) -> None:
    low, value, high = (abs(end) if metric.kind == "binary" else end for end in ends)
    sentence = of_estimate(Estimate(value, low, high, n), "A", metric, n)
    assert "this question" in sentence if n == 1 else re.search(rf"\b{n:,} questions", sentence)
    assert not re.search(r"-0\b(?!\.)|\bnan\b|\binf\b|from (\S+) to \1(?![\d,])(?!\.\d)", sentence)
