"""Tests of the head of the result page for every kind of ending."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.kit.expected_found import field_rows, format_value
from karenina_gui.gui.kit.verdicts import ADVICE, ENDINGS, REASONS, advice, outcome_style, quote_value, sentence
from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.schemas.result import (
    GROUP_OF,
    Failure,
    ModelIdentity,
    ResultMetadata,
    ResultTemplate,
    StageRecord,
    VerificationResult,
)


def test_a_wrong_field_is_named_with_what_was_found_and_expected() -> None:
    result = judged(
        False,
        parsed_llm_response={"target": "BCL-XL", "dose_mg": 400},
        parsed_gt_response={"target": "BCL2", "dose_mg": 400},
        field_results={"target": False, "dose_mg": True},
    )
    assert sentence(result) == "target = “BCL-XL”, expected “BCL2”."


@pytest.mark.parametrize("value", [140.0, 0.1, 1 / 3, 1e6, 1234567.0, 140.0000001, 1e-9, 2.5e20])
def test_a_number_is_the_same_in_the_sentence_and_in_the_table(value: float) -> None:
    result = judged(
        False, parsed_llm_response={"dose": value}, parsed_gt_response={"dose": -1.0}, field_results={"dose": False}
    )
    assert result.template
    (row,) = field_rows(result.template)
    assert sentence(result) == f"dose = {row.found}, expected {row.expected}."
    assert row.expected == "-1"
    assert float(row.found) == pytest.approx(value, rel=1e-5)


def test_a_number_does_not_look_like_another_that_is_whole() -> None:
    assert [format_value(value) for value in (140.0, 140.0000001, 1234567.5)] == ["140", "140.0000001", "1234567.5"]


def test_a_hand_written_check_is_explained_by_the_values_that_differ() -> None:
    result = judged(False, parsed_llm_response={"x": True, "y": 1}, parsed_gt_response={"x": False, "y": 1})
    assert sentence(result) == "x = yes, expected no."


def test_a_field_without_a_value_is_said_to_have_none() -> None:
    result = judged(
        False, parsed_llm_response={"year": None}, parsed_gt_response={"year": 1953}, field_results={"year": None}
    )
    assert sentence(result) == "year = no value, expected 1953."


def test_a_pattern_that_fails_says_what_it_matched() -> None:
    details = {"final": {"pattern": r"\d+", "expected": "42", "matches_found": ["41"]}}
    result = judged(False, regex_validation_results={"final": False}, regex_validation_details=details)
    assert sentence(result) == "The pattern “final” found “41”, expected “42”."


def test_an_override_that_a_pattern_stands_against_blames_the_pattern() -> None:
    result = judged(
        False, field_results={"gene": False}, embedding_override_applied=True,
        regex_validation_results={"final": False}, regex_validation_details={"final": {"expected": "42"}},
    )  # fmt: skip
    assert sentence(result) == "The pattern “final” found no match, expected “42”."


def test_an_answer_that_was_never_compared_says_what_it_lacked() -> None:
    result = judged(False)
    result.metadata.failure = Failure(category="content", stage="ParseTemplate", reason="The model gave no answer.")
    result.stages = [StageRecord(name="VerifyTemplate", status="skipped", reason="no field was extracted")]
    assert sentence(result) == "The model gave no answer."


def test_a_check_that_raised_shows_its_message() -> None:
    result = judged(False, field_verification_error="ZeroDivisionError: division by zero (line 9)")
    assert "ZeroDivisionError" in sentence(result)


def test_a_pass_by_some_fields_names_the_one_that_missed() -> None:
    result = judged(True, field_results={"a": True, "b": False, "c": True})
    assert sentence(result) == "Enough fields match (2 of 3). No match: b."


def test_a_pass_of_one_field_says_what_was_found() -> None:
    result = judged(True, parsed_llm_response={"gene": "TP53"}, parsed_gt_response={"gene": "TP53"})
    assert sentence(result) == "gene = “TP53”, as expected."


def test_a_broken_call_shows_its_message_and_what_to_do() -> None:
    result = failed("rate_limit", error="The provider refused 6 times: too many requests.")
    assert sentence(result) == "The provider refused 6 times: too many requests."
    assert advice(result) == ADVICE["rate_limit"]


def test_a_broken_connection_may_be_that_of_a_server_of_tools() -> None:
    assert "command of an MCP server" in (advice(failed("connection", error="The MCP server 'graph' ended.")) or "")


def test_a_result_of_traits_alone_says_that_no_template_was_asked() -> None:
    assert sentence(VerificationResult(metadata=metadata(None))) == ENDINGS["unscored"].meaning


@pytest.mark.parametrize("category", sorted(GROUP_OF))
def test_every_failure_that_a_person_can_mend_has_advice(category: str) -> None:
    result = failed(category, error="It broke.")
    assert outcome_of(result) != "error" or advice(result)


def test_every_reason_has_words_that_fit_into_its_column() -> None:
    assert set(REASONS) == {*GROUP_OF, "overridden"}
    assert all(title and meaning.endswith(".") and len(title) <= 14 for title, meaning in REASONS.values())


def test_an_ending_says_the_reason_under_the_sign_of_its_outcome() -> None:
    shown = outcome_style("abstained", "sufficiency")
    assert (shown.title, shown.icon) == ("Insufficient", ENDINGS["abstained"].icon)
    assert outcome_style("passed") == ENDINGS["passed"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "no value"),
        (False, "no"),
        ("a" * 200, f"“{'a' * 119}…”"),
        (["A", 2], "“A”, 2"),
        ([], "an empty list"),
        (3.5, "3.5"),
    ],
)
def test_values_are_spoken_as_a_person_would(value: Any, words: str) -> None:
    assert quote_value(value) == words


def judged(verdict: bool, **template: Any) -> VerificationResult:
    failure = None if verdict else Failure(category="content", stage="VerifyTemplate", reason="no", group="content")
    return VerificationResult(metadata=metadata(failure), template=ResultTemplate(verify_result=verdict, **template))


def failed(category: Any, *, error: str) -> VerificationResult:
    failure = Failure(category=category, stage="GenerateAnswer", reason=error)
    return VerificationResult(metadata=metadata(failure), error=error, completed_without_errors=False)


def metadata(failure: Failure | None) -> ResultMetadata:
    model = ModelIdentity(interface="manual", model_name="m")
    return ResultMetadata(question_id="q", template_id="t", failure=failure, answering=model)
