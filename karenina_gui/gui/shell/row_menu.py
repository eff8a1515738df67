"""Context menu of a row: the commands of its page, with the titles and shortcuts of the command table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.commands import BY_ID, ROW_COMMANDS, Command

TITLES = BY_ID | {command.id: command for command in ROW_COMMANDS}


class RowMenu(ui.menu):
    """Menu at the place of a click or of the focused row (see `static/context_menus.js`)."""

    def __init__(self, window: Window) -> None:
        self._window = window
        anchor = ui.element("div").props('id="row-menu-anchor"').classes("row-menu-anchor")
        with anchor:
            super().__init__()
        self.props('no-parent-event auto-close role="menu" transition-duration="80" aria-label="Actions of the row"')
        self.classes("menu")
        ui.on("row_menu", lambda event: self.show(*event.args))

    def show(self, kind: str, row: int) -> None:
        """Open the menu of a row, if the page has one for this kind."""
        actions = self._window.row_actions(str(kind))
        if not actions:
            return
        self.clear()
        with self:
            for command, action in actions.items():
                _item(TITLES[command], action, int(row), first=command == next(iter(actions)))
        self.open()


def _item(command: Command, action: Callable[[int], Any], row: int, *, first: bool) -> None:
    with ui.menu_item().props('role="menuitem"').classes("menu-item") as item:
        ui.label(command.title)
        ui.label(command.keys).classes("shortcut hint")
    if first:
        item.props("autofocus")
    # A dialog returns the focus to its previous place, which must not be the closing menu.
    item.on("click", lambda: action(row), args=[], js_handler="() => afterMenu(emit)")
