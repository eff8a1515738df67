"""Files that a person hands over, kept in a folder of their own for as long as they are needed."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui import events, ui

from karenina_gui.gui.frame.guard import LARGEST_BODY
from karenina_gui.gui.parts.elements import button, note

OnFile = Callable[[Path], Awaitable[None]]


class Uploader(ui.upload):
    """Takes files without looks of its own; calls `on_file` with where each was put. The folder goes with the page.

    `accept`: endings of names, joined by commas; empty: all.
    """

    def __init__(
        self,
        accept: str,
        on_file: OnFile,
        on_rejected: Callable[[], None] | None = None,
        largest: int = LARGEST_BODY,
    ) -> None:
        super().__init__(auto_upload=True, max_file_size=largest, on_upload=self._received, on_rejected=on_rejected)
        self._on_file = on_file
        self._folder = tempfile.TemporaryDirectory(prefix="karenina-upload-", ignore_cleanup_errors=True)
        self.client.on_delete(self._folder.cleanup)
        if accept:
            self.props(f'accept="{accept}"')
        self.classes("hidden")

    async def _received(self, event: events.UploadEventArguments) -> None:
        path = Path(self._folder.name) / Path(event.file.name).name
        await event.file.save(path)
        self.reset()
        await self._on_file(path)


class FileDrop(ui.element):
    """A place to choose a file or to drop one; calls `on_file` with where it was put.

    `accept`: endings of names, joined by commas; `also`: others that are taken, to be told what to do about them.
    `largest`: bytes of a file.
    """

    def __init__(
        self, label: str, accept: str, on_file: OnFile, *, also: str = "", largest: int = LARGEST_BODY
    ) -> None:
        super().__init__("div")
        self._on_file = on_file
        with self.classes("drop"):
            self._uploader = Uploader(accept + also, self._take, self._rejected, largest)
            self._uploader.on("start", self._begin, args=[])
            uploader = f"getElement({self._uploader.id}).$refs.qRef"
            self._choose = button(label, icon="upload_file")
            self._choose.on("click", js_handler=f"() => {uploader}.pickFiles()")
            ui.label(f"{accept.replace(',', ', ')}; up to {largest // 1024 // 1024} MB").classes("hint")
            self._news = ui.element("div").classes("drop-news").props('role="status"')
        self.props(f'data-uploader="{self._uploader.id}"')

    def set_enabled(self, enabled: bool) -> None:
        """Whether files are taken just now."""
        self._choose.set_enabled(enabled)
        self._uploader.set_enabled(enabled)

    def _begin(self) -> None:
        self._news.clear()
        with self._news:
            busy("Uploading and reading the file…")

    async def _take(self, path: Path) -> None:
        self._begin()
        await self._on_file(path)
        if not self.is_deleted:
            self._news.clear()

    def _rejected(self) -> None:
        self._news.clear()
        with self._news:
            note("This file is too large or has an unsupported type.", "bad")


def busy(text: str) -> None:
    """Something that takes a moment."""
    with ui.element("div").classes("busy"):
        ui.spinner(size="18px").props('aria-hidden="true"')
        ui.label(text)
