"""Two people changed one field: both versions are shown until one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.parts.elements import button


class Clash(ui.element):
    """Below a control that holds the own version; not there while nobody else changed the field."""

    def __init__(self, keep: Callable[[], Any], take: Callable[[], Any]) -> None:
        super().__init__("div")
        self.keep, self.take = keep, take
        self.classes("clash").props('role="alert"')
        self.clear_up()

    def show(self, theirs: Any) -> None:
        self.clear()
        with self:
            ui.label("This was changed in another window while you typed. Yours is not saved yet. The other one:")
            ui.label(_readable(theirs) or "(empty)").classes("clash-theirs").props('tabindex="0"')
            with ui.element("div").classes("clash-choice"):
                button("Keep mine", self.keep)
                button("Take the other one", self.take)
        self.set_visibility(True)

    def clear_up(self) -> None:
        self.set_visibility(False)


def _readable(value: Any) -> str:
    """A text as it is, lists by commas, records by their values."""
    if isinstance(value, dict):
        return " · ".join(_readable(each) for each in value.values() if each)
    if isinstance(value, list):
        return ("\n" if any(isinstance(each, dict) for each in value) else ", ").join(_readable(each) for each in value)
    return "" if value is None else str(value)
