"""Messages about a template, as its author reads them."""

from __future__ import annotations

import pytest

from karenina_gui.gui.templates.problems import briefly, plainly


@pytest.mark.parametrize(
    ("message", "read"),
    [
        (
            "Error executing template code: '(' was never closed (<string>, line 2)",
            "Python cannot read this line: '(' was never closed.",
        ),
        ("Error executing template code: name 'Verifed' is not defined", "Name 'Verifed' is not defined"),
        ("No class named Answer.", "No class named Answer."),
    ],
)
def test_the_technical_frame_of_a_message_is_left_out(message: str, read: str) -> None:
    assert plainly(message) == read


def test_an_error_in_the_way_of_a_run_is_told_in_the_head_by_its_place_only() -> None:
    obstacle = "Its answer template has an error (line 3): Error executing template code: invalid syntax"
    assert briefly(obstacle) == "Its answer template has an error in line 3: see the tab Template."
    assert briefly("Its answer template has an error: it is too slow") == (
        "Its answer template has an error: see the tab Template."
    )
    assert briefly("It has no reference answer.") == "It has no reference answer."
