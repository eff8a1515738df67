"""Dialogs: a title, what is asked, and a row of buttons below. They go when they are closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nicegui import ui

from karenina_gui.errors import InputError
from karenina_gui.gui.parts.elements import button, note
from karenina_gui.gui.parts.uploads import FileDrop


@contextmanager
def dialog(name: str, title: str = "", *, classes: str = "") -> Iterator[ui.dialog]:
    """Opens once it is drawn; `name` is what a screen reader calls it, and its title where that is empty."""
    with ui.dialog() as made, ui.element("div").classes(f"dialog {classes}"):
        made.props["aria-label"] = name
        dialog_title(title or name)
        yield made
    made.on("hide", made.delete, args=[])
    made.open()


def dialog_title(text: str) -> ui.label:
    return ui.label(text).classes("dialog-title").props('role="heading" aria-level="2"')


@contextmanager
def dialog_actions() -> Iterator[ui.element]:
    """The row of buttons."""
    with ui.element("div").classes("dialog-actions") as row:
        yield row


class FileDialog:
    """Asks for one file. `use` gets it; the dialog says what is wrong and stays open where that raises `InputError`.

    `accept`: endings of names, joined by commas.
    """

    def __init__(self, title: str, hint: str, accept: str, use: Callable[[Path], Awaitable[None]]) -> None:
        self._use = use
        with dialog(title) as self._dialog:
            self.sheet = ui.context.slot.parent
            """All that is in it; may be drawn anew."""
            ui.label(hint).classes("hint")
            self._told = ui.element("div").classes("rows")
            FileDrop("Choose a file, or drop it here", accept, self.take)
            with dialog_actions():
                button("Close", self.close)

    def close(self) -> None:
        self._dialog.close()

    async def take(self, path: Path) -> None:
        """Use this file, wherever it comes from."""
        self._told.clear()
        try:
            await self._use(path)
        except InputError as error:
            if not self._told.is_deleted:
                with self._told:
                    note(str(error), "bad")
