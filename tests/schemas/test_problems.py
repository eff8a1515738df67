"""Validation errors, as people read them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.problems import first_problem, problem_at_its_field
from karenina_gui.schemas.question import Question


def fault_of(**fields: Any) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Question.model_validate({"question": "Why?", "raw_answer": "Because.", **fields})
    return caught.value


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"question": ""}, "This cannot be empty."),
        ({"raw_answer": None}, "This must be text."),
        ({"keywords": 3}, "This must be a list."),
        ({"author": "me"}, "This must be a set of names with values."),
        ({"colour": "red"}, "This is not known here; look for a misspelt name."),
    ],
)
def test_a_field_says_in_plain_words_what_is_wrong(fields: dict[str, Any], words: str) -> None:
    assert problem_at_its_field(fault_of(**fields)) == words


def test_elsewhere_the_field_is_named() -> None:
    assert first_problem(fault_of(question="")) == "question: this cannot be empty"


def test_bounds_are_told() -> None:
    with pytest.raises(ValidationError) as caught:
        ModelConfig.model_validate({"id": "m", "model_name": "m", "model_provider": "p", "temperature": 9})
    assert first_problem(caught.value) == "temperature: this must be 2.0 or less"
