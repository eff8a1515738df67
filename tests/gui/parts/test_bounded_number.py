from __future__ import annotations

from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.parts.bounded_number import BoundedNumber, Limits

LIMITS = Limits("Replicates", 1, 100)


@pytest.mark.parametrize(
    ("limits", "value", "fits"),
    [
        (LIMITS, 100, True),
        (LIMITS, 101, False),
        (LIMITS, 0, False),
        (LIMITS, 2.5, False),
        (LIMITS, None, False),
        (LIMITS, float("inf"), False),
        (LIMITS, float("nan"), False),
        (Limits("Seconds", 1, 3600, whole=False), 2.5, True),
    ],
)
def test_only_what_is_within_the_limits_fits(limits: Limits, value: float | None, fits: bool) -> None:
    assert (limits.refusal(value) is None) == fits


async def test_a_number_beyond_the_limits_is_refused_in_words_and_left_as_it_was_typed(user: User) -> None:
    heard: list[Any] = []
    made: list[BoundedNumber] = []

    @ui.page("/")
    def page() -> None:
        made.append(BoundedNumber(3, LIMITS, heard.append, heard.append))

    await user.open("/")
    control = made[0].control
    control.set_value(1_000_000_000)
    assert heard == ["A whole number from 1 to 100."]
    await user.should_see("A whole number from 1 to 100.")
    control.sanitize()  # as when somebody leaves the field
    assert control.value == 1_000_000_000
    control.set_value(7)
    assert heard[-2:] == [None, 7]
    await user.should_not_see("A whole number from 1 to 100.")
