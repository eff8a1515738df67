"""Dialogs with a title, content, and a row of buttons; they are deleted when closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nicegui import ui

from karenina_gui.errors import InputError
from karenina_gui.gui.kit.elements import button, note
from karenina_gui.gui.kit.uploads import FileDrop


@contextmanager
def dialog(name: str, title: str = "", *, classes: str = "") -> Iterator[ui.dialog]:
    """Build a dialog and open it; `name` is its accessible name, and its title if `title` is empty."""
    with ui.dialog() as made, ui.element("div").classes(f"dialog {classes}"):
        made.props["aria-label"] = name
        dialog_title(title or name)
        yield made
    if any(isinstance(element, ui.input | ui.textarea) for element in made.descendants()):
        made.props("no-backdrop-dismiss")  # a click beside it would throw away what was typed
    made.on("hide", made.delete, args=[])
    made.open()


def dialog_title(text: str) -> ui.label:
    return ui.label(text).classes("dialog-title").props('role="heading" aria-level="2"')


@contextmanager
def dialog_actions() -> Iterator[ui.element]:
    """Row of buttons."""
    with ui.element("div").classes("dialog-actions") as row:
        yield row


class FileDialog:
    """Dialog that asks for a file; `use` receives it.

    If `use` raises `InputError`, the dialog shows the message and stays open. `accept`: file name extensions, separated
    by commas.
    """

    def __init__(self, title: str, hint: str, accept: str, use: Callable[[Path], Awaitable[None]]) -> None:
        self._use = use
        with dialog(title) as self._dialog:
            self.sheet = ui.context.slot.parent
            """Content of the dialog; can be rebuilt."""
            ui.label(hint).classes("hint")
            self._messages = ui.element("div").classes("rows")
            FileDrop("Choose a file, or drop it here", accept, self.use_file)
            with dialog_actions():
                button("Cancel", self.close)

    def close(self) -> None:
        self._dialog.close()

    async def use_file(self, path: Path) -> None:
        """Use this file, from the upload or from another source."""
        self._messages.clear()
        try:
            await self._use(path)
        except InputError as error:
            # The dialog may have been closed while the file was read.
            if not self._messages.is_deleted:
                with self._messages:
                    note(str(error), "bad")
