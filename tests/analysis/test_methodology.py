"""Tests of the three standard deviations of the methodology."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import stdev

import pytest

from karenina_gui.analysis.methodology import ArmSpread, spreads
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.scores import Scores
from tests.job_tables import job_table

METRIC = Metric("judge.completeness", "number", 1.0, 5.0, True)


def spread(answers: Mapping[str, Sequence[float | None]]) -> ArmSpread:
    """{question: score of each replicate}"""
    rows = [(question, number, score) for question, each in answers.items() for number, score in enumerate(each, 1)]
    table = job_table(
        result_id=list(range(len(rows))),
        question_id=[question for question, _, _ in rows],
        answering=["gpt"] * len(rows),
        condition=[None] * len(rows),
        judge=["judge"] * len(rows),
        replicate=[number for _, number, _ in rows],
        judge_replicate=[None] * len(rows),
        outcome=["error" if score is None else "unscored" for _, _, score in rows],
        category=[None] * len(rows),
        traits=[{} if score is None else {"judge.completeness": score} for _, _, score in rows],
    )
    (found,) = spreads(Scores.of(table, METRIC))
    return found


def test_each_spread_has_its_own_formula() -> None:
    found = spread({"a": [1, 2, 3], "b": [4, 4, 4], "c": [5, 3, 4]})
    assert found.mean == pytest.approx((2 + 4 + 4) / 3)
    assert found.reported == pytest.approx((1 + 0 + 1) / 3)
    assert found.pooled == pytest.approx(sqrt((1 + 0 + 1) / 3))
    assert found.between == pytest.approx(stdev([2, 4, 4]))
    assert found.error == pytest.approx(stdev([2, 4, 4]) / sqrt(3))


def test_one_replicate_has_no_deviation_rather_than_none_at_all() -> None:
    found = spread({"a": [1], "b": [4]})
    assert [each.deviation for each in found.questions] == [None, None]
    assert (found.reported, found.pooled) == (None, None)
    assert found.between == pytest.approx(stdev([1, 4]))


def test_one_question_has_no_spread_between_questions() -> None:
    found = spread({"a": [1, 2]})
    assert (found.mean, found.between, found.error) == (1.5, None, None)


def test_a_question_counts_once_however_many_answers_it_has() -> None:
    found = spread({"a": [1, None, None], "b": [5, 5, 5], "c": [None, None]})
    assert found.mean == 3
    assert (found.scored, found.planned) == (2, 3)
    assert [(each.scored, each.planned) for each in found.questions] == [(1, 3), (3, 3), (0, 2)]
    assert found.questions[2].mean is None


def test_the_saved_run_of_k_eval_has_the_spreads_that_the_reference_gives(shared: Path) -> None:
    lines = (shared / "k-eval" / "example" / "example.detailed.jsonl").read_text().splitlines()
    read = [json.loads(line) for line in lines]
    found = spread(
        {
            line["sample_idx"]: [run["factual_adherence"] for run in line["run_details"]]
            for line in read
            if line["evaluation_name"].endswith("/with_graph")
        }
    )
    figures = (found.reported, found.pooled, found.between, found.error)
    assert [round(figure or 0, 3) for figure in figures] == [0.481, 0.527, 0.574, 0.166]
