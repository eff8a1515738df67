"""The table of evaluators: every type has a row, and no row takes another's traits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from karenina_gui.errors import RunCancelled
from karenina_gui.rubric import (
    EVALUATORS,
    RubricTask,
    TraitEvaluator,
    TraitScores,
    TraitSettings,
    judge_calls,
    register,
)
from karenina_gui.schemas.rubric import (
    AgenticRubricTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.rubric.conftest import Rate, replies, rubric_of
from tests.rubric.deep_judge import Judge, deeply_judged

CLEAR = LLMRubricTrait(name="clear", kind="boolean")
QUOTED = LLMRubricTrait(name="quoted", kind="boolean", deep_judgment_enabled=True)
FORM = LLMRubricTrait(
    name="form", kind={"type": "template", "schema": {"properties": {"n": {"type": "integer"}}}}, higher_is_better=None
)
CITES = RegexRubricTrait(name="cites", pattern=r"\[\d+\]", higher_is_better=False)
SHORT = CallableRubricTrait(name="short", kind="boolean", source="def f(text):\n    return len(text) < 99\n")
NAMES = MetricRubricTrait(name="names", metrics=["f1"], tp_instructions=["BCL2"])
AGENT = AgenticRubricTrait(name="agent", kind="boolean", higher_is_better=True)
LISTS = {"tp": ["BCL2"], "fn": [], "fp": []}


@pytest.fixture
def table() -> Iterator[None]:
    """Restores the table."""
    before = list(EVALUATORS)
    yield
    EVALUATORS[:] = before


def test_a_rubric_with_every_type_is_scored_whole(rate: Rate) -> None:
    rated = rate(CLEAR, FORM, CITES, SHORT, NAMES, AGENT, judge=replies(clear=True, n=1, **LISTS))
    assert rated.rubric.llm_trait_scores == {"clear": True, "form.n": 1}
    assert rated.rubric.regex_trait_scores == {"cites": False}
    assert rated.rubric.callable_trait_scores == {"short": True}
    assert rated.rubric.metric_trait_scores == {"names": {"f1": 1.0}}
    assert rated.problems.startswith("The trait 'agent' has no score: ")  # its judge leaves no report here


def test_a_trait_with_deep_judgment_makes_no_other_disappear(rate: Rate) -> None:
    rated = rate(QUOTED, CLEAR, CITES, SHORT, NAMES, judge=Judge(quoted=False, clear=True, **LISTS))
    assert deeply_judged(rated) == ["quoted"]
    assert rated.rubric.llm_trait_scores == {"quoted": False, "clear": True}
    assert rated.rubric.regex_trait_scores == {"cites": False}
    assert rated.rubric.callable_trait_scores == {"short": True}
    assert rated.rubric.metric_trait_scores == {"names": {"f1": 1.0}}


@pytest.mark.usefixtures("table")
def test_a_row_from_outside_takes_the_traits_it_wants_and_leaves_the_rest(rate: Rate) -> None:
    def deeply(traits: Sequence[LLMRubricTrait], task: RubricTask) -> TraitScores:
        return TraitScores({"llm_trait_scores": {trait.name: task.text == "It binds BCL2." for trait in traits}})

    register(TraitEvaluator(LLMRubricTrait, deeply, lambda trait, _: trait.deep_judgment_enabled))
    rated = rate(CLEAR, QUOTED, CITES, judge=replies(clear=False))
    assert rated.rubric.llm_trait_scores == {"quoted": True, "clear": False}
    assert rated.rubric.regex_trait_scores == {"cites": False}


@pytest.mark.usefixtures("table")
def test_an_evaluator_that_breaks_costs_its_own_traits_only(rate: Rate) -> None:
    def broken(_traits: Sequence[LLMRubricTrait], _task: RubricTask) -> TraitScores:
        raise ZeroDivisionError("oh")

    register(TraitEvaluator(LLMRubricTrait, broken))
    rated = rate(CLEAR, CITES, judge=replies())
    assert rated.rubric.regex_trait_scores == {"cites": False}
    assert "'clear' has no score: its evaluation stopped unexpectedly: oh" in rated.problems
    assert rated.result.completed_without_errors


@pytest.mark.usefixtures("table")
def test_a_cancelled_run_is_not_held_up(rate: Rate) -> None:
    def cancelled(_traits: Sequence[RegexRubricTrait], _task: RubricTask) -> TraitScores:
        raise RunCancelled("stop")

    register(TraitEvaluator(RegexRubricTrait, cancelled))
    with pytest.raises(RunCancelled):
        rate(CITES)


def test_dynamic_traits_are_named_and_not_lost() -> None:
    rubric = Rubric(regex_traits=[CITES], dynamic=DynamicRubric(llm_traits=[CLEAR, QUOTED]))
    kept = rubric.only(["cites", "quoted"])
    assert kept.dynamic is not None
    assert (kept.names, kept.dynamic.names) == (["cites"], ["quoted"])


def test_a_result_keeps_what_its_scores_mean(rate: Rate) -> None:
    depth = LLMRubricTrait(name="depth", kind="score", min_score=0, max_score=4, higher_is_better=None)
    tone = LLMRubricTrait(name="tone", kind="literal", classes={"a": "x", "b": "y"})
    scales = rate(depth, tone, FORM, CITES, NAMES, AGENT, judge=replies(depth=1)).rubric.trait_scales or {}
    assert {name: scale.kind for name, scale in scales.items()} == {
        "depth": "score", "tone": "literal", "form": "template", "cites": "boolean", "names": "metric",
        "agent": "boolean",
    }  # fmt: skip
    assert (scales["depth"].min_score, scales["depth"].max_score, scales["depth"].higher_is_better) == (0, 4, None)
    assert scales["tone"].classes == ["a", "b"]
    assert scales["cites"].higher_is_better is False


def test_judge_calls_are_known_beforehand() -> None:
    informed = LLMRubricTrait(name="informed", kind="boolean", include_ground_truth=True)
    rubric = rubric_of(CLEAR, QUOTED, informed, FORM, CITES, SHORT, NAMES, AGENT)
    sequential = TraitSettings(
        VerificationConfig(rubric_evaluation_strategy="sequential", deep_judgment_rubric_mode="off")
    )
    assert judge_calls(rubric, TraitSettings(VerificationConfig(deep_judgment_rubric_mode="off"))) == 2 + 1 + 1 + 1
    assert judge_calls(rubric, sequential) == 3 + 1 + 1 + 1
    assert judge_calls(rubric_of(CITES, SHORT), sequential) == 0
