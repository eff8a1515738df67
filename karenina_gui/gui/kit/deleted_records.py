"""Dialog that lists deleted objects, each with a Restore button; it stays open after a restore."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nicegui import ui

from karenina_gui.gui.kit.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import button


class DeletedDialog(ui.dialog):
    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self.props["aria-label"] = title
        with self:
            self.sheet = ui.element("div").classes("dialog dialog-wide")

    def show(self) -> None:
        """Refresh the list and open the dialog."""
        self.draw()
        self.open()

    @abstractmethod
    def draw(self) -> None:
        """Rebuild the list."""

    @contextmanager
    def draw_frame(self, hint: str = "") -> Iterator[None]:
        """Build the dialog around the lines, which the caller adds in the context."""
        self.sheet.clear()
        with self.sheet:
            dialog_title(self.title)
            if hint:
                ui.label(hint).classes("hint")
            with ui.element("div").classes("deleted").props('tabindex="0"'):
                yield
            with dialog_actions():
                button("Close", self.close)


def deleted_line(
    text: str, restore: Callable[[], Any], about: str = "", *, erase: Callable[[], Any] | None = None
) -> ui.label:
    """Add the line of a deleted object and return its label, whose text may be truncated by the layout.

    `erase`: deletes it permanently after a second click; None: no such button.
    """
    with ui.element("div").classes("deleted-line"):
        with ui.element("div").classes("grow"):
            label = ui.label(text).classes("cut shrinks")
            if about:
                ui.label(about).classes("hint cut shrinks")
        button("Restore", restore, look="quiet").props["aria-label"] = f"Restore {text[:60]}"
        if erase is not None:
            _erase_button(text, erase)
    return label


def _erase_button(text: str, erase: Callable[[], Any]) -> None:
    """Button that asks for confirmation by turning into a second button."""

    def ask() -> None:
        asking.delete()
        with container:
            sure = button("Erase permanently", erase)
            sure.props["aria-label"] = f"Erase permanently: {text[:60]}"
        # The pressed button is gone; without this, the focus would return to the start of the page.
        ui.run_javascript(f"getHtmlElement({sure.id})?.focus()")

    with ui.element("span") as container:
        asking = button("Erase…", ask, look="quiet")
        asking.props["aria-label"] = f"Erase {text[:60]}"
