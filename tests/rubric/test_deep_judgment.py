"""Deep judgment of traits: quotes, reasoning, and a score that follows from the reasoning."""

from __future__ import annotations

import json

import pytest

from karenina_gui.schemas.verification_config import PromptConfig
from tests.rubric.conftest import REFERENCE, Rate
from tests.rubric.deep_judge import (
    ALL,
    ANSWER,
    CITES,
    CLEAR,
    DEPTH,
    FORM,
    INFORMED,
    LIE,
    NAMES,
    QUOTE,
    SHORT,
    TONE,
    Judge,
    custom,
    deep,
    marked,
)
from tests.twin import Asked, Reply


@pytest.mark.parametrize("rate", ["openai_endpoint", "claude_tool"], indirect=True)
def test_excerpts_reasoning_and_score_come_in_this_order(rate: Rate) -> None:
    judge = Judge(clear=True)
    rated = rate(CLEAR, judge=judge, text=ANSWER, **ALL)
    assert judge.kinds == ["excerpts", "reasoning", "score"]
    assert rated.rubric.llm_trait_scores == {"clear": True}
    section = deep(rated)
    assert section.deep_judgment_rubric_performed
    assert section.extracted_rubric_excerpts == {
        "clear": [{"text": QUOTE, "confidence": "high", "explanation": "It says so.", "similarity_score": 1.0}]
    }
    assert section.rubric_trait_reasoning == {"clear": "The words are plain, so it follows."}
    assert section.deep_judgment_rubric_scores == {"clear": True}
    assert section.trait_metadata == {
        "clear": {
            "stages_completed": ["excerpts", "reasoning", "score"], "model_calls": 3, "had_excerpts": True,
            "excerpt_retry_count": 0, "excerpt_validation_failed": False,
        }
    }  # fmt: skip
    assert section.traits_without_valid_excerpts == []
    assert section.total_deep_judgment_model_calls == 3
    assert (section.total_traits_evaluated, section.total_excerpt_retries) == (1, 0)


def test_tokens_are_counted_by_what_they_were_spent_on(rate: Rate) -> None:
    judge = Judge(clear=True, depth=1, risks=("none",))
    rated = rate(CLEAR, marked(DEPTH), judge=judge, text=ANSWER, search=lambda queries: ["found"] * len(queries),
                 **custom(**{"global": {"clear": {"search_enabled": True}}}))  # fmt: skip
    usage = dict(rated.result.template.usage_metadata)
    assert usage.pop("total")["total_tokens"] == 18 * 5
    assert {name: entry["total_tokens"] for name, entry in usage.items()} == {
        "deep_judgment_excerpts": 18, "deep_judgment_hallucination_assessment": 18, "deep_judgment_reasoning": 18,
        "rubric_evaluation": 36,
    }  # fmt: skip


def test_the_score_follows_from_the_reasoning_not_from_the_answer(rate: Rate) -> None:
    judge = Judge(clear=True)
    rate(CLEAR, judge=judge, text=ANSWER, **ALL)
    assert "high affinity" in judge.text("reasoning")
    assert QUOTE in judge.text("reasoning")
    assert "The words are plain, so it follows." in judge.text("score")
    assert "high affinity" not in judge.text("score")


def test_scalar_kinds_are_read_as_they_are_without_deep_judgment(rate: Rate) -> None:
    rated = rate(DEPTH, TONE, CLEAR, judge=Judge(depth=0, tone="formal", clear="no"), text=ANSWER, **ALL)
    assert rated.rubric.llm_trait_scores == {"depth": 0, "tone": 1, "clear": False}
    assert rated.rubric.llm_trait_labels == {"tone": "Formal"}
    assert deep(rated).deep_judgment_rubric_scores == {"depth": 0, "tone": 1, "clear": False}


def test_a_deeply_judged_score_out_of_range_counts_as_missing_and_a_strange_class_is_named(rate: Rate) -> None:
    rated = rate(DEPTH, TONE, judge=Judge(depth=9, tone="rude"), text=ANSWER, **ALL)
    assert rated.rubric.llm_trait_scores == {"depth": 9, "tone": -1}
    assert "outside of 0 to 4. It counts as missing" in rated.problems
    assert "'rude'" in rated.problems


def test_a_value_that_the_judge_leaves_null_is_no_score_and_no_error(rate: Rate) -> None:
    rated = rate(CLEAR, judge=Judge(clear=None), text=ANSWER, **ALL)
    assert rated.rubric.llm_trait_scores is None
    assert rated.problems == "The trait 'clear' has no score: the judge gave no value."
    assert "error" not in (deep(rated).trait_metadata or {})["clear"]


