"""Tests of the chart process: cached tables, errors, and restart after its death."""

from __future__ import annotations

import operator
import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.analysis.chart_process import MOST_TABLES, ChartError, ChartWorker
from karenina_gui.analysis.charts import arms
from karenina_gui.analysis.charts.chart_request import ChartRequest
from karenina_gui.analysis.run_data import ChartResult, Choices, RunData, compute_chart
from karenina_gui.schemas.job_table import JobTable, floats
from karenina_gui.schemas.outcome import OUTCOMES
from tests.job_tables import job_table

QUESTION = partial(compute_chart, find=arms.find, request=ChartRequest())
LIGHT = operator.attrgetter("choices")
"""Question that imports no statistics."""


@pytest.fixture(scope="module")
def worker() -> Iterator[ChartWorker]:
    worker = ChartWorker()
    worker.warm_up()
    yield worker
    worker.close()


class Shelf:
    """Source of the same table that counts its calls, which the process makes."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "calls"
        self.load = partial(_load, self._log)

    @property
    def asked(self) -> int:
        return len(self._log.read_text()) if self._log.exists() else 0


def _load(log: Path) -> RunData:
    with log.open("a") as calls:
        calls.write("x")
    return RunData(table(["passed", "wrong", "passed", "passed", None]))


def table(outcomes: list[object], **changed: Any) -> JobTable:
    n = len(outcomes)
    columns = {
        "result_id": [None if outcome is None else number for number, outcome in enumerate(outcomes)],
        "question_id": [f"q{number}" for number in range(n)],
        "answering": ["gpt"] * n,
        "condition": [None] * n,
        "judge": ["judge"] * n,
        "replicate": [None] * n,
        "judge_replicate": [None] * n,
        "outcome": outcomes,  # type: ignore[arg-type]
        "category": [None] * n,
        "seconds": [1.0] * n,
        "tokens": [10] * n,
        "traits": [{}] * n,
        "texts": {"q0": "Which dose?"},
        "keywords": {"q0": ("dose", "all"), "q1": ("gene", "dose", "all"), "q2": ("all",), "q3": ("all",)},
    }
    return job_table(**columns | changed)


def test_what_needs_no_table_is_computed_as_it_is_or_says_what_went_wrong(worker: ChartWorker, tmp_path: Path) -> None:
    assert worker.compute(partial(divmod, 7, 2)) == (3, 1)
    wrong = worker.compute(partial(divmod, 7, 0))
    assert isinstance(wrong, ChartError)
    assert "ZeroDivisionError" in wrong.message
    assert isinstance(worker.ask(LIGHT, "afterwards", Shelf(tmp_path).load), Choices)


def test_a_finding_comes_back_with_what_else_can_be_asked_for(worker: ChartWorker, tmp_path: Path) -> None:
    answer = worker.ask(QUESTION, "first", Shelf(tmp_path).load)
    assert isinstance(answer, ChartResult)
    assert (answer.finding.scored, answer.finding.planned) == (4, 5)
    assert answer.finding.marks.arms[0].estimate.value == 0.75
    assert answer.choices.answering == ("gpt",)
    assert answer.choices.keywords == ("dose", "gene")
    assert [metric.title for metric in answer.choices.metrics] == ["Pass rate"]


def test_a_filter_sends_no_table_again(worker: ChartWorker, tmp_path: Path) -> None:
    catalog = Shelf(tmp_path)
    narrower = partial(compute_chart, find=arms.find, request=ChartRequest(keyword="dose"))
    whole, part = worker.ask(QUESTION, "kept", catalog.load), worker.ask(narrower, "kept", catalog.load)
    assert isinstance(whole, ChartResult)
    assert isinstance(part, ChartResult)
    assert (whole.finding.planned, part.finding.planned, catalog.asked) == (5, 2, 1)


def test_where_no_job_passes_the_filter_that_is_said(worker: ChartWorker, tmp_path: Path) -> None:
    answer = worker.ask(
        partial(compute_chart, find=arms.find, request=ChartRequest(judge="nobody")), "kept", Shelf(tmp_path).load
    )
    assert isinstance(answer, ChartResult)
    assert (answer.finding.empty_reason, answer.finding.planned) == ("No jobs match these filters.", 0)


def test_what_an_answer_takes_counts_all_its_judgments_whichever_judge_is_asked_for() -> None:
    whole = table(
        ["passed", "wrong", "passed", "passed"],
        question_id=["q0", "q0", "q1", "q1"], judge=["strict", "mild"] * 2, seconds=[5.0, 1.0, 4.0, 1.0],
    )  # fmt: skip
    material = RunData(whole, dollars=floats([0.4, 0.1, 0.3, None]))
    for request in (ChartRequest(), ChartRequest(judge="mild")):
        _, data = material.filter(request)
        assert set(data.seconds.tolist()) == {6.0, 5.0}
        # Of the other answer a judgment has no known cost.
        assert {None if dollars != dollars else dollars for dollars in data.dollars.tolist()} == {0.5, None}
        assert set(data.tokens.tolist()) == {20}


def test_what_is_known_of_jobs_stands_in_the_order_of_their_scores_also_where_some_were_never_to_have_one() -> None:
    whole = table(["unscored", "passed", "wrong", "error", None], seconds=[0.0, 1.0, 2.0, 3.0, 4.0])
    material = RunData(whole, dollars=floats([None, 0.5, None, None, None]))
    scores, data = material.filter(ChartRequest())
    assert scores.questions == ("q1", "q2", "q3", "q4")
    assert data.outcome is not None and data.seconds is not None and data.dollars is not None
    assert data.seconds.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert [(*OUTCOMES, None)[code] for code in data.outcome.tolist()] == ["passed", "wrong", "error", None]
    assert [dollars == 0.5 for dollars in data.dollars.tolist()] == [True, False, False, False]
    narrower, of_it = material.filter(ChartRequest(question_id="q2"))
    assert (narrower.value.tolist(), list(of_it.seconds)) == ([0.0], [2.0])


def test_the_tables_asked_for_last_are_kept_and_no_others(worker: ChartWorker, tmp_path: Path) -> None:
    catalog = Shelf(tmp_path)
    for edition in range(MOST_TABLES):
        worker.ask(LIGHT, edition, catalog.load)
    worker.ask(LIGHT, 0, catalog.load)
    worker.ask(LIGHT, MOST_TABLES, catalog.load)
    worker.ask(LIGHT, 0, catalog.load)
    assert catalog.asked == MOST_TABLES + 1
    worker.ask(LIGHT, 1, catalog.load)
    assert catalog.asked == MOST_TABLES + 2


def test_what_goes_wrong_is_a_message(worker: ChartWorker, tmp_path: Path) -> None:
    answer = worker.ask(operator.attrgetter("nothing"), "first", Shelf(tmp_path).load)
    assert isinstance(answer, ChartError)
    assert "'RunData' object has no attribute 'nothing'." in answer.message
    assert "Traceback" not in answer.message
    assert isinstance(worker.ask(LIGHT, "first", Shelf(tmp_path).load), Choices)


def test_a_process_that_died_is_started_again_and_gets_its_table_again(worker: ChartWorker, tmp_path: Path) -> None:
    catalog = Shelf(tmp_path)
    worker.ask(LIGHT, "again", catalog.load)
    before = worker.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    assert isinstance(worker.ask(LIGHT, "again", catalog.load), Choices)
    assert worker.pid != before
    assert catalog.asked == 2


def test_one_that_dies_of_the_question_itself_is_a_message(tmp_path: Path) -> None:
    worker = ChartWorker()
    try:
        answer = worker.ask(partial(_end_of_it, how=9), "x", Shelf(tmp_path).load)
        assert isinstance(answer, ChartError)
        assert "ended unexpectedly" in answer.message
    finally:
        worker.close()


def _end_of_it(material: RunData, how: int) -> None:
    os._exit(how)


def test_a_closed_one_computes_no_more_and_leaves_no_process(tmp_path: Path) -> None:
    worker = ChartWorker()
    worker.warm_up()
    process = worker.pid
    assert process is not None
    worker.close()
    assert isinstance(worker.ask(LIGHT, "x", Shelf(tmp_path).load), ChartError)
    assert worker.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_it_ends_with_the_other_end_of_its_line() -> None:
    worker = ChartWorker()
    worker.warm_up()
    process = worker._process._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    until = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert process.poll() == 0
    worker.close()
