"""The judge of the methodology: three scores from 1 to 5 with reasons and unverified claims, in one call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.analysis.metrics import metrics_of
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from karenina_gui.gui.pages.results.trait_rows import trait_rows
from karenina_gui.gui.pages.rubric.kinds import READY
from karenina_gui.gui.pages.rubric.rubric_record import new_trait, write_traits
from karenina_gui.gui.pages.rubric.rules import problems
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric, methodology_judge
from karenina_gui.schemas.rubric.methodology import METRICS
from tests.job_tables import job_table
from tests.rubric.conftest import REFERENCE, Rate, replies

GIVEN: dict[str, Any] = {
    "factual_adherence_reasoning": "It names BCL2.",
    "factual_adherence": 5,
    "completeness_reasoning": "The family is missing.",
    "completeness": 4,
    "helpfulness_and_clarity_reasoning": "One sentence.",
    "helpfulness_and_clarity": 3,
    "unverified_claims": ["approved in 2016"],
}


def test_one_call_gives_three_scores_their_reasons_and_the_claims(rate: Rate) -> None:
    rated = rate(methodology_judge(), judge=replies(**GIVEN))
    assert rated.rubric.llm_trait_scores == {f"answer_quality.{name}": value for name, value in GIVEN.items()}
    (asked,) = rated.asked
    for seen in ("What does venetoclax bind?", "It binds BCL2.", REFERENCE):
        assert seen in asked.text
    assert rated.problems == ""


def test_every_score_is_anchored_from_one_to_five_in_the_prompt(rate: Rate) -> None:
    (asked,) = rate(methodology_judge(), judge=replies(**GIVEN)).asked
    assert asked.text.count("Value: from 1 to 5.") == 3
    assert "higher_is_better" not in json.dumps(asked.body)


def test_a_score_beyond_the_range_counts_as_missing(rate: Rate) -> None:
    rated = rate(methodology_judge(), judge=replies(**{**GIVEN, "completeness": 7}))
    assert rated.rubric.llm_trait_scores["answer_quality.completeness"] == 7
    assert rated.rubric.out_of_scale == ["answer_quality.completeness"]
    assert "'answer_quality.completeness' the value 7" in rated.problems


def test_charts_know_that_each_score_goes_from_one_to_five(rate: Rate) -> None:
    rubric = rate(methodology_judge(), judge=replies(**GIVEN)).rubric
    scores = {f"answer_quality.{name}": GIVEN[name] for name in METRICS}
    table = job_table(question_id=["q"], outcome=["unscored"], traits=[scores])
    found = metrics_of(table, rubric.trait_scales or {})
    assert [metric.trait for metric in found] == sorted(scores)
    assert {(metric.kind, metric.low, metric.high, metric.higher_is_better) for metric in found} == {
        ("number", 1.0, 5.0, True)
    }


def test_the_result_page_shows_scores_with_their_range_reasons_and_claims(rate: Rate) -> None:
    (row,) = trait_rows(rate(methodology_judge(), judge=replies(**GIVEN)).rubric)
    shown = dict(row.parts)
    assert shown["completeness"] == "4 (1 to 5 · higher is better)"
    assert shown["completeness_reasoning"] == "The family is missing."
    assert row.lists == (("Unverified claims", ("approved in 2016",)),)


@pytest.mark.parametrize("place", ["benchmark", "question"])
def test_it_survives_a_checkpoint(tmp_path: Path, place: str) -> None:
    rubric = Rubric(llm_traits=[methodology_judge()])
    question = Question(question="What?", raw_answer="That.")
    if place == "question":
        question.question_rubric = rubric.model_dump(mode="json")
    document = BenchmarkDocument(name="b", rubric=rubric if place == "benchmark" else None)
    document.entries.append(BenchmarkEntry(question=question))
    read = load_checkpoint(save_checkpoint(document, tmp_path / "b.jsonld"))
    own = read.entries[0].question.question_rubric
    kept = Rubric.model_validate(own) if place == "question" else read.rubric
    assert kept is not None and kept.llm_traits == rubric.llm_traits


def test_the_editor_offers_it_whole() -> None:
    (ready,) = READY
    trait = new_trait(ready.type_name, ready.make())
    assert problems(trait.type_name, trait.values, {}) == {}
    stored, _ = write_traits([trait.with_values({}, {})], {})
    assert Rubric.model_validate(stored).llm_traits == [methodology_judge()]
