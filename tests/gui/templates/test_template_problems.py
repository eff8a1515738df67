"""Messages about a template, as its author reads them."""

from __future__ import annotations

import pytest

from karenina_gui.gui.templates.problems import plain_message


@pytest.mark.parametrize(
    ("message", "read"),
    [
        (
            "Error executing template code: '(' was never closed (<string>, line 2)",
            "Syntax error: '(' was never closed.",
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
