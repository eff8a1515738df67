"""Files that a person hands over, kept in a folder of their own for as long as they are needed."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui import events, ui

from karenina_gui.gui.frame.guard import LARGEST_BODY
from karenina_gui.gui.parts.elements import button, note

OnFile = Callable[[Path], Awaitable[None]]


class FileDrop(ui.element):
    """A place to choose a file or to drop one; calls `on_file` with where it was put. The folder goes with the page."""

    def __init__(self, label: str, accept: str, on_file: OnFile) -> None:
        super().__init__("div")
        self._on_file = on_file
        self._folder = tempfile.TemporaryDirectory(prefix="karenina-upload-", ignore_cleanup_errors=True)
        self.client.on_delete(self._folder.cleanup)
        with self.classes("drop"):
            self._uploader = self._hidden_uploader(accept)
            uploader = f"getElement({self._uploader.id}).$refs.qRef"
            self._choose = button(label, icon="upload_file")
            self._choose.on("click", js_handler=f"() => {uploader}.pickFiles()")
            ui.label(f"{accept.replace(',', ', ')}, at most {LARGEST_BODY // 1024 // 1024} MB").classes("hint")
        self.on("dragover", js_handler="e => e.preventDefault()")
        self.on("drop", js_handler=f"e => {{ e.preventDefault(); {uploader}.addFiles(e.dataTransfer.files) }}")

    def set_enabled(self, enabled: bool) -> None:
        """Whether files are taken just now."""
        self._choose.set_enabled(enabled)
        self._uploader.set_enabled(enabled)

    def _hidden_uploader(self, accept: str) -> ui.upload:
        """It does the work; its looks and its names for screen readers are not those of the application."""
        uploader = ui.upload(
            auto_upload=True, max_file_size=LARGEST_BODY, on_upload=self._received, on_rejected=self._rejected
        )
        return uploader.props(f'accept="{accept}"').classes("hidden")

    def _rejected(self) -> None:
        with self:
            note("This file is too large, or of a kind that cannot be read here.", "bad")

    async def _received(self, event: events.UploadEventArguments) -> None:
        path = Path(self._folder.name) / Path(event.file.name).name
        await event.file.save(path)
        self._uploader.reset()
        await self._on_file(path)
