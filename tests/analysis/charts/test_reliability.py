"""Tests of the chart of consistent and flaky questions, on cases with known truth."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from math import dist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from karenina_gui.analysis.charts import reliability
from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_request import ChartData, ChartRequest
from karenina_gui.analysis.charts.reliability_marks import names_of
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.run_data import RunData
from karenina_gui.gui.charts.reliability import figure
from karenina_gui.gui.charts.theme import LIGHT
from karenina_gui.gui.pages.guide.chapters import CHAPTERS
from karenina_gui.schemas.job_table import floats
from tests.analysis.charts.situations import Plan, material
from tests.scored import NUMBER, scored
from tests.simulated_run import SCALES, Simulation

NAN = np.nan
DATA = ChartData(texts={f"q{at}": f"Text {at}" for at in range(500)})
GRADES = Metric("depth", "number", 1.0, 5.0, True)
HEDGES = Metric("hedges", "binary", 0.0, 1.0, False)


def one_arm(answers: list[list[float]], metric: Metric = VERDICT, data: ChartData = DATA) -> Finding:
    """Scores by question and replicate."""
    return reliability.find(scored(np.array(answers, dtype=float)[:, None, :, None], metric), data)


def kinds(finding: Finding) -> dict[str, Any]:
    """Kind of each question."""
    column = finding.table.columns.index("Kind")
    return {str(row[0]): row[column] for row in finding.table.rows}


def test_all_some_or_none_of_the_answers_pass() -> None:
    found = one_arm([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 0, 1]])
    assert kinds(found) == {
        "Text 0": "always passed",
        "Text 1": "flaky",
        "Text 2": "never passed",
        "Text 3": "flaky",
    }
    assert found.sentence == (
        "4 questions with A (3 answers each): 1 always passed, 2 flaky, and 1 never passed. Two "
        "answers to the same question differ with a probability of 33%. Most variation: “Text 3” and 1 more."
    )
    rows = [dict(zip(found.table.columns, row, strict=True)) for row in found.table.rows]
    assert [row["Flip probability"] for row in rows] == pytest.approx([2 / 3, 2 / 3, 0, 0])
    assert [row["Question"] for row in rows] == [
        "Text 3",
        "Text 1",
        "Text 2",
        "Text 0",
    ]  # the worst of equal ones first
    assert [link["question"] for link in found.table.links] == ["q3", "q1", "q2", "q0"]
    assert any("passes 90% of the time still looks consistent in 73% of cases" in caution for caution in found.cautions)


def test_the_flakiest_of_many_that_are_as_flaky_is_not_named() -> None:
    assert one_arm([[1, 0, 1]] * 4).sentence.endswith("differ with a probability of 67%.")


def test_one_question_under_several_arms_is_not_several_questions() -> None:
    def told(*arms: list[int]) -> str:
        return reliability.find(scored(np.array([arms], dtype=float)[..., None], VERDICT), DATA).sentence

    assert told([1, 0], [0, 1], [1, 0]).endswith(" Most variation: “Text 0” with A and 2 other pairs.")
    assert told([1, 1], [0, 1], [1, 0]).endswith(" Most variation: “Text 0” with B and 1 other pair.")
    assert told([1, 1], [1, 1], [1, 0]).endswith(" Most variation: “Text 0” with C.")


def test_the_better_end_of_a_trait_is_the_solid_one() -> None:
    found = one_arm([[0, 0], [1, 1], [0, 1]], HEDGES)
    assert kinds(found) == {"Text 0": "consistently good", "Text 1": "consistently bad", "Text 2": "flaky"}
    assert found.sentence.startswith(
        "“hedges” on 3 questions with A (2 answers each): 1 consistently good (no each time), 1 flaky (sometimes no, "
        "sometimes yes), and 1 consistently bad (yes each time). "
    )
    nobody_knows = one_arm([[0, 0], [1, 1], [0, 1]], replace(HEDGES, higher_is_better=None))
    assert kinds(nobody_knows) == {"Text 0": "consistent", "Text 1": "consistent", "Text 2": "flaky"}


GOOD, BAD = "consistently good", "consistently bad"


@pytest.mark.parametrize(("better", "high", "low"), [(True, GOOD, BAD), (False, BAD, GOOD)])
def test_grades_are_flaky_above_a_quarter_of_the_scale_and_else_go_by_its_half(
    better: bool, high: str, low: str
) -> None:
    answers = [[5, 4, 5], [1, 2, 1], [1, 5, 3], [2, 3, 4], [3, 3, 3]]
    found = one_arm(answers, replace(GRADES, higher_is_better=better))
    assert kinds(found) == {"Text 0": high, "Text 1": low, "Text 2": "flaky", "Text 3": GOOD, "Text 4": GOOD}
    assert "have a standard deviation of" in found.sentence and "flaky (standard deviation over 1)" in found.sentence
    steady = one_arm(answers, replace(GRADES, higher_is_better=None))
    assert Counter(kinds(steady).values()) == {"consistent": 4, "flaky": 1}
    (entry,) = re.findall(r"\*\*Consistent\*\*.*", CHAPTERS["glossary"].markdown)
    assert "good and bad mean the better and the worse half of the scale" in entry


def test_scores_without_bounds_are_told_but_not_called_flaky() -> None:
    found = one_arm([[10, 20], [7, 7]], NUMBER)
    assert set(kinds(found).values()) == {None}
    assert (
        "Without a range of scores, no question is called consistent or flaky. Most variation: “Text 0”."
        in found.sentence
    )
    assert figure(found, LIGHT)["layout"]["annotations"] == []


def test_rounding_is_no_variation() -> None:
    found = one_arm([[0.1 + 0.2, 0.3], [0.3, 0.3]], Metric("recall", "number", 0.0, 1.0, True))
    assert [spot.spread for spot in found.marks.points] == [0.0, 0.0] and "Most variation" not in found.sentence


def test_a_single_scored_answer_is_in_the_table_only() -> None:
    found = one_arm([[1, NAN], [1, 0], [NAN, NAN]])
    assert kinds(found) == {"Text 1": "flaky", "Text 0": None, "Text 2": None}
    assert [spot.question for spot in found.marks.points] == ["Text 1"]
    assert any("2 rows with fewer than two scored answers" in caution for caution in found.cautions)
    once = one_arm([[1], [0]])
    assert once.marks is None and "at least two replicates" in once.empty_reason


def test_no_mark_hides_another_and_the_first_of_a_place_is_exactly_there() -> None:
    found = one_arm([[1, 1, 1]] * 120 + [[1, 0, 1]] * 30 + [[0, 0, 0]])
    (trace,) = figure(found, LIGHT)["data"]
    places = [*zip(trace["x"], trace["y"], strict=True)]
    assert len(set(places)) == 151
    assert min(dist(one, other) for at, one in enumerate(places) for other in places[:at]) > 0.005
    assert {(0.0, 0.0), (1.0, 0.0)} <= set(places)
    assert all(
        abs(x - (found.marks.points[at].level or 0)) <= 0.1
        for at, x in zip(trace["customdata"], trace["x"], strict=True)
    )
    assert [found.links[at]["question"] for at in trace["customdata"]] == [
        spot.question_id for spot in found.marks.points
    ]


def test_where_many_stand_in_one_place_all_marks_are_smaller() -> None:
    few, many = (figure(one_arm([[1, 1]] * n + [[1, 0]]), LIGHT)["data"][0]["marker"]["size"] for n in (5, 100))
    assert len({*few}) == len({*many}) == 1 and few[0] > 1.5 * many[0] > 4


def test_each_arm_has_a_symbol_of_its_own_and_kinds_stand_where_they_are() -> None:
    run = material(Plan(questions=20, arms=12))
    found = reliability.find(*run.filter(ChartRequest()))
    drawn = figure(found, LIGHT)
    looks = {(trace["marker"]["symbol"], trace["marker"]["color"]) for trace in drawn["data"]}
    assert len(drawn["data"]) == len(looks) == 12 and drawn["layout"]["showlegend"]
    names = {note["text"].partition(":")[0]: note["xanchor"] for note in drawn["layout"]["annotations"]}
    assert names == {"always passed": "right", "flaky": "center", "never passed": "left"}
    counted = [int(note["text"].partition(": ")[2].split()[0]) for note in drawn["layout"]["annotations"]]
    assert sum(counted) == found.marks.number == 240
    hedging = figure(reliability.find(*run.filter(ChartRequest(trait="hedges"))), LIGHT)
    assert "Share of answers rated “no”" in hedging["layout"]["xaxis"]["title"]["text"]


def test_the_more_was_written_the_larger_is_the_mark() -> None:
    tokens = [100.0, 100.0, 400.0, None, None, None]
    found = one_arm([[1, 0], [0, 1], [1, 1]], data=replace(DATA, tokens=floats(tokens)))
    by_question = {spot.question_id: spot.tokens for spot in found.marks.points}
    assert by_question == {"q0": 100, "q1": 400, "q2": None}
    drawn = figure(found, LIGHT)
    (trace,) = drawn["data"]
    sizes = {
        found.marks.points[at].question_id: size
        for at, size in zip(trace["customdata"], trace["marker"]["size"], strict=True)
    }
    assert sizes["q1"] > sizes["q0"] and "Mark size: tokens" in drawn["layout"]["xaxis"]["title"]["text"]
    even = figure(one_arm([[1, 0], [0, 1]]), LIGHT)
    assert (
        len(set(even["data"][0]["marker"]["size"])) == 1 and "Mark size" not in even["layout"]["xaxis"]["title"]["text"]
    )


@pytest.mark.parametrize("trait", [None, "clarity"])
def test_of_ten_thousand_jobs_some_of_each_kind_are_drawn_and_all_are_counted(trait: str | None) -> None:
    run = RunData(Simulation(questions=2500, models=1, conditions=2, replicates=2).table(), SCALES)
    scores, data = run.filter(ChartRequest(trait=trait))
    found = reliability.find(scores, data)
    drawn = figure(found, LIGHT)
    assert sum(len(trace["x"]) for trace in drawn["data"]) == 800 < found.marks.number
    drawn_kinds = {names_of(scores.metric)[spot.kind] for spot in found.marks.points}
    assert drawn_kinds == {note["text"].partition(":")[0] for note in drawn["layout"]["annotations"]}
    legend = [re.search(r"([\d,]+) questions, (\d+) drawn", trace["name"]) for trace in drawn["data"]]
    counts = [(int(told[1].replace(",", "")), int(told[2])) for told in legend if told]
    assert [sum(each) for each in zip(*counts, strict=True)] == [found.marks.number, 800]
    for at, spot in enumerate(found.marks.points):
        assert found.links[at]["question"] == spot.question_id
    assert any(
        f"The figure shows 800 of {found.marks.number:,} marks, sampled by kind." in said for said in found.cautions
    )


@given(st.lists(st.sampled_from("abcdefg"), max_size=300), st.integers(8, 60))
def test_what_is_drawn_has_some_of_each_group_in_its_order(groups: list[str], most: int) -> None:
    drawn = reliability.sample_groups(groups, most)
    assert len(drawn) == min(most, len(groups)) and drawn == sorted(set(drawn))
    assert {groups[place] for place in drawn} == set(groups)
