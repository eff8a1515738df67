"""Tests of the selection of pairs to compare."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from karenina_gui.analysis.charts import comparison
from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_request import EACH_OTHER, ChartData, ChartRequest
from karenina_gui.analysis.charts.pairs import pairs_of, title
from karenina_gui.analysis.estimate import PairedDifference
from karenina_gui.analysis.metrics import VERDICT, Metric
from karenina_gui.analysis.report_text import ComparedArms, describe_difference, shared_cautions
from karenina_gui.analysis.scores import Arm
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.charts.theme import LIGHT
from tests.analysis.charts.situations import Plan, material
from tests.scored import scored

GRID = [Arm(model, condition) for model in ("gpt", "qwen") for condition in ("plain", "tools")]
MODELS = [Arm(model, None) for model in ("gpt", "qwen", "llama")]
DRAW = next(chart.figure for chart in CHARTS if chart.name == "comparison")


def of(arms: list[Arm], against: str | None = None) -> list[str]:
    return [title(arms, pair) for pair in pairs_of(arms, against).pairs]


def compared(arms: int, against: str | None = None, **plan: int) -> Finding:
    run = material(Plan(arms=arms, questions=40, **plan))  # type: ignore[arg-type]
    return comparison.find(*run.filter(ChartRequest(against=against)))


def test_conditions_are_compared_within_a_model_and_models_under_the_same_condition() -> None:
    assert of(GRID) == [
        "tools vs. plain (gpt)",
        "tools vs. plain (qwen)",
        "qwen vs. gpt (plain)",
        "qwen vs. gpt (tools)",
    ]
    assert pairs_of(GRID, None).common is None


def test_with_one_model_or_one_condition_all_are_compared_with_the_first() -> None:
    assert of(MODELS) == ["qwen vs. gpt", "llama vs. gpt"]
    assert of(GRID[:2]) == ["tools vs. plain (gpt)"]
    assert pairs_of(MODELS, None).common == 0


def test_everything_is_compared_with_what_a_reader_chooses() -> None:
    chosen = pairs_of(GRID, "qwen · plain")
    assert chosen.common == 2 and [(pair.baseline, pair.arm) for pair in chosen.pairs] == [(2, 0), (2, 1), (2, 3)]
    assert of(GRID, "qwen · plain")[1] == "gpt · tools vs. qwen · plain"
    assert of(MODELS, "llama") == ["gpt vs. llama", "qwen vs. llama"]


def test_every_pair_is_compared_while_they_are_few_and_otherwise_it_is_said_why_not() -> None:
    assert len(of(GRID, EACH_OTHER)) == 6 and len(set(of(GRID, EACH_OTHER))) == 6
    many = [Arm(f"model {at}", None) for at in range(12)]
    asked = pairs_of(many, EACH_OTHER)
    assert (len(asked.pairs), asked.common) == (11, 0) and "would be 66 comparisons" in asked.remark


def test_what_is_filtered_away_is_no_baseline_and_that_is_said() -> None:
    found = compared(2, against="model 7")
    assert found.cautions[0] == "“model 7” is filtered out, so nothing is compared with it."
    assert len(found.table.rows) == 1


def test_a_chosen_baseline_turns_the_difference_round_in_table_figure_and_sentence() -> None:
    usual, turned = compared(2), compared(2, against="model 0 · way 1")
    (one,), (other,) = usual.table.rows, turned.table.rows
    assert (one[2], other[2]) == ("model 0 · way 0", "model 0 · way 1")
    assert other[3] == pytest.approx(-one[3]) and (other[1], one[1]) == ("way 0", "way 1")
    assert "(vs. model 0 · way 1)" in DRAW(turned, LIGHT)["layout"]["xaxis"]["title"]["text"]
    assert turned.sentence.index("model 0 · way 1") < turned.sentence.index("model 0 · way 0")


def test_differences_of_rates_are_points_in_the_table_as_in_the_figure_and_those_of_scores_are_not() -> None:
    found = compared(2)
    (one,) = found.table.rows
    column = found.table.columns.index("Difference (percentage points)")
    assert one[column] == pytest.approx(100 * found.marks.comparisons[0].difference.value)
    assert found.table.formats["Difference (percentage points)"] == "points" and found.table.formats["p"] == "p"
    run = material(Plan(arms=2, questions=40))
    of_scores = comparison.find(*run.filter(ChartRequest(trait="length"))).table
    assert "Difference" in of_scores.columns and not any("points" in name for name in of_scores.columns)


def test_a_sentence_tells_of_conditions_and_of_models_and_the_correction_is_of_what_is_shown() -> None:
    found = compared(6)
    assert len(found.table.rows) == 7 and "Adjusted p (Holm)" in found.table.columns
    assert re.match(r"(None|\d) of 7 pairwise comparisons (is|are) significant \(Holm-corrected\)\. ", found.sentence)
    assert all(f"Largest difference between {of}: " in found.sentence for of in ("conditions", "models"))
    p, adjusted = (found.table.columns.index(name) for name in ("p", "Adjusted p (Holm)"))
    least = min(row[p] for row in found.table.rows)  # type: ignore[type-var]
    assert min(row[adjusted] for row in found.table.rows) == pytest.approx(min(1, 7 * least))  # type: ignore[type-var, operator]
    named = DRAW(found, LIGHT)["layout"]["yaxis"]["ticktext"]
    assert named[0].startswith("way 1 vs. way 0 (model\N{NO-BREAK SPACE}0)<br>")


def test_a_caution_of_two_sentences_is_said_once() -> None:
    few = PairedDifference(0.2, 0.1, 0.3, 12, p=0.01, approximate=True)
    many, sure = replace(few, n=50), replace(few, n=50, approximate=False)
    assert shared_cautions(few, few) == ("", " With fewer than 30 questions, the intervals are approximate.")
    one, other = shared_cautions(few, many)
    assert one == " With fewer than 30 questions, the interval is approximate."
    assert other == " The interval is approximate, because nearly all scores are at one end of the scale."
    assert shared_cautions(few, sure) == (one, "") and shared_cautions(sure, sure) == ("", "")
    assert shared_cautions(few, replace(few, low=None, high=None)) == (one, "")
    for found in (few, many, sure):
        whole, alone = (
            describe_difference(found, ComparedArms("A", "B", VERDICT, 60), caution=caution)
            for caution in (True, False)
        )
        assert whole == alone + shared_cautions(found, replace(found, identical=True))[0]
    run = material(Plan(arms=6, questions=12))
    said = comparison.find(*run.filter(ChartRequest())).sentence
    assert "between models" in said and said.count("approximate") == 1


def test_more_than_ten_comparisons_are_corrected_by_their_share_of_false_ones() -> None:
    found = compared(12)
    assert len(found.table.rows) == 17 and "Adjusted p (Benjamini–Hochberg)" in found.table.columns


def test_the_test_is_chosen_by_what_is_compared() -> None:
    chance = np.random.default_rng(1)
    methods = {}
    for name, questions, replicates, trait in (
        ("one verdict", 40, 1, None), ("few", 20, 3, None), ("many", 40, 3, None), ("grades", 40, 3, "depth"),
        ("figures", 40, 3, "length"),
    ):  # fmt: skip
        run = material(Plan(questions=questions, replicates=replicates), seed=int(chance.integers(99)))
        found = comparison.find(*run.filter(ChartRequest(trait=trait)))
        methods[name] = re.split("[,;]", str(found.table.rows[0][found.table.columns.index("Method")]))[0]
    assert methods == {
        "one verdict": "exact McNemar",
        "few": "exact permutation test",
        "many": "paired t-test",
        "grades": "exact permutation test",
        "figures": "paired t-test",
    }


def test_a_permutation_of_five_questions_claims_nothing() -> None:
    values = np.array([[[[0.0]], [[1.0 + at / 10]]] for at in range(5)])
    found = comparison.find(scored(values, Metric("depth", "number", 0.0, 5.0, True)), ChartData())
    (one,) = found.marks.comparisons
    assert one.difference.low > 0 and one.p == pytest.approx(2 / 2**5) and not one.is_significant
    assert found.sentence.startswith("No significant difference ")
