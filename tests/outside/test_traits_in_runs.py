"""Traits of a type from outside the package in a run, in its results, and in what is exported of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest

from karenina_gui.benchmark import Benchmark
from karenina_gui.formats.results.json_codec import read_row
from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.formats.results.table_row_reader import result_of_cells
from karenina_gui.formats.results.table_writer import result_table
from karenina_gui.gui.pages.results.trait_rows import trait_rows
from karenina_gui.rubric import RubricTask, TraitEvaluator, TraitScores, register
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import ResultRubric, TraitScale, VerificationResult
from karenina_gui.schemas.rubric import OtherRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.results import light_columns
from karenina_gui.store.tables import JobRow
from tests.outside.conftest import SHORT

Make = Callable[..., OtherRubricTrait]
Play = Callable[..., VerificationResult]
UNIT = RegexRubricTrait(name="unit", pattern="mg")


class Tone(OtherRubricTrait):
    """Scored as a test wants it."""

    type_name: Literal["tone"] = "tone"

    def score_scale(self) -> TraitScale:
        return TraitScale(kind="score", higher_is_better=False, min_score=0, max_score=10)


@pytest.fixture
def play(sandbox: Sandbox) -> Play:
    """`play(traits, own traits)`: one recorded answer, rated."""

    def run(rubric: Rubric, own: Rubric | None = None, answer: str = "400 mg a day") -> VerificationResult:
        benchmark = Benchmark.create("b")
        question = benchmark.add_question("How much?", raw_answer="400 mg")
        benchmark.set_global_rubric(rubric)
        benchmark.get_question(question).question_rubric = own.model_dump(mode="json") if own else None
        model = ModelConfig(id="recorded", interface="manual", manual_traces={question: answer})
        config = VerificationConfig(answering_models=[model], evaluation_mode="rubric_only")
        (result,) = benchmark.run_verification(config, sandbox=sandbox)
        return result

    return run


def test_it_is_scored_beside_the_others(word_count: Make, play: Play) -> None:
    result = play(
        Rubric(regex_traits=[UNIT], other_traits=[word_count(most=3)]), Rubric(other_traits=[word_count("brief")])
    )
    rubric = rubric_of(result)
    assert rubric.other_trait_scores == {"short": False, "brief": True}
    assert rubric.regex_trait_scores == {"unit": True}
    assert rubric.trait_provenance == {"unit": "global", "short": "global", "brief": "question_specific"}
    assert result.metadata.warnings == []


def test_results_show_and_count_it(word_count: Make, play: Play) -> None:
    result = play(Rubric(other_traits=[word_count(most=3)]))
    (row,) = trait_rows(rubric_of(result))
    assert (row.name, row.kind, row.score, row.good, row.origin) == ("short", "word count", "no", False, "benchmark")
    job = JobRow(run_id=1, key="k", position=0, question_id="q", answering="a")
    assert light_columns(job, result)["traits"] == {"short": False}


def test_files_of_results_keep_it(word_count: Make, play: Play) -> None:
    result = play(Rubric(other_traits=[word_count(most=3)]))
    assert rubric_of(read_row(result.model_dump(mode="json"))) == rubric_of(result)
    with result_table([result], RunInfo("1", None, VerificationConfig(), 0.0)) as table:
        (cells,) = table.rows()
        named = dict(zip(table.columns, ("" if cell is None else str(cell) for cell in cells), strict=True))
    assert named["rubric_short"] == "False"
    again = rubric_of(result_of_cells(named))
    assert again.other_trait_scores == {"short": False}
    assert trait_rows(again) == trait_rows(rubric_of(result))


def test_results_without_one_have_no_such_section(play: Play) -> None:
    assert "other_trait_scores" not in rubric_of(play(Rubric(regex_traits=[UNIT]))).model_dump()


def test_a_trait_whose_type_is_missing_is_named_and_the_others_are_scored(play: Play) -> None:
    result = play(Rubric.model_validate({"regex_traits": [UNIT], "other_traits": [SHORT]}))
    (warning,) = result.metadata.warnings
    assert warning == (
        "The trait 'short' has no score: Traits of the type 'word_count' come from a package that is not installed "
        "here."
    )
    assert rubric_of(result).regex_trait_scores == {"unit": True}
    assert [row.name for row in trait_rows(rubric_of(result))] == ["unit", "short"]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (TraitScores({"other_trait_scores": {"calm": object()}}), "gave a score that can’t be stored"),
        (TraitScores(), "its evaluation gave no score."),
        (TraitScores({"other_trait_scores": {"somebody else": True}}), "its evaluation gave no score."),
        ({"calm": 3}, "it returned dict instead of TraitScores"),
        (ZeroDivisionError("oh"), "its evaluation stopped unexpectedly: oh"),
    ],
)
def test_an_evaluator_that_gives_nonsense_costs_its_own_traits_only(given: Any, said: str, play: Play) -> None:
    register(TraitEvaluator(Tone, giving(given)))
    result = play(Rubric(regex_traits=[UNIT], other_traits=[Tone(name="calm")]))
    assert said in "\n".join(result.metadata.warnings)
    assert result.completed_without_errors
    assert rubric_of(result).other_trait_scores is None
    assert rubric_of(result).regex_trait_scores == {"unit": True}


@pytest.mark.usefixtures("tables")
def test_a_type_says_what_its_scores_mean(play: Play) -> None:
    register(TraitEvaluator(Tone, giving(TraitScores({"other_trait_scores": {"calm": 7}}))))
    (row,) = trait_rows(rubric_of(play(Rubric(other_traits=[Tone(name="calm")]))))
    assert (row.kind, row.score, row.meaning) == ("tone", "7", "0 to 10 · lower is better")


def giving(what: Any) -> Callable[[Sequence[Tone], RubricTask], TraitScores]:
    def evaluate(_traits: Sequence[Tone], _task: RubricTask) -> TraitScores:
        if isinstance(what, Exception):
            raise what
        found: TraitScores = what
        return found

    return evaluate


def rubric_of(result: VerificationResult) -> ResultRubric:
    assert result.rubric is not None
    return result.rubric
