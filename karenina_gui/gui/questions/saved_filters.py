"""Filters of the question list that a user keeps under a name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qsl

from nicegui import ui

from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.elements import (
    button,
    field,
    focus_on,
    icon_button,
    menu_button,
    menu_item,
    on_enter,
    text_input,
)
from karenina_gui.gui.questions.rows import ListFilter
from karenina_gui.gui.session.window import Window


class SavedFilters:
    """Menu of the filters that the user saved for this benchmark."""

    def __init__(
        self, window: Window, benchmark_id: int, current: Callable[[], ListFilter], apply: Callable[[ListFilter], None]
    ) -> None:
        self._window, self._benchmark_id = window, benchmark_id
        self._current, self._apply = current, apply
        self._container = ui.context.slot.parent
        with menu_button("bookmark_border", "Saved filters") as self._button:
            self._items = ui.context.slot.parent
        self._draw_items()

    def save(self) -> None:
        """Ask for a name and save the present filter under it."""
        written = self._current().to_query()
        if not written:
            self._window.notify("Filter or search the list first.")
            return
        # Not in the menu, whose items are drawn again.
        with self._container, dialog("Save filter", classes="dialog-narrow") as sheet:
            with field("Name", "A filter of the same name is replaced."):
                name = text_input("Filter name")

            def save() -> None:
                title = str(name.value or "").strip()
                if not title:
                    focus_on(name)
                    return
                sheet.close()
                self._store({**self._saved, title: written})
                self._window.notify(f"Saved the filter “{title}”.")

            on_enter(name, save)
            with dialog_actions():
                button("Cancel", sheet.close, look="quiet")
                button("Save", save, look="main")
        focus_on(name)

    @property
    def _saved(self) -> dict[str, str]:
        return self._window.preferences.question_filters(self._benchmark_id)

    def _store(self, filters: dict[str, str]) -> None:
        self._window.preferences.save_question_filters(self._benchmark_id, filters)
        self._draw_items()

    def _bring_back(self, title: str, written: str) -> None:
        self._store({**self._saved, title: written})

    def _draw_items(self) -> None:
        self._items.clear()
        with self._items:
            for title, written in sorted(self._saved.items(), key=lambda item: item[0].casefold()):
                menu_item(title, partial(self._apply, ListFilter.from_query(dict(parse_qsl(written)))))
            if self._saved:
                ui.separator()
            menu_item("Save this filter…", self.save)
            if self._saved:
                menu_item("Delete saved filters…", self._offer_deletion)

    def _offer_deletion(self) -> None:
        with self._container, dialog("Saved filters", classes="dialog-narrow") as sheet:
            lines = ui.element("div").classes("rows")
            with dialog_actions():
                button("Close", sheet.close)

        def draw() -> None:
            lines.clear()
            with lines:
                for title in sorted(self._saved, key=str.casefold):
                    with ui.element("div").classes("saved-filter line"):
                        ui.label(title)
                        icon_button("delete", f"Delete “{title}”", partial(delete, title))

        def delete(title: str) -> None:
            before = self._saved
            self._store({name: written for name, written in before.items() if name != title})
            self._window.notify(
                f"Deleted the filter “{title}”.", undo=lambda: self._store({**self._saved, title: before[title]})
            )
            if self._saved:
                draw()
            else:
                sheet.close()

        draw()
