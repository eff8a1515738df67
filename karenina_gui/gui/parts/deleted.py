"""A dialog of what was deleted: a line for each that can be restored; it stays open while that is done."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nicegui import ui

from karenina_gui.gui.parts.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.parts.elements import button


class DeletedDialog(ui.dialog):
    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self.props["aria-label"] = title
        with self:
            self.sheet = ui.element("div").classes("dialog dialog-wide")

    def show(self) -> None:
        """Open it on what is deleted now."""
        self.draw()
        self.open()

    @abstractmethod
    def draw(self) -> None:
        """Draw it anew, on what is deleted now."""

    @contextmanager
    def drawn(self, hint: str = "") -> Iterator[None]:
        """All but the lines, which are drawn within."""
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
    """One that can be restored. Gives its text, of which a long one is shown in part.

    `erase`: removes it for good once the person has pressed twice; None: that is not offered.
    """
    with ui.element("div").classes("deleted-line"):
        shown = ui.label(text).classes("deleted-text")
        if about:
            ui.label(about).classes("hint")
        button("Restore", restore, look="quiet").props["aria-label"] = f"Restore {text[:60]}"
        if erase is not None:
            _erase_button(text, erase)
    return shown


def _erase_button(text: str, erase: Callable[[], Any]) -> None:
    """The first press asks, the second one does it."""

    def ask() -> None:
        asking.delete()
        with place:
            sure = button("Erase permanently", erase)
            sure.props["aria-label"] = f"Erase permanently: {text[:60]}"
        ui.run_javascript(f"getHtmlElement({sure.id})?.focus()")

    with ui.element("span") as place:
        asking = button("Erase…", ask, look="quiet")
        asking.props["aria-label"] = f"Erase {text[:60]}"
