"""Dialog with a search, rows to select, and an action on the selected ones."""

from __future__ import annotations

from typing import Any

from nicegui import run, ui

from karenina_gui.gui.kit.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import button, text_input
from karenina_gui.text import quantity

MOST_ROWS = 40
"""Maximum number of rows shown. The search finds the others."""


class SearchedList(ui.dialog):
    """Dialog with a search, rows to select, and an action on the selected ones."""

    def __init__(self, title: str, search: str, action: str, noun: str) -> None:
        super().__init__()
        self.props["aria-label"] = title
        self.ticked: dict[Any, Any] = {}
        self._lines: dict[Any, ui.element] = {}
        with self, ui.element("div").classes("dialog dialog-wide"):
            dialog_title(title)
            self.hint = ui.label().classes("hint")
            self.search = text_input(search, placeholder=search).props("autofocus")
            self.rows = ui.element("div").classes("pick-rows when-filled stack box").props('role="group"')
            self.rows.props["aria-label"] = title
            self.more = ui.label().classes("hint").props('role="status"')
            with dialog_actions() as self.actions:
                button("Cancel", self.close)
                self.action = button(action, self._do, look="main")
        self._verb, self._noun = action, noun
        self.search.on_value_change(self.fill)
        self.on("hide", self.delete, args=[])
        ui.timer(0, self.fill, once=True)

    async def fill(self) -> None:
        """Show the rows that match the search. Selected rows stay selected and visible."""
        query = self.search.value or ""
        matches = await run.io_bound(self._find, query)
        if matches is None or self.is_deleted or query != (self.search.value or ""):
            # A newer search has started, or the dialog is closed.
            return
        visible = {key for key, *_ in matches[:MOST_ROWS]}
        for key in self._lines.keys() - visible:
            self._lines.pop(key).delete()
        for index, (key, value, title, about) in enumerate(matches[:MOST_ROWS]):
            if key in self._lines:  # a line that stays is not drawn anew: it may be ticked at this moment
                self._lines[key].move(target_index=index)
                continue
            with self.rows:
                self._lines[key] = self._row(key, value, title, about)
            self._lines[key].move(target_index=index)
        self._show_more(len(matches), query)
        self._count()

    def _show_more(self, count: int, query: str) -> None:
        """Show how many rows are not listed, or why there are none."""
        self.more.text = "" if count else "No matches." if query else self._empty_text()
        if count > MOST_ROWS:
            self.more.text = f"{count - MOST_ROWS:,} more. Search to find them."

    def _row(self, key: Any, value: Any, title: str, about: str) -> ui.element:
        with ui.element("label").classes("pick-row") as line:
            box = ui.checkbox(value=key in self.ticked).props("dense")
            box.props["aria-label"] = f"{title}, {about}"
            ui.label(title).classes("cut")
            ui.label(about).classes("hint cut").props["title"] = about

        def turn(event: Any) -> None:
            self.ticked.pop(key, None)
            if event.value:
                self.ticked[key] = value
            self._count()

        box.on_value_change(turn)
        return line

    def _count(self) -> None:
        number = len(self.ticked)
        self.action.text = f"{self._verb} {quantity(number, self._noun)}" if number else self._verb
        self.action.set_enabled(bool(number))

    async def _do(self) -> None:
        chosen = list(self.ticked.values())
        self.action.disable()
        outcome = self.apply_choice(chosen)
        if outcome is not None:
            await outcome
        self.close()

    def _find(self, query: str) -> list[tuple[Any, Any, str, str]]:
        """Return (key, value, title, about) of each row. Runs in a thread."""
        raise NotImplementedError

    def _empty_text(self) -> str:
        raise NotImplementedError

    def apply_choice(self, chosen: list[Any]) -> Any:
        raise NotImplementedError
