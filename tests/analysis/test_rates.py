from __future__ import annotations

from dataclasses import replace

import pytest

from karenina_gui.analysis.rates import Rate, cells, summarise
from karenina_gui.schemas.outcome import Outcome, judged_count, outcome_of, reason_of
from karenina_gui.schemas.result import (
    Failure,
    FailureCategory,
    ModelIdentity,
    ResultMetadata,
    ResultTemplate,
    VerificationResult,
)
from karenina_gui.schemas.result_summaries import ResultSummary
from tests.row_by_row import counted


def row(
    number: int, question: str, replicate: int, outcome: Outcome, model: str = "ada", **more: object
) -> ResultSummary:
    category = {"error": "timeout", "wrong": "content", "abstained": "refusal"}.get(outcome)
    return ResultSummary(
        id=number, run_id=1, position=number, question_id=question, question_text=question.upper(),
        keywords=("all", question), answering=model, judge=None, replicate=replicate, outcome=outcome,
        passed=outcome == "passed", category=category, stage=None, error=None, seconds=1.0, tokens=None,
        recording_label=None,
    )  # fmt: skip


ROWS = [
    row(1, "q1", 1, "passed"),
    row(2, "q1", 2, "wrong"),
    row(3, "q1", 3, "error"),
    row(4, "q2", 2, "abstained"),
    row(5, "q2", 1, "passed"),
    row(6, "q2", 1, "passed", "bob"),
    row(7, "q3", 1, "error", "bob"),
    row(8, "q3", 1, "unscored"),
]


def test_errors_count_neither_as_wrong_nor_as_judged() -> None:
    summary = summarise(counted(ROWS))
    everything = summary.by_keyword["all"]
    assert (everything.passed, everything.judged, everything.left_out) == (3, 5, 3)
    assert summary.outcomes == {"passed": 3, "wrong": 1, "error": 2, "abstained": 1, "unscored": 1}


def test_every_rate_carries_what_it_counts() -> None:
    summary = summarise(counted(ROWS))
    assert summary.by_model == {"ada": Rate(2, 4, 2, 0.5, 2), "bob": Rate(1, 1, 1, 1.0, 1)}
    assert {word: (each.passed, each.judged, each.left_out) for word, each in summary.by_keyword.items()} == {
        "all": (3, 5, 3), "q1": (1, 2, 1), "q2": (2, 3, 0), "q3": (0, 0, 2),
    }  # fmt: skip
    assert summary.by_keyword["q3"].value is None
    assert summary.by_judge == {}


def test_a_rate_weighs_each_question_equally_however_many_answers_have_a_verdict() -> None:
    found = summarise(counted(ROWS)).by_keyword["all"]
    assert found.value == pytest.approx((1 / 2 + 2 / 3) / 2)  # and not 3 of 5
    assert found.questions == 2


def test_a_rate_weighs_each_answer_equally_however_often_it_was_judged() -> None:
    rows = [replace(ROWS[0], judge=judge, judge_replicate=n) for judge in "jk" for n in (1, 2)]
    (found,) = summarise(counted([*rows, replace(ROWS[1], judge="j")])).by_model.values()
    assert (found.passed, found.judged, found.value) == (4, 5, 0.5)


def test_the_mean_of_a_cell_weighs_each_answer_equally() -> None:
    scores = [(1, 5), (1, 5), (1, 5), (2, 1)]
    rows = [replace(ROWS[0], id=n, replicate=of, traits={"depth": score}) for n, (of, score) in enumerate(scores)]
    assert cells(rows)[0].mean("depth") == 3


def test_outcomes_of_replicates_stand_in_their_order() -> None:
    by_place = {(cell.question_id, cell.key.answering): cell for cell in cells(ROWS)}
    assert by_place["q1", "ada"].outcomes == ("passed", "wrong", "error")
    assert by_place["q2", "ada"].outcomes == ("passed", "abstained")


