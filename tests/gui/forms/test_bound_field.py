"""What a control says of its value: a fault is one thing, a note another."""

from __future__ import annotations

import asyncio

from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.forms.bound_field import LEFT_OUT, AppliedField, BoundField
from karenina_gui.gui.kit.elements import checkbox, text_input
from karenina_gui.gui.session.unsaved_edits import edits_here
from tests.until import until

SAVED = 0.5
"""Seconds after a keystroke by which it is saved."""


def refuse_short(value: str) -> str | None:
    return "Write more." if len(value) < 3 else None


def doubt_figures(value: str) -> str | None:
    return "Figures in a name?" if any(sign.isdigit() for sign in value) else None


async def test_a_note_on_a_value_that_is_saved_does_not_look_like_an_error(user: User) -> None:
    made: list[BoundField] = []

    @ui.page("/")
    def page() -> None:
        made.append(BoundField(text_input("Name", "Ada"), refuse_short, doubt_figures))

    await user.open("/")
    (bound,) = made
    said = bound.error

    async def type_in(text: str) -> tuple[str, bool, str, bool]:
        bound.control.set_value(text)
        await asyncio.sleep(SAVED)
        return said.text, "field-doubt" in said.classes, said.props["role"], "bad" in bound.control.classes

    assert await type_in("Ada 2") == ("Figures in a name?", True, "status", False)
    assert await type_in("A") == ("Write more.", False, "alert", True)
    assert await type_in("Ada\x00") == (LEFT_OUT, True, "status", False)
    await type_in("Ada Lovelace")
    assert not said.visible


async def test_a_choice_is_saved_at_once_and_typed_text_after_a_pause(user: User) -> None:
    saved: list[object] = []
    made: list[BoundField] = []

    @ui.page("/")
    def page() -> None:
        made.extend(BoundField(control, saved.append) for control in (checkbox("Open"), text_input("Name")))

    await user.open("/")
    with user:
        made[1].control.set_value("Ada")
        made[0].control.set_value(True)
    assert saved == [True]
    await until(lambda: saved == [True, "Ada"])


async def test_a_value_that_applies_at_once_is_no_unsaved_edit_even_if_it_is_wrong(user: User) -> None:
    texts: list[str] = []
    made: list[AppliedField] = []

    def apply(text: str) -> str | None:
        texts.append(text)
        return refuse_short(text)

    @ui.page("/")
    def page() -> None:
        made.append(AppliedField(text_input("Name", "A"), apply, "Write more."))

    await user.open("/")
    (field,) = made
    assert (field.error.text, "bad" in field.control.classes) == ("Write more.", True)
    with user:
        for value in ("Ada", None):
            field.control.set_value(value)
        edits = edits_here()
    assert texts == ["Ada", ""]  # a cleared text is empty
    assert (field.error.text, field.control.props["aria-invalid"]) == ("Write more.", "true")
    assert edits is not None and (edits.pending, edits.refused) == (0, 0)
    field.show(None)
    assert not field.error.visible and "aria-invalid" not in field.control.props