def test_no_other_trait_disappears(rate: Rate) -> None:
    judge = Judge(clear=True, depth=3, n=1, tp=["BCL2"], fn=[], fp=[])
    rated = rate(marked(CLEAR), DEPTH, FORM, CITES, SHORT, NAMES, judge=judge, text=ANSWER,
                 deep_judgment_rubric_mode="use_checkpoint")  # fmt: skip
    assert rated.rubric.llm_trait_scores == {"clear": True, "depth": 3, "form.n": 1}
    assert rated.rubric.regex_trait_scores == {"cites": False}
    assert rated.rubric.callable_trait_scores == {"short": True}
    assert rated.rubric.metric_trait_scores == {"names": {"f1": 1.0}}
    assert deep(rated).deep_judgment_rubric_scores == {"clear": True}
    assert deep(rated).standard_rubric_scores == {"depth": 3, "form.n": 1}


def test_an_excerpt_that_is_not_in_the_answer_is_left_out_without_asking_again_while_another_is(rate: Rate) -> None:
    judge = Judge([LIE, QUOTE], clear=True)
    rated = rate(CLEAR, judge=judge, text=ANSWER, **ALL)
    assert judge.kinds == ["excerpts", "reasoning", "score"]
    (excerpt,) = (deep(rated).extracted_rubric_excerpts or {})["clear"]
    assert excerpt["text"] == QUOTE
    assert LIE not in judge.text("reasoning")


def test_only_where_all_excerpts_fail_they_are_asked_for_again_with_what_was_wrong(rate: Rate) -> None:
    judge = Judge([LIE, "It came from Mars"], [QUOTE], clear=True)
    rated = rate(CLEAR, judge=judge, text=ANSWER, **ALL)
    assert judge.kinds == ["excerpts", "excerpts", "reasoning", "score"]
    assert LIE not in judge.asked[0][2]
    assert LIE in judge.asked[1][2]
    assert "It came from Mars" in judge.asked[1][2]
    metadata = (deep(rated).trait_metadata or {})["clear"]
    assert (metadata["excerpt_retry_count"], metadata["excerpt_validation_failed"]) == (1, False)
    assert deep(rated).total_excerpt_retries == 1


def test_a_trait_without_a_valid_excerpt_fails_the_answer_and_is_scored_all_the_same(rate: Rate) -> None:
    judge = Judge([LIE], clear=True, depth=2)
    rated = rate(marked(CLEAR), marked(DEPTH, excerpt_enabled=False), judge=judge, text=ANSWER,
                 deep_judgment_rubric_mode="use_checkpoint",
                 deep_judgment_rubric_excerpt_retry_attempts_default=1)  # fmt: skip
    assert judge.kinds.count("excerpts") == 2
    assert rated.rubric.llm_trait_scores == {"clear": True, "depth": 2}
    section = deep(rated)
    assert section.traits_without_valid_excerpts == ["clear"]
    assert section.extracted_rubric_excerpts == {"clear": []}
    metadata = (section.trait_metadata or {})["clear"]
    assert (metadata["had_excerpts"], metadata["excerpt_validation_failed"]) == (False, True)
    failure = rated.result.metadata.failure
    assert failure is not None
    assert (failure.category, failure.group) == ("deep_judgment_rubric", "autofail")
    assert failure.stage == "DeepJudgmentRubricAutoFail"
    assert "clear" in failure.reason
    assert rated.result.passed is False


def test_a_judge_that_finds_nothing_to_quote_is_not_asked_again(rate: Rate) -> None:
    judge = Judge([], clear=True)
    rated = rate(CLEAR, judge=judge, text=ANSWER, **ALL)
    assert judge.kinds == ["excerpts", "reasoning", "score"]
    assert deep(rated).traits_without_valid_excerpts == ["clear"]


def test_a_search_says_how_likely_each_excerpt_is_made_up(rate: Rate) -> None:
    asked: list[str] = []

    def search(queries: list[str]) -> list[str]:
        asked.extend(queries)
        return [f"found for {query}" for query in queries]

    judge = Judge([QUOTE, "with high affinity"], clear=True, depth=1)
    rated = rate(marked(CLEAR, search_enabled=True), marked(DEPTH), judge=judge, text=ANSWER, search=search,
                 deep_judgment_rubric_mode="use_checkpoint")  # fmt: skip
    assert asked == [QUOTE, "with high affinity"]
    assert judge.kinds == ["excerpts", "risk", "reasoning", "score", "excerpts", "reasoning", "score"]
    assert "found for with high affinity" in judge.text("risk")
    section = deep(rated)
    assert section.rubric_hallucination_risk_assessment == {
        "clear": {"overall_risk": "high", "per_excerpt_risks": ["low", "high"]}
    }
    first = (section.extracted_rubric_excerpts or {})["clear"][0]
    assert first["search_results"] == f"found for {QUOTE}"
    assert (first["hallucination_risk"], first["hallucination_justification"]) == ("low", "low it is.")
    assert (section.trait_metadata or {})["clear"]["stages_completed"] == [
        "excerpts", "search", "hallucination_assessment", "reasoning", "score",
    ]  # fmt: skip


def test_a_search_that_fails_costs_no_score(rate: Rate) -> None:
    def search(queries: list[str]) -> list[str]:
        raise OSError("no network")

    trait = marked(CLEAR, search_enabled=True)
    for tool, words in ((search, "no network"), (None, "no search service is set up")):
        rated = rate(trait, judge=Judge(clear=True), text=ANSWER, search=tool, **ALL)
        assert rated.rubric.llm_trait_scores == {"clear": True}
        assert words in rated.problems
        assert "'clear'" in rated.problems
        assert deep(rated).rubric_hallucination_risk_assessment == {}


