"""Deep judgment settings of traits."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.rubric import TraitSettings, judge_calls
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.rubric.conftest import Rate, rubric_of
from tests.rubric.deep_judge import (
    ALL,
    ANSWER,
    CITES,
    CLEAR,
    DEPTH,
    FORM,
    TONE,
    Judge,
    custom,
    deep,
    deeply_judged,
    marked,
)


def test_all_scalar_traits_are_judged_deeply_where_the_run_says_so_and_no_form(rate: Rate) -> None:
    rated = rate(CLEAR, DEPTH, FORM, judge=Judge(clear=True, depth=1, n=1), text=ANSWER, **ALL)
    assert deeply_judged(rated) == ["clear", "depth"]
    assert rated.problems == ""


def test_excerpts_of_all_traits_can_be_switched_off(rate: Rate) -> None:
    judge = Judge(clear=True)
    rated = rate(CLEAR, judge=judge, text=ANSWER, deep_judgment_rubric_global_excerpts=False, **ALL)
    assert judge.kinds == ["reasoning", "score"]
    assert deep(rated).extracted_rubric_excerpts == {}
    assert deep(rated).traits_without_valid_excerpts == []


def test_switched_off_in_the_run_a_traits_own_wish_is_told_once_and_not_granted(rate: Rate) -> None:
    judge = Judge(clear=True, depth=1)
    rated = rate(marked(CLEAR), marked(DEPTH), judge=judge, text=ANSWER, deep_judgment_rubric_mode="off")
    assert judge.kinds == ["score"]
    assert rated.result.deep_judgment_rubric is None
    assert rated.problems == (
        "Deep judgment for traits is off in this run, so these are judged without it: “clear” and “depth”."
    )


@pytest.mark.parametrize("settings", [{}, {"deep_judgment_rubric_mode": "use_checkpoint"}])
def test_the_traits_own_settings_hold_where_the_run_leaves_it_to_them(rate: Rate, settings: dict[str, Any]) -> None:
    judge = Judge(["Venetoclax", "binds", "affinity"], clear=True, depth=1, tone="Formal")
    rated = rate(marked(CLEAR, max_excerpts=2), marked(DEPTH, excerpt_enabled=False), TONE, judge=judge, text=ANSWER,
                 **settings)  # fmt: skip
    assert deeply_judged(rated) == ["clear", "depth"]
    excerpts = deep(rated).extracted_rubric_excerpts or {}
    assert {name: [e["text"] for e in found] for name, found in excerpts.items()} == {"clear": ["Venetoclax", "binds"]}


def test_a_limit_of_no_excerpts_is_no_wish_for_excerpts(rate: Rate) -> None:
    judge = Judge(clear=True)
    rate(marked(CLEAR, max_excerpts=0), judge=judge, text=ANSWER, deep_judgment_rubric_mode="use_checkpoint")
    assert judge.kinds == ["reasoning", "score"]


def test_traits_of_the_benchmark_and_of_the_question_are_chosen_apart(rate: Rate) -> None:
    judge = Judge(clear=True, depth=1, tone="Formal", own=True, other=False)
    own = [CLEAR.model_copy(update={"name": name}) for name in ("own", "other")]
    rated = rate(*own, judge=judge, text=ANSWER, benchmark=rubric_of(CLEAR, DEPTH, TONE), **custom(**{
        "global": {"clear": {}, "depth": {"enabled": False}},
        "question_specific": {"another question": {"tone": {}}},
    }))  # fmt: skip
    assert deeply_judged(rated) == ["clear"]
    question = rated.result.metadata.question_id
    rated = rate(*own, judge=judge, text=ANSWER, benchmark=rubric_of(CLEAR, DEPTH, TONE), **custom(**{
        "global": {"clear": {"enabled": True}},
        "question_specific": {question: {"own": {}, "clear": {"enabled": False}}},
    }))  # fmt: skip
    assert deeply_judged(rated) == ["own"]
    assert rated.problems == ""


def test_a_run_that_chooses_its_traits_leaves_out_the_wish_of_all_others(rate: Rate) -> None:
    tables = {"global": {"clear": {}, "depth": {"enabled": False}}}
    judge = Judge(clear=True, depth=1, tone="Formal")
    rated = rate(CLEAR, marked(DEPTH), marked(TONE), judge=judge, text=ANSWER, **custom(**tables))
    assert deeply_judged(rated) == ["clear"]
    assert rated.rubric.llm_trait_scores == {"clear": True, "depth": 1, "tone": 1}


def test_names_that_no_trait_has_are_told(rate: Rate) -> None:
    judge = Judge(clear=True, own=True, n=1)
    own = CLEAR.model_copy(update={"name": "own"})
    tables = {"global": {"claer": {}, "own": {}, "cites": {}, "form": {}, "clear": {}}}
    rated = rate(own, judge=judge, text=ANSWER, benchmark=rubric_of(CLEAR, CITES, FORM), **custom(**tables))
    assert deeply_judged(rated) == ["clear"]
    assert rated.problems == (
        "Custom deep judgment (deep_judgment_rubric_config) names traits that no model judges in the benchmark: "
        "“claer”, “own”, “cites”, and “form”."
    )
    tables = {"question_specific": {rated.result.metadata.question_id: {"nothing": {}}}}
    rated = rate(own, judge=judge, text=ANSWER, benchmark=rubric_of(CLEAR), **custom(**tables))
    assert "names traits that no model judges in this question: “nothing”" in rated.problems


def test_traits_left_out_of_a_run_are_not_unknown(rate: Rate) -> None:
    tables = {"global": {"clear": {}, "depth": {}}}
    rated = rate(CLEAR, DEPTH, judge=Judge(clear=True), text=ANSWER, rubric_trait_names=["clear"], **custom(**tables))
    assert (deeply_judged(rated), rated.problems) == (["clear"], "")


def test_limits_come_from_the_config_then_the_trait_then_the_runs_defaults_for_traits(rate: Rate) -> None:
    config = VerificationConfig.model_validate(
        custom(**{"global": {"clear": {"max_excerpts": 2}, "depth": {}, "tone": {}}})
        | {
            "deep_judgment_rubric_max_excerpts_default": 5,
            "deep_judgment_rubric_fuzzy_match_threshold_default": 0.6,
            "deep_judgment_rubric_excerpt_retry_attempts_default": 4,
            "deep_judgment_max_excerpts_per_attribute": 1,
            "deep_judgment_fuzzy_match_threshold": 0.1,
            "deep_judgment_excerpt_retry_attempts": 0,
        }
    )
    clear = CLEAR.model_copy(update={"deep_judgment_max_excerpts": 3, "deep_judgment_fuzzy_match_threshold": 0.9})
    depth = DEPTH.model_copy(update={"deep_judgment_max_excerpts": 3, "deep_judgment_excerpt_retry_attempts": 0})
    demands = [found.demand for trait in (clear, depth, TONE) if (found := TraitSettings(config).depth(trait))]
    assert [(d.most, d.threshold, d.retries) for d in demands if d] == [(2, 0.9, 4), (3, 0.6, 0), (5, 0.6, 4)]


def test_the_calls_of_deep_judgment_are_known_beforehand() -> None:
    rubric = rubric_of(marked(CLEAR, search_enabled=True), marked(DEPTH, excerpt_enabled=False), TONE, FORM, CITES)

    def calls(**settings: Any) -> int:
        return judge_calls(rubric, TraitSettings(VerificationConfig.model_validate(settings), "q"))

    assert calls(deep_judgment_rubric_mode="off") == 1 + 1
    assert calls() == calls(deep_judgment_rubric_mode="use_checkpoint")
    assert calls(**ALL) == 4 + 3 + 3 + 1
    assert calls(**ALL, deep_judgment_rubric_global_excerpts=False) == 2 + 2 + 2 + 1
    assert calls(deep_judgment_rubric_mode="use_checkpoint") == 4 + 2 + 1 + 1
    assert calls(**custom(question_specific={"q": {"tone": {"search_enabled": True}}})) == 4 + 1 + 1
