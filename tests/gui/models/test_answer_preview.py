"""What is shown of recorded answers before they are used."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.gui.pages.models.answer_import import _summarize_answer
from karenina_gui.traces.dialogues import JudgedPart

SAID = {"role": "assistant", "content": "Your flight is booked."}
THANKS = {"role": "user", "content": "Thank you! ###STOP###"}


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("It is 42.", ("all", "It is 42.")),
        ([SAID], ("all", "Your flight is booked.")),
        ([SAID, THANKS], ("all", "Your flight is booked.")),
        ([THANKS], ("all", "(no final message)")),
        ([[SAID, THANKS], None, [THANKS]], ("2 of 3", "Your flight is booked.")),
    ],
)
def test_a_conversation_is_shown_by_the_last_thing_that_the_model_said(answer: Any, shown: tuple[str, str]) -> None:
    assert _summarize_answer(answer, None) == shown


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ("last", "Your flight is booked."),
        ("whole", "--- AI Message ---\nYour flight is booked.\n\n--- User Message ---\nThank you! ###STOP###"),
        ("specified", "(no final message)"),
    ],
)
def test_a_conversation_is_shown_by_the_part_that_is_judged(part: JudgedPart, shown: str) -> None:
    assert _summarize_answer([SAID, THANKS], part) == ("all", shown)