@pytest.mark.parametrize("step", ["excerpts", "risk", "reasoning", "score"])
@pytest.mark.parametrize("fault", [Reply(status=500, message="down"), Reply(refusal="I will not.")], ids=["500", "no"])
def test_a_trait_whose_judge_fails_on_the_way_says_so_and_the_others_go_on(rate: Rate, step: str, fault: Reply) -> None:
    sound = Judge(depth=2)

    def judge(asked: Asked) -> Reply:
        return fault if "clear" in asked.text and Judge.kind(asked) == step else sound(asked)

    rated = rate(marked(CLEAR, search_enabled=True), DEPTH, CITES, judge=judge, text=ANSWER,
                 search=lambda queries: ["found"] * len(queries), **ALL)  # fmt: skip
    assert rated.rubric.llm_trait_scores == {"depth": 2}
    assert rated.rubric.regex_trait_scores == {"cites": False}
    metadata = (deep(rated).trait_metadata or {})["clear"]
    assert metadata["error"].startswith("judge")
    assert f"The trait 'clear' has no score: {metadata['error']}" in rated.problems
    assert deep(rated).traits_without_valid_excerpts == []
    assert deep(rated).total_traits_evaluated == 1
    assert rated.result.metadata.failure is None
    assert rated.result.completed_without_errors


def test_without_a_judge_deep_traits_say_so(rate: Rate) -> None:
    rated = rate(CLEAR, CITES, **ALL)
    assert rated.rubric.regex_trait_scores == {"cites": False}
    assert "'clear' has no score: it needs a judge, but the run has none" in rated.problems
    assert rated.result.deep_judgment_rubric is None


def test_an_empty_reasoning_is_a_failure_of_the_judge(rate: Rate) -> None:
    def judge(asked: Asked) -> Reply:
        return Reply(text=" ") if Judge.kind(asked) == "reasoning" else Judge(clear=True)(asked)

    rated = rate(CLEAR, judge=judge, text=ANSWER, **ALL)
    assert rated.rubric.llm_trait_scores is None
    assert "The judge’s reply is empty" in (deep(rated).trait_metadata or {})["clear"]["error"]
    assert rated.result.template.usage_metadata["deep_judgment_reasoning"]["total_tokens"] == 2 * 18


@pytest.mark.parametrize("reply", [Reply(text="<think>Is it plain? Let me see."), Reply(text="")])
def test_a_reasoning_that_is_only_a_thought_is_asked_for_again(rate: Rate, reply: Reply) -> None:
    asked_before: list[Asked] = []

    def judge(asked: Asked) -> Reply:
        if Judge.kind(asked) == "reasoning" and not asked_before:
            asked_before.append(asked)
            return reply
        return Judge(clear=True)(asked)

    assert rate(CLEAR, judge=judge, text=ANSWER, **ALL).rubric.llm_trait_scores == {"clear": True}


def test_only_the_judge_of_a_trait_that_says_so_sees_the_reference_answer(rate: Rate) -> None:
    judge = Judge(clear=True, informed=True)
    rated = rate(marked(CLEAR, search_enabled=True), INFORMED, judge=judge, text=ANSWER,
                 search=lambda queries: ["found"] * len(queries), **ALL)  # fmt: skip
    assert len(rated.asked) == 7
    shown = [REFERENCE in json.dumps(asked.body) for asked in rated.asked]
    assert shown == [False, False, False, False, False, True, False]


def test_a_missing_reference_answer_is_told_of_a_deep_trait_once(rate: Rate) -> None:
    rated = rate(INFORMED, judge=Judge(informed=True), text=ANSWER, raw_answer=" ", **ALL)
    assert rated.problems.count("without a reference answer") == 1


def test_names_in_any_script_are_judged_under_their_own_name(rate: Rate) -> None:
    name = "清晰度 😀"
    judge = Judge(trait_1=True)
    rated = rate(CLEAR.model_copy(update={"name": name}), judge=judge, text=ANSWER, **ALL)
    assert rated.rubric.llm_trait_scores == {name: True}
    assert (deep(rated).extracted_rubric_excerpts or {})[name][0]["text"] == QUOTE
    assert all(name in judge.text(kind) for kind in ("excerpts", "reasoning", "score"))


def test_what_the_user_adds_reaches_the_steps_that_it_is_meant_for(rate: Rate) -> None:
    prompts = PromptConfig(rubric_evaluation="Be strict.", deep_judgment="Quote sparingly.")
    rated = rate(CLEAR, judge=Judge(clear=True), text=ANSWER, prompt_config=prompts, judge_prompt="Careful.", **ALL)
    added = [("Quote sparingly." in asked.system, "Be strict." in asked.system) for asked in rated.asked]
    assert added == [(True, False), (True, True), (False, True)]
    assert all(asked.system.startswith("Careful.") for asked in rated.asked)