def test_conditions_are_kept_apart_and_judgments_are_said() -> None:
    rows = [
        replace(row(1, "q1", 1, "passed"), condition="baseline", judge_replicate=2),
        replace(row(2, "q1", 1, "wrong"), condition="baseline", judge_replicate=1),
        replace(row(3, "q1", 1, "wrong"), condition="graph"),
        replace(row(4, "q1", 1, "error", "bob"), condition="graph"),
    ]
    summary = summarise(counted(rows))
    assert summary.by_model == {
        "ada · baseline": Rate(1, 2, 0, 0.5, 1), "ada · graph": Rate(0, 1, 0, 0.0, 1), "bob · graph": Rate(0, 0, 1),
    }  # fmt: skip
    assert summary.by_condition == {"baseline": Rate(1, 2, 0, 0.5, 1), "graph": Rate(0, 1, 1, 0.0, 1)}
    assert summary.judgments == 2
    first, *_ = found = cells(rows)
    assert first.outcomes == ("wrong", "passed")
    assert [cell.key.condition for cell in found] == ["baseline", "graph", "graph"]
    assert summarise(counted(ROWS)).by_condition == {}


def test_traits_that_are_true_or_false_are_counted() -> None:
    scored = [
        replace(ROWS[0], traits={"cites": True, "clarity": 3}),
        replace(ROWS[1], traits={"cites": False}),
        ROWS[2],
    ]
    assert summarise(counted(scored)).by_trait == {"cites": Rate(1, 2)}


def result(passed: bool | None, category: FailureCategory | None = None, completed: bool = True) -> VerificationResult:
    failure = None if category is None else Failure(category=category, stage="s", reason="r")
    identity = ModelIdentity(interface="i", model_name="m")
    metadata = ResultMetadata(question_id="q", template_id="t", failure=failure, answering=identity)
    template = ResultTemplate(verify_result=passed)
    return VerificationResult(metadata=metadata, template=template, completed_without_errors=completed)


def test_an_outcome_follows_from_the_verdict_and_the_cause() -> None:
    assert outcome_of(result(True)) == "passed"
    assert outcome_of(result(False)) == "wrong"
    assert outcome_of(result(False, "content")) == "wrong"
    assert outcome_of(result(False, "refusal")) == "abstained"
    assert outcome_of(result(False, "sufficiency")) == "abstained"
    assert outcome_of(result(False, "recursion_limit")) == "autofail"
    assert outcome_of(result(None, "rate_limit", completed=False)) == "error"
    assert outcome_of(result(None, "parsing", completed=False)) == "error"
    assert outcome_of(result(None, completed=False)) == "error"
    assert outcome_of(result(None)) == "unscored"


def test_the_reason_is_the_category_of_the_failure_or_that_meaning_overrode_the_fields() -> None:
    assert reason_of(result(True)) is None
    assert reason_of(result(None)) is None
    assert reason_of(result(None, "rate_limit", completed=False)) == "rate_limit"
    overridden = ResultTemplate(verify_result=True, embedding_override_applied=True)
    assert reason_of(result(True).model_copy(update={"template": overridden})) == "overridden"
    still_wrong = ResultTemplate(verify_result=False, embedding_override_applied=True)
    assert reason_of(result(False, "content").model_copy(update={"template": still_wrong})) == "content"


def test_reasons_are_counted_with_their_outcome_where_it_does_not_say_all() -> None:
    rows = [
        replace(ROWS[0], outcome="error", category="timeout"),
        replace(ROWS[0], outcome="error", category="timeout"),
        replace(ROWS[0], outcome="abstained", category="sufficiency"),
        replace(ROWS[0], outcome="wrong", category="content"),
    ]
    assert summarise(counted(rows)).reasons == {("error", "timeout"): 2, ("abstained", "sufficiency"): 1}


def test_refusals_alone_are_no_rate_where_only_traits_were_rated() -> None:
    rows = [row(1, "q1", 1, "unscored"), row(2, "q2", 1, "abstained"), row(3, "q3", 1, "abstained", "bob")]
    found = summarise(counted(rows))
    assert found.by_model == {"ada": Rate(0, 0, 2), "bob": Rate(0, 0, 1)}
    assert found.by_model["ada"].value is None
    assert judged_count({"unscored": 1, "abstained": 2}) == 0
    assert judged_count({"unscored": 1, "abstained": 2, "wrong": 1}) == judged_count({"abstained": 3}) == 3
