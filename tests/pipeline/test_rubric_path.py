"""Regex traits, in the modes that score them."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui import LLMRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.rubric import DynamicRubric

CITES = RegexRubricTrait(name="cites", description="Has citations", pattern=r"\[\d+\]")
POLITE = RegexRubricTrait(name="no_shouting", pattern=r"[A-Z]{5,}", case_sensitive=True, invert_result=True)

PATTERN = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.correct = {}
        self.regex = {"gene": {"pattern": r"BCL-?2", "expected": "BCL2", "match_type": "contains"}}
"""


def test_a_rubric_turns_template_only_into_template_and_rubric(check: Any) -> None:
    result = check(PATTERN, "BCL2 [1]", rubric=Rubric(regex_traits=[CITES]))
    assert result.metadata.evaluation_mode == "template_and_rubric"
    assert result.rubric.regex_trait_scores == {"cites": True}


def test_traits_of_benchmark_and_question_are_scored_together_and_keep_their_origin(check: Any) -> None:
    result = check(
        PATTERN, "BCL2 IS GREAT", rubric=Rubric(regex_traits=[CITES]), question_rubric=Rubric(regex_traits=[POLITE])
    )
    assert result.rubric.regex_trait_scores == {"cites": False, "no_shouting": False}
    assert result.rubric.trait_provenance == {"cites": "global", "no_shouting": "question_specific"}


def test_a_trait_does_not_touch_the_verdict(check: Any) -> None:
    result = check(PATTERN, "BCL2", rubric=Rubric(regex_traits=[CITES]))
    assert result.rubric.regex_trait_scores == {"cites": False}
    assert result.template.verify_result is True


def test_rubric_only_needs_no_template(check: Any) -> None:
    result = check(None, "see [3]", rubric=Rubric(regex_traits=[CITES]), evaluation_mode="rubric_only")
    assert result.completed_without_errors
    assert result.rubric.regex_trait_scores == {"cites": True}
    assert result.passed is None


def test_a_trait_without_an_evaluator_is_reported(check: Any) -> None:
    dynamic = DynamicRubric(llm_traits=[LLMRubricTrait(name="later", kind="boolean")])
    result = check(PATTERN, "BCL2", rubric=Rubric(regex_traits=[CITES], dynamic=dynamic))
    (warning,) = result.metadata.warnings
    assert warning == (
        "Not rated: “later”. Dynamic traits apply only to answers that mention their subject. They are preserved in "
        "files, but can’t be rated here."
    )
    assert result.rubric.regex_trait_scores == {"cites": False}


def test_names_that_two_types_share_are_told_in_one_sentence(check: Any) -> None:
    ours, theirs = Rubric(regex_traits=[CITES]), Rubric(llm_traits=[LLMRubricTrait(name="cites", kind="boolean")])
    result = check(PATTERN, "BCL2", rubric=ours, question_rubric=theirs)
    (warning,) = result.metadata.warnings
    assert warning.startswith("The traits of this question don’t work: Two traits are named “cites”")
    assert "validation error" not in warning


def test_conflicting_trait_names_leave_the_verdict_and_are_named(check: Any) -> None:
    twice = Rubric(regex_traits=[CITES])
    result = check(PATTERN, "BCL2", rubric=twice, question_rubric=twice)
    assert result.passed is True
    assert result.rubric is None
    assert any("cites" in warning for warning in result.metadata.warnings)


def test_conflicting_trait_names_are_an_error_where_the_rubric_is_all_there_is(check: Any) -> None:
    twice = Rubric(regex_traits=[CITES])
    result = check(None, "BCL2", rubric=twice, question_rubric=twice, evaluation_mode="rubric_only")
    assert "cites" in result.error
    assert [stage.status for stage in result.stages[:-1]] == ["skipped"] * (len(result.stages) - 1)


def test_without_a_final_message_no_trait_is_scored_when_only_that_is_read(check: Any) -> None:
    unanswered = [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "BCL2"},
    ]  # fmt: skip
    result = check(PATTERN, [unanswered], rubric=Rubric(regex_traits=[POLITE]), use_full_trace_for_rubric=False)
    assert result.rubric.regex_trait_scores is None
    assert result.rubric.rubric_evaluation_performed is False
    assert any("No trait was scored" in warning for warning in result.metadata.warnings)


def test_an_unknown_trait_name_is_reported(check: Any) -> None:
    result = check(PATTERN, "BCL2", rubric=Rubric(regex_traits=[CITES]), rubric_trait_names=["typo"])
    assert any("“typo”" in warning for warning in result.metadata.warnings)


@pytest.mark.parametrize("chosen", [["typo"], []])
def test_where_no_trait_is_chosen_the_stage_runs_and_scores_none(check: Any, chosen: list[str]) -> None:
    result = check(PATTERN, "BCL2", rubric=Rubric(regex_traits=[CITES]), rubric_trait_names=chosen)
    (stage,) = [each for each in result.stages if each.name == "RubricEvaluation"]
    assert stage.status == "ran"
    assert (result.rubric.rubric_evaluation_performed, result.rubric.regex_trait_scores) == (True, None)


def test_only_the_chosen_traits_are_scored(check: Any) -> None:
    result = check(PATTERN, "BCL2", rubric=Rubric(regex_traits=[CITES, POLITE]), rubric_trait_names=["no_shouting"])
    assert result.rubric.regex_trait_scores == {"no_shouting": True}
