"""Files that a person hands over, kept in a folder of their own for as long as they are needed."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui import events, ui

from karenina_gui.gui.guard import LARGEST_BODY

OnFile = Callable[[Path], Awaitable[None]]


class FileDrop(ui.upload):
    """A place to choose a file or to drop one; calls `on_file` with where it was put. The folder goes with the page."""

    def __init__(self, label: str, accept: str, on_file: OnFile) -> None:
        super().__init__(
            label=label, auto_upload=True, max_file_size=LARGEST_BODY, max_files=None, on_upload=self._received,
            on_rejected=lambda: ui.notify("This file is too large, or of a kind that cannot be read here."),
        )  # fmt: skip
        self._on_file = on_file
        self._folder = tempfile.TemporaryDirectory(prefix="karenina-upload-", ignore_cleanup_errors=True)
        self.props(f'accept="{accept}" flat bordered hide-upload-btn').classes("drop")
        self.client.on_delete(self._folder.cleanup)

    async def _received(self, event: events.UploadEventArguments) -> None:
        path = Path(self._folder.name) / Path(event.file.name).name
        await event.file.save(path)
        self.reset()
        await self._on_file(path)
