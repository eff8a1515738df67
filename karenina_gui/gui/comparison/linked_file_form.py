"""Form for the checkpoint file on this computer that belongs to a benchmark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.comparison.file_banner import comparison_address, state_text
from karenina_gui.gui.components.dialogs import dialog, dialog_actions
from karenina_gui.gui.components.elements import button, field, text_input
from karenina_gui.gui.session.window import Window

WATCHED = (
    "A linked file is watched: when another program or a colleague changes it, a notice offers to compare. It is only "
    "written when you press {button}."
)
OTHER_WORK = (
    "{name} has changes that were never in this benchmark. Writing replaces them. The old file is saved as {name}.bak."
)
HINT = "a .jsonld file on the computer that runs this application"


class LinkedFileForm:
    """Links a file, shows its state, and writes to it on request alone."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self._window, self._benchmark_id = window, benchmark_id
        self._links = window.services.editor.links
        self._hint = ui.label().classes("hint")
        self._container = ui.element("div")
        self._fill()
        window.listen(window.services.linked_file_changed, self._on_change)

    def focus(self) -> None:
        """Move the focus to the path."""
        self._path.run_method("focus")

    def _on_change(self, benchmark_id: int) -> None:
        state = self._links.state(benchmark_id)
        if benchmark_id == self._benchmark_id and state is not None:
            self._state.text = state_text(state)

    def _fill(self) -> None:
        linked = self._window.services.library.exchanges.link(self._benchmark_id)
        self._hint.text = WATCHED.format(button="Write new file" if linked is None else "Write to file")
        self._container.clear()
        with self._container, field("Linked file", HINT):
            with ui.element("div").classes("workspace-line"):
                self._path = text_input("Linked file", str(linked.path) if linked else "")
                self._path.props('spellcheck="false" placeholder="/home/you/benchmark.jsonld"')
                if linked is None:
                    button("Link file", lambda: self._act(self._links.link, "Linked the file."))
                    button("Write new file", lambda: self._act(self._links.write, "Wrote and linked the file."))
                else:
                    # Another path would be another link, which begins with a comparison of its own.
                    self._path.props("readonly")
                    button("Write to file", self._write)
                    button("Unlink", self._unlink, look="quiet")
            self._problem = FieldError()
            state = self._links.state(self._benchmark_id)
            self._state = ui.label(state_text(state) if state else "").classes("hint").props('role="status"')

    async def _act(self, action: Callable[[int, str], Any], done: str) -> None:
        try:
            await self._window.write(action, self._benchmark_id, str(self._path.value or ""))
        except InputError as error:
            self._problem.show_message(str(error))
            return
        self._window.notify(done, "good")
        self._fill()

    async def _write(self) -> None:
        # Changes that the user ignored are seen, but would be gone from the file without a word.
        if await run.io_bound(self._links.holds_other_work, self._benchmark_id):
            self._ask()
        else:
            await self._overwrite()

    def _ask(self) -> None:
        async def overwrite() -> None:
            confirmation.close()
            await self._overwrite()

        name = Path(str(self._path.value or "")).name
        with self._container, dialog("Overwrite the file?", classes="dialog-narrow") as confirmation:
            ui.label(OTHER_WORK.format(name=name)).classes("hint")
            with dialog_actions():
                button("Cancel", confirmation.close, look="quiet")
                button("Compare", lambda: ui.navigate.to(comparison_address(self._benchmark_id)))
                button("Overwrite", overwrite, look="main")

    async def _overwrite(self) -> None:
        await self._act(lambda benchmark_id, _: self._links.write(benchmark_id), "Wrote the benchmark to its file.")

    async def _unlink(self) -> None:
        await self._window.write(self._links.unlink, self._benchmark_id)
        self._window.notify("Unlinked the file. It stays as it is.", "good")
        self._fill()
