"""Messages about a template, as its author reads them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from karenina_gui.authoring.mutations import RefusesExpected
from karenina_gui.gui.pages.templates.problems import plain_error, plain_message
from karenina_gui.gui.pages.templates.tab import mutation_problems
from karenina_gui.schemas.primitives import BooleanMatch, NumericGraded, NumericRangeGraded, NumericThresholdGraded
from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.schemas.verified_field import VerifiedField


@pytest.mark.parametrize(
    ("message", "read"),
    [
        (
            "Error executing template code: '(' was never closed (<string>, line 2)",
            "Syntax error: '(' was never closed.",
        ),
        (
            "Error executing template code: unterminated string literal (detected at line 2) (<string>, line 2)",
            "Syntax error: unterminated string literal.",
        ),
        (
            "Error executing template code: invalid syntax (<string>, line 2)",
            "Python can’t read this line. Check the brackets, quotes, commas, and colons here and in the line above.",
        ),
        ("Error executing template code: name 'Verifed' is not defined", "Name 'Verifed' is not defined"),
        ("No class named Answer.", "No class named Answer."),
        (
            "dose can never pass, not even with its own expected value: could not convert string to float: '1,5'",
            "“1,5” is not a number. Write it with a decimal point and without commas or units.",
        ),
    ],
)
def test_the_technical_frame_of_a_message_is_left_out(message: str, read: str) -> None:
    assert plain_message(message) == read


@pytest.mark.parametrize(
    ("comparison", "settings", "read"),
    [
        (NumericGraded, {"cutoff": 0}, "“No credit from” must be more than 0."),
        (
            NumericGraded,
            {"cutoff": 0.2, "full_credit": 0.3},
            "“Full credit up to” must be at least 0 and less than “No credit from”.",
        ),
        (NumericRangeGraded, {"min": 3, "max": 2, "margin": 1}, "“From” must be less than “To”."),
        (NumericRangeGraded, {"min": 1, "max": 2, "margin": 0}, "“Margin” must be more than 0."),
        (NumericThresholdGraded, {"direction": "min", "margin": -1}, "“Margin” must be more than 0."),
    ],
)
def test_settings_that_exclude_each_other_are_named_as_in_the_form(
    comparison: type[BaseModel], settings: dict[str, Any], read: str
) -> None:
    with pytest.raises(ValidationError) as fault:
        comparison(**settings)
    message = f"Error executing template code: {fault.value}"
    assert plain_message(message, in_form=True) == read
    assert plain_message(message).startswith(comparison.__name__), "the code names its settings itself"


def test_a_field_without_description_is_told_what_it_is_for() -> None:
    with pytest.raises(ValueError) as caught:
        VerifiedField(" ", ground_truth=True, verify_with=BooleanMatch())
    read = "Enter the description (“What to extract”): the judge relies on it."
    assert plain_message(f"Error executing template code: {caught.value}") == read


def test_a_field_that_rejects_its_expected_value_is_said_once() -> None:
    source = 'class Answer(BaseAnswer):\n    dose: float = VerifiedField(description="d", ground_truth="x")\n'
    cases = [RefusesExpected(("dose",)), RefusesExpected(error="dose: no number"), RefusesExpected(error="Failed.")]
    assert len(mutation_problems(source, cases)) == 3
    known = [
        TemplateProblem(message="dose can never pass, not even with its own expected value", severity="warning", line=2)
    ]
    elsewhere = [TemplateProblem(message="dose has no description", severity="warning", line=2)]
    assert len(mutation_problems(source, cases, elsewhere)) == 3
    (left,) = mutation_problems(source, cases, known)
    assert left.message == "Fails on its own expected values: Failed."


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("ValueError: the limit '2023' cannot be read as a date", "the limit '2023' cannot be read as a date"),
        ("NameError: name 'txt' is not defined", "name 'txt' is not defined"),
        ("KeyError: 'dose'", "KeyError: 'dose'"),
    ],
)
def test_the_kind_of_an_error_is_left_out_where_its_message_is_enough(text: str, read: str) -> None:
    assert plain_error(text) == read


def test_the_form_is_not_told_of_what_only_the_code_shows() -> None:
    message = "The expected value of count is not entered yet: write it in the place of “…”."
    assert plain_message(message) == message
    assert plain_message(message, in_form=True) == "The expected value of count is not entered yet."
    tolerance = (
        "dose_mg: tolerance=1.5 is 150% of the expected value: accepts -175 to 875. "
        'Write mode="absolute" if 1.5 is meant in the unit of the value.'
    )
    assert plain_message(tolerance) == tolerance
    assert plain_message(tolerance, in_form=True) == (
        "dose_mg: a tolerance of 150% accepts -175 to 875. "
        "If you mean it in the value’s unit, choose “in the value’s unit” under Measured."
    )
