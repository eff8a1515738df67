"""Tests of scores as arrays: order of averaging, and missing scores."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.scores import FAILED, NO_CLASS, NOT_RUN, NOT_SCORED, Arm, Judgment, Scores
from karenina_gui.schemas.job_table import JobTable
from tests.examples import examples
from tests.job_tables import job_table

COLUMNS: dict[str, Any] = {
    "question_id": "q1", "answering": "ada", "condition": None, "judge": "umpire", "replicate": 1,
    "judge_replicate": None, "outcome": "passed", "category": None, "seconds": 1.0, "tokens": None, "traits": {},
}  # fmt: skip
DEPTH = Metric("depth", "number", 1.0, 5.0, True)


def table(*jobs: dict[str, Any], **about: Any) -> JobTable:
    """Job table with the given columns changed from one of passed jobs."""
    rows = [{"result_id": number, **COLUMNS, **job} for number, job in enumerate(jobs, 1)]
    rows = [row | ({"result_id": None, "seconds": None} if row["outcome"] is None else {}) for row in rows]
    return job_table(**{name: [row[name] for row in rows] for name in ("result_id", *COLUMNS)}, **about)


def rated(scores: list[float | None], **job: Any) -> list[dict[str, Any]]:
    """One replicate for each score of `depth`; None: no score."""
    return [
        {"replicate": number, "traits": {} if score is None else {"depth": score}, **job}
        for number, score in enumerate(scores, 1)
    ]


def reasons(scores: Scores) -> list[str]:
    """By job; empty: scored."""
    return [(*scores.reasons, "")[code] for code in scores.why.tolist()]


def figures(values: np.ndarray) -> list[Any]:
    """NaN as None, which compares equal to itself."""
    return [None if value != value else value for value in values.ravel().tolist()]


def test_judgments_are_averaged_first_then_replicates_then_questions() -> None:
    once = [rated([1, 2], judge_replicate=number) for number in (1, 2)]
    jobs = [*once[0], *rated([5], judge_replicate=2), *rated([3, 3, 3, 3], question_id="q2")]
    scores = Scores.of(table(*jobs), DEPTH)
    assert figures(scores.answers.value) == [3.0, 2.0, 3.0, 3.0, 3.0, 3.0]
    assert scores.answers.scored.tolist() == [2, 1, 1, 1, 1, 1]
    assert scores.answers.replicate.tolist() == [1, 2, 1, 2, 3, 4]
    assert figures(scores.cells.mean) == [2.5, 3.0]
    assert figures(scores.cells.deviation) == [pytest.approx(stdev([3, 2])), 0.0]


def test_a_missing_score_is_not_zero_and_stays_in_what_was_planned() -> None:
    jobs = rated([4, None, 2]) + rated([None, None], question_id="q2")
    scores = Scores.of(table(*jobs), DEPTH)
    assert (scores.scored, scores.planned, scores.lacking) == (2, 5, {NOT_SCORED: 3})
    assert figures(scores.cells.mean) == [3.0, None]
    assert scores.cells.scored.ravel().tolist() == [2, 0]
    assert scores.cells.planned.ravel().tolist() == [3, 2]
    assert figures(scores.cells.deviation) == [pytest.approx(stdev([4, 2])), None]


def test_a_word_that_is_no_class_is_no_score_where_classes_are_averaged() -> None:
    jobs = [{"replicate": number, "traits": {"tone": place}} for number, place in enumerate([2, -1, 1], 1)]
    ranked = Scores.of(table(*jobs), Metric("tone", "number", 0.0, 2.0, True, ("poor", "fair", "good")))
    assert (figures(ranked.value), ranked.lacking) == ([2.0, None, 1.0], {NO_CLASS: 1})
    counted = Scores.of(table(*jobs), Metric("tone", "number", 0.0, 2.0, None, ("formal", "plain", "warm")))
    assert (figures(counted.value), counted.lacking) == ([2.0, -1.0, 1.0], {})


def test_verdicts_count_refusals_as_failed_and_errors_not_at_all() -> None:
    outcomes = ["passed", "wrong", "abstained", "autofail", "error", "error", None]
    categories = [None, "content", "refusal", "recursion_limit", "timeout", None, None]
    jobs = [
        {"replicate": n, "outcome": o, "category": c}
        for n, (o, c) in enumerate(zip(outcomes, categories, strict=True), 1)
    ]
    scores = Scores.of(table(*jobs), VERDICT)
    assert figures(scores.value) == [1.0, 0.0, 0.0, 0.0, None, None, None]
    assert reasons(scores) == ["", "", "", "", "timeout", FAILED, NOT_RUN]
    assert scores.lacking == {"timeout": 1, FAILED: 1, NOT_RUN: 1}


def test_the_most_frequent_reason_stands_first() -> None:
    jobs = [
        {"replicate": 1, "outcome": None},
        *({"replicate": n, "outcome": "error", "category": "timeout"} for n in (2, 3)),
    ]
    assert list(Scores.of(table(*jobs), VERDICT).lacking.items()) == [("timeout", 2), (NOT_RUN, 1)]


def test_errors_count_as_failures_only_where_that_is_asked() -> None:
    jobs = [{"outcome": "passed"}, {"replicate": 2, "outcome": "error", "category": "timeout"}]
    waiting = {"replicate": 3, "outcome": None}
    scores = Scores.of(table(*jobs, waiting), VERDICT)
    worst = scores.with_errors_as_failures()
    assert (figures(scores.cells.mean), figures(worst.cells.mean)) == ([1.0], [0.5])
    assert (worst.scored, worst.planned, worst.lacking) == (2, 3, {NOT_RUN: 1})
    assert worst.row.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("metric", "worst"),
    [
        (Metric("depth", "number", 1.0, 5.0, True), 1.0),
        (Metric("depth", "number", 1.0, 5.0, False), 5.0),
        (Metric("depth", "binary", 0.0, 1.0, False), 1.0),
        (Metric("depth", "number", 1.0, 5.0, None), None),
        (Metric("depth", "number", None, None, True), None),
    ],
)
def test_the_worst_case_is_the_worse_end_of_the_trait(metric: Metric, worst: float | None) -> None:
    scores = Scores.of(table(*rated([3, None])), metric)
    assert metric.worst == worst
    assert figures(scores.with_errors_as_failures().value) == [3.0, worst]
    assert (scores.with_errors_as_failures() is scores) is (worst is None)


def test_an_arm_is_a_model_under_a_condition_in_the_order_of_the_run() -> None:
    arms = [("bob", "plain"), ("bob", "tools"), ("ada", "plain"), ("ada", "tools")]
    jobs = [{"answering": model, "condition": condition} for model, condition in arms]
    scores = Scores.of(table(*jobs), VERDICT)
    assert scores.arms == tuple(Arm(*arm) for arm in arms)
    assert [arm.label for arm in scores.arms][1] == "bob · tools"
    assert Arm("ada", None).label == "ada"


def test_a_judgment_is_a_judge_and_its_number() -> None:
    jobs = [{"judge": "umpire", "judge_replicate": n} for n in (1, 2)] + [{"judge": None, "judge_replicate": None}]
    assert Scores.of(table(*jobs), VERDICT).judgments == (
        Judgment("umpire", 1),
        Judgment("umpire", 2),
        Judgment(None, 1),
    )


def test_a_part_of_the_scores_has_only_what_occurs_in_it() -> None:
    jobs = [
        {"question_id": question, "answering": model, "judge": judge, "outcome": outcome}
        for question, outcome in (("q1", "passed"), ("q2", "wrong"), ("q3", None))
        for model in ("ada", "bob")
        for judge in ("strict", "kind")
    ]
    scores = Scores.of(table(*jobs), VERDICT)
    part = scores.select((scores.question > 0) & (scores.arm == 1) & (scores.judgment == 1))
    assert (part.questions, part.arms, part.judgments) == (("q2", "q3"), (Arm("bob", None),), (Judgment("kind", 1),))
    assert (figures(part.cells.mean), reasons(part), part.row.tolist()) == ([0.0, None], ["", NOT_RUN], [7, 11])
    assert (part.scored, part.planned) == (1, 2)
    whole = scores.select(np.ones(len(scores), dtype=bool))
    assert (whole.questions, whole.arms, reasons(whole)) == (scores.questions, scores.arms, reasons(scores))


def test_an_arm_without_a_question_has_planned_nothing_for_it() -> None:
    jobs = [{"question_id": "q1"}, {"question_id": "q2", "answering": "bob"}]
    cells = Scores.of(table(*jobs), VERDICT).cells
    assert figures(cells.mean) == [1.0, None, None, 1.0]
    assert cells.planned.tolist() == [[1, 0], [0, 1]]


def test_one_job_and_none_have_arrays_of_their_shapes() -> None:
    one = Scores.of(table({}), VERDICT)
    assert (figures(one.cells.mean), figures(one.cells.deviation), len(one)) == ([1.0], [None], 1)
    for nothing in (Scores.of(job_table(), VERDICT), one.select(np.zeros(1, dtype=bool))):
        assert (len(nothing), nothing.scored, nothing.planned, nothing.lacking) == (0, 0, 0, {})
        assert nothing.answers.value.shape == (0,)
        assert nothing.cells.mean.shape == nothing.cells.planned.shape == (0, 0)
        assert nothing.with_errors_as_failures().planned == 0


def test_a_question_without_a_template_was_never_to_have_a_verdict() -> None:
    jobs = [
        {"outcome": "wrong"},
        *({"question_id": "q2", "replicate": n, "outcome": o} for n, o in ((1, "unscored"), (2, None))),
    ]
    scores = Scores.of(table(*jobs), VERDICT)
    assert (scores.questions, scores.planned) == (("q1",), 1)
    assert figures(scores.with_errors_as_failures().value) == [0.0]


def test_a_question_that_was_judged_once_should_have_had_a_verdict_each_time() -> None:
    scores = Scores.of(table({"outcome": "wrong"}, {"replicate": 2, "outcome": "unscored"}), VERDICT)
    assert (scores.scored, scores.planned, scores.lacking) == (1, 2, {NOT_SCORED: 1})


def test_a_question_whose_rubric_lacks_a_trait_was_never_to_be_scored_by_it() -> None:
    jobs = [
        *rated([3]),
        *rated([None], question_id="q2"),
        *rated([None], question_id="q3", outcome=None),
        *rated([None], question_id="q4"),
    ]
    told = table(
        *jobs, requested={"q1": frozenset({"depth"}), "q2": frozenset({"cites"}), "q4": frozenset({"depth", "cites"})}
    )
    scores = Scores.of(told, DEPTH)
    assert scores.questions == ("q1", "q3", "q4"), "q3 may still have it, q4 should have had it"
    assert scores.lacking == {NOT_RUN: 1, NOT_SCORED: 1}


def test_a_field_of_a_form_is_asked_for_by_its_form() -> None:
    jobs = [{"traits": {"form.n": 4}}, {"question_id": "q2"}, {"question_id": "q3"}]
    told = table(*jobs, requested={"q1": frozenset({"form"}), "q2": frozenset({"form"}), "q3": frozenset()})
    assert Scores.of(told, Metric("form.n", "number", None, None, None)).questions == ("q1", "q2")


def test_a_score_counts_whatever_the_rubric_of_another_result_says() -> None:
    assert Scores.of(table(*rated([3]), requested={"q1": frozenset()}), DEPTH).scored == 1


SOME = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(["ada", "bob"]), st.integers(1, 3), st.integers(1, 2),
        st.one_of(st.none(), st.integers(1, 5)),
    ),
    max_size=20, unique_by=lambda job: job[:4],
)  # fmt: skip


@given(SOME)
@settings(max_examples=examples(20, 60), deadline=None)
def test_arrays_are_what_adding_up_job_by_job_gives(drawn: list[tuple[str, str, int, int, int | None]]) -> None:
    jobs = [
        {"question_id": q, "answering": m, "replicate": r, "judge_replicate": j, "traits": {"depth": s} if s else {}}
        for q, m, r, j, s in drawn
    ]
    scores = Scores.of(table(*jobs), DEPTH)
    judged, replicates, planned = defaultdict(list), defaultdict(list), defaultdict(set)
    for q, m, r, _, score in drawn:
        planned[q, m].add(r)
        if score:
            judged[q, m, r].append(score)
    for (q, m, _), values in judged.items():
        replicates[q, m].append(fmean(values))
    for at, question in enumerate(scores.questions):
        for arm, (model, _) in enumerate(scores.arms):
            answers = replicates[question, model]
            cell = [figures(column[at, arm])[0] for column in (scores.cells.mean, scores.cells.deviation)]
            mean = pytest.approx(fmean(answers)) if answers else None
            assert cell == [mean, pytest.approx(stdev(answers), abs=1e-7) if len(answers) > 1 else None]
            assert scores.cells.scored[at, arm] == len(answers)
            assert scores.cells.planned[at, arm] == len(planned[question, model])
