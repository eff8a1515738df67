"""Uploads into a temporary folder."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Awaitable, Callable
from functools import cached_property
from pathlib import Path

from nicegui import Client, events, ui

from karenina_gui.gui.kit.elements import button, note
from karenina_gui.gui.session.nicegui_internals import RemovableUpload

LARGEST_BODY = 512 * 1024 * 1024
"""Limit of a request body in bytes; larger uploads are cut off while they arrive."""

OnFile = Callable[[Path], Awaitable[None]]


def upload_folder(client: Client) -> Path:
    """New temporary folder for uploads of a page, deleted when the page is closed.

    Pages create it at the first upload, as most pages have none.
    """
    folder = tempfile.mkdtemp(prefix="upload-")
    # Files of an open page must stay readable; a closed page needs them no more.
    client.on_delete(weakref.finalize(client, shutil.rmtree, folder, ignore_errors=True))
    return Path(folder)


class Uploader(RemovableUpload):
    """Upload without a visible control; calls `on_file` with the path of each file.

    `accept`: file name extensions, separated by commas; empty: all.
    """

    def __init__(
        self,
        accept: str,
        on_file: OnFile,
        on_rejected: Callable[[], None] | None = None,
        largest: int = LARGEST_BODY,
    ) -> None:
        super().__init__(auto_upload=True, max_file_size=largest, on_upload=self._save_file, on_rejected=on_rejected)
        self._on_file = on_file
        if accept:
            self.props(f'accept="{accept}"')
        self.classes("hidden")

    @cached_property
    def _folder(self) -> Path:
        return upload_folder(self.client)

    async def _save_file(self, event: events.UploadEventArguments) -> None:
        # A browser can send any name: only its last segment is used, so that it stays in the folder.
        path = self._folder / Path(event.file.name).name
        await event.file.save(path)
        self.reset()
        await self._on_file(path)


class FileDrop(ui.element):
    """Area for choosing or dropping a file; calls `on_file` with its path.

    `accept`: file name extensions, separated by commas; `also`: further ones, accepted for an explanation. `largest`:
    limit in bytes.
    """

    def __init__(
        self, label: str, accept: str, on_file: OnFile, *, also: str = "", largest: int = LARGEST_BODY
    ) -> None:
        super().__init__("div")
        self._on_file = on_file
        with self.classes("drop"):
            self._uploader = Uploader(accept + also, self._handle_file, self._show_rejection, largest)
            self._uploader.on("start", self._begin, args=[])
            uploader = f"getElement({self._uploader.id}).$refs.qRef"
            self._choose = button(label, icon="upload_file")
            self._choose.on("click", js_handler=f"() => {uploader}.pickFiles()")
            self._limits = f"{accept.replace(',', ', ')}; up to {largest // 1024 // 1024} MB"
            ui.label(self._limits).classes("hint")
            self._news = ui.element("div").classes("when-filled").props('role="status"')
        self.props(f'data-uploader="{self._uploader.id}"')

    def set_enabled(self, enabled: bool) -> None:
        """Enable or disable the upload."""
        self._choose.set_enabled(enabled)
        self._uploader.set_enabled(enabled)

    def _begin(self) -> None:
        self._news.clear()
        with self._news:
            busy("Uploading and reading the file…")

    async def _handle_file(self, path: Path) -> None:
        self._begin()
        await self._on_file(path)
        if not self.is_deleted:
            self._news.clear()

    def _show_rejection(self) -> None:
        self._news.clear()
        with self._news:
            note(f"This file can’t be used here. Choose one of these: {self._limits}.", "bad")


def busy(text: str) -> None:
    """Spinner with a text."""
    with ui.element("div").classes("busy line muted gap-8"):
        ui.spinner(size="18px").props('aria-hidden="true"')
        ui.label(text)
