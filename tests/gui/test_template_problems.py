"""Messages about a template, as its author reads them."""

from __future__ import annotations

import pytest

from karenina_gui.gui.template_problems import plainly


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ("Error executing template code: invalid syntax (<string>, line 2)", "Invalid syntax"),
        ("Error executing template code: name 'Verifed' is not defined", "Name 'Verifed' is not defined"),
        ("No class named Answer.", "No class named Answer."),
    ],
)
def test_the_technical_frame_of_a_message_is_left_out(message: str, read: str) -> None:
    assert plainly(message) == read


def test_what_is_in_the_way_of_finishing_keeps_its_beginning() -> None:
    obstacle = "Its answer template has an error (line 3): Error executing template code: invalid syntax"
    assert plainly(obstacle) == "Its answer template has an error (line 3): invalid syntax"
