"""Lines of a form: what the browser gives back of them after a reload."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.forms.form_rows import FormRows
from karenina_gui.gui.records.form_field import Column
from karenina_gui.gui.records.optimistic_edit import CallbackField
from tests.until import until

COLUMNS = [Column("key", "Name"), Column("value", "Value")]


@pytest.mark.parametrize("seconds", [0.0, 0.2])
async def test_all_texts_of_a_line_that_the_browser_gives_back_are_kept(user: User, seconds: float) -> None:
    stored: list[Any] = [[]]
    made: list[FormRows] = []

    async def save(records: Any) -> None:
        await asyncio.sleep(seconds)
        stored.append(records)

    @ui.page("/")
    def page() -> None:
        made.append(FormRows(COLUMNS, "Add fact", CallbackField([], save), name="Facts"))

    await user.open("/")
    (rows,) = made
    with user:
        assert rows.text_at("0.key").save("difficulty", "")
        assert rows.text_at("0.value").save("easy", "")
    await until(lambda: stored[-1] == [{"key": "difficulty", "value": "easy"}])
    shown = {str(each.props["aria-label"]): each.value for each in user.find(kind=ui.input).elements}
    assert shown == {"Name, line 1": "difficulty", "Value, line 1": "easy"}


async def test_a_text_that_was_typed_on_is_not_taken_back(user: User) -> None:
    made: list[FormRows] = []

    async def save(_records: Any) -> None:
        await asyncio.sleep(0.2)

    @ui.page("/")
    def page() -> None:
        made.append(
            FormRows(COLUMNS, "Add fact", CallbackField([{"key": "year", "value": "1999"}], save), name="Facts")
        )

    await user.open("/")
    (rows,) = made
    with user:
        (box,) = [each for each in user.find(kind=ui.input).elements if each.props["aria-label"] == "Value, line 1"]
        box.set_value("2001")
        assert not rows.text_at("0.value").save("2000", "1999")
    assert rows.records == [{"key": "year", "value": "2001"}]
