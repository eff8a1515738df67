"""Choice of the columns of a table, which each person arranges; `static/lib/grids.js` applies it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from karenina_gui.gui.kit.elements import button, icon_button
from karenina_gui.gui.kit.grid import Grid
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.session.preferences import Preferences

WIDEST = 2000
"""Maximum width of a column in pixels."""


class ColumnPanel:
    """Button with a panel that shows, hides, and pins columns.

    `name`: the table among the preferences. `titles`: the columns that the table can show, by id.
    """

    def __init__(self, preferences: Preferences, name: str, titles: Mapping[str, str]) -> None:
        self._preferences = preferences
        self._name = name
        self._titles = titles
        self._grid: Grid | None = None
        self._lines: dict[str, ui.element] = {}
        self._drawn: dict[str, tuple[bool, bool]] = {}
        """Columns in the panel: visible, pinned."""

    def draw(self) -> ui.button:
        """Draw the button, and return it."""
        with icon_button("view_column", "Columns").props('aria-haspopup="dialog"') as opener:
            self._panel = ui.menu().props('role="dialog" aria-label="Columns"').classes("column-panel")
        with self._panel:
            ui.label("Drag a column head to move it, its edge to resize it.").classes("hint")
            with ui.element("div").classes("stack"):
                self._lines = {column: ui.element("div").classes("column-line line gap-8") for column in self._titles}
            button("Reset columns", self._reset, icon="restart_alt", look="quiet")
        return opener

    def state(self) -> list[dict[str, Any]]:
        """States of the columns in their order, as AG Grid takes them; empty: the default."""
        return _valid(self._preferences.columns(self._name))

    def attach(self, grid: Grid) -> None:
        """Follow a table that the browser arranges by `state`."""
        self._grid = grid
        grid.on("columns", lambda event: self._save(event.args))
        self._show()

    def _save(self, state: object) -> None:
        self._preferences.save_columns(self._name, _valid(state))
        self._show()

    def _show(self) -> None:
        states = {state["colId"]: state for state in self.state()}
        for column, title in self._titles.items():
            state = states.get(column, {"hide": False, "pinned": None})
            drawn = not state["hide"], bool(state["pinned"])
            if self._drawn.get(column) != drawn:  # a click on a line that is just drawn again would be lost
                self._drawn[column] = drawn
                self._draw_line(column, title, *drawn)

    def _draw_line(self, column: str, title: str, visible: bool, pinned: bool) -> None:
        self._lines[column].clear()
        with self._lines[column]:
            box = ui.checkbox(title, value=visible).props(f"dense {aria_label(f'Show column {title}')}").classes("grow")
            box.on_value_change(lambda event: self._set(column, hide=not event.value))
            name = f"Unpin column {title}" if pinned else f"Pin column {title}"
            pin = icon_button("push_pin", name, lambda: self._set(column, pinned=None if pinned else "left"))
            if pinned:
                pin.classes("column-pinned")

    def _set(self, column: str, **state: Any) -> None:
        if self._grid is not None:
            self._grid.call("setColumn", column, state)

    def _reset(self) -> None:
        if self._grid is not None:
            self._grid.call("resetColumns")


def _valid(states: object) -> list[dict[str, Any]]:
    """States that a table can have: a browser sends them, and preferences outlast columns."""
    listed = states if isinstance(states, list) else []
    return [
        {
            "colId": state["colId"],
            "hide": bool(state.get("hide")),
            "pinned": state.get("pinned") if state.get("pinned") in ("left", "right") else None,
            "width": _number(state.get("width")),
            "flex": _number(state.get("flex")),
        }
        for state in listed
        if isinstance(state, dict) and isinstance(state.get("colId"), str)
    ]


def _number(value: object) -> float | None:
    return min(max(value, 0), WIDEST) if isinstance(value, int | float) else None
