"""Validation errors, as people read them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.problems import all_problems, first_problem, problem_at_its_field
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig


def fault_of(**fields: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Question.model_validate({"question": "Why?", "raw_answer": "Because.", **fields})
    return caught.value


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"question": ""}, "Must not be empty."),
        ({"raw_answer": None}, "Must be text."),
        ({"keywords": 3}, "Must be a list."),
        ({"author": "me"}, "Must be an object (name: value pairs)."),
        ({"colour": "red"}, "Unknown field; check the spelling."),
    ],
)
def test_a_field_says_in_plain_words_what_is_wrong(fields: dict[str, Any], words: str) -> None:
    assert problem_at_its_field(fault_of(**fields)) == words


def test_elsewhere_the_field_is_named() -> None:
    assert first_problem(fault_of(question="")) == "question: must not be empty"


@pytest.mark.parametrize(
    ("wrong", "place", "message"),
    [
        ({"parsing_model": []}, "parsing_model", "unknown field; did you mean parsing_models?"),
        (
            {"answering_models": [{"id": "m", "model_nam": "m"}]},
            "answering_models.0.model_nam",
            "unknown field; did you mean model_name?",
        ),
        ({"retry_policy": {"timeot": {}}}, "retry_policy.timeot", "unknown field; did you mean timeout?"),
        (
            {"retry_policy": {"timeout": {"max_atempts": 3}}},
            "retry_policy.timeout.max_atempts",
            "unknown field; did you mean max_attempts?",
        ),
        ({"shade": "red"}, "shade", "unknown field; check the spelling"),
    ],
)
def test_a_mistyped_field_is_answered_with_the_likely_one(wrong: dict[str, Any], place: str, message: str) -> None:
    model = {"id": "m", "interface": "manual"}
    with pytest.raises(ValidationError) as caught:
        VerificationConfig.model_validate({"answering_models": [model], "parsing_models": [], **wrong})
    assert (place, message) in all_problems(caught.value, VerificationConfig)


def test_bounds_are_told() -> None:
    with pytest.raises(ValidationError) as caught:
        ModelConfig.model_validate({"id": "m", "model_name": "m", "model_provider": "p", "temperature": 9})
    assert first_problem(caught.value) == "temperature: must be at most 2.0"
