"""Upload of whole folders to a workspace: all files of a folder or none."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import background_tasks, run

from karenina_gui.authoring.staged_upload import Intake, IntakeLimits, StagedUpload
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.errors import InputError
from karenina_gui.gui.components.uploads import PREFIX
from karenina_gui.gui.session.nicegui_internals import DisposeHook
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.workspaces.folder_upload import LARGEST, FolderUpload, PendingUpload, ReceivedFile
from karenina_gui.gui.workspaces.paths import size_in_words
from karenina_gui.gui.workspaces.upload_progress import UploadCommitter, UploadProgress

_BLOCK = 1 << 20


@dataclass
class _Coming:
    """Folder upload in progress."""

    announced: PendingUpload
    arrival: StagedUpload
    progress: UploadProgress
    name: str = ""
    """Name of the folder. Empty: no file has arrived."""
    files: int = 0
    """Number of files received."""


class FolderAdder:
    """Folder upload. `where` returns the target folder; `landing` moves a complete folder in."""

    def __init__(
        self, window: Window, files: WorkspaceFiles, where: Callable[[], str], landing: UploadCommitter
    ) -> None:
        self.window, self.files, self.where, self.landing = window, files, where, landing
        self._uploads: dict[int, _Coming] = {}
        self._turn = asyncio.Lock()
        self.upload = FolderUpload(IntakeLimits(), self._begin, self._receive, self._refuse, self._fail)
        DisposeHook(self._leave)

    def _begin(self, announced: PendingUpload) -> None:
        try:
            arrival = self.files.arrival(self.where())
            for folder in announced.folders:
                arrival.intake.make_folder(folder)
        except InputError as error:
            self.upload.stop(announced.number)
            self._notify_nothing(str(error))
            return
        total = announced.files + len(announced.folders)
        progress = UploadProgress("Adding folder", arrival.intake, lambda: self._cancel(announced.number), total)
        coming = _Coming(announced, arrival, progress, announced.folders[0].split("/")[0] if announced.folders else "")
        self._uploads[announced.number] = coming
        if announced.files == 0:
            background_tasks.create(self._finish(coming), name="add a folder", context=self.upload)

    async def _receive(self, received: list[ReceivedFile]) -> None:
        # Parts of several folders can arrive at once. Their files are written one at a time.
        async with self._turn:
            for file in received:
                coming = self._uploads.get(file.number)
                if coming is None:
                    continue  # given up meanwhile
                try:
                    await _write(coming.arrival.intake, file)
                except InputError as error:
                    self._give_up(file.number)
                    self._notify_nothing(str(error))
                    continue
                coming.name = coming.name or file.path.split("/")[0]
                coming.files += 1
                if coming.files == coming.announced.files and file.number in self._uploads:
                    await self._finish(coming)

    async def _finish(self, coming: _Coming) -> None:
        del self._uploads[coming.announced.number]
        coming.progress.close()
        with self.upload.parent_slot or self.upload:
            await self.landing.commit(coming.arrival, coming.name)

    def _give_up(self, number: int) -> bool:
        coming = self._uploads.pop(number, None)
        if coming is None:
            return False
        if not self.upload.is_deleted:
            self.upload.stop(number)
        coming.progress.close()
        coming.arrival.discard()
        return True

    def _cancel(self, number: int) -> None:
        if self._give_up(number):
            self.window.notify("Canceled. Nothing was added.")

    def _fail(self, number: int) -> None:
        if self._give_up(number):
            self._notify_nothing("A file couldn’t be read, or the connection was lost. Try again.")

    def _refuse(self, why: dict[str, Any]) -> None:
        limits = IntakeLimits()
        reasons = {
            "empty": "It contains no files.",
            "unreadable": "One of its files couldn’t be read.",
            "files": f"It has too many files: {limits.in_words}.",
            "size": f"It is too large ({size_in_words(int(why.get('size', 0)))}): {limits.in_words}.",
            "large": f"{why.get('path', '')} is larger than {LARGEST // 1024 // 1024} MB.",
        }
        self._notify_nothing(reasons[why["reason"]])

    def _notify_nothing(self, why: str) -> None:
        self.window.notify(f"Couldn’t add the folder. {why}", "bad")

    def _leave(self) -> None:
        for number in list(self._uploads):
            self._give_up(number)


async def _write(intake: Intake, received: ReceivedFile) -> None:
    """Write a file by way of a temporary copy, since an upload can be read only in the event loop."""
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        source = Path(folder) / "file"
        await received.file.save(source)
        await run.io_bound(lambda: intake.write(received.path, _blocks(source)))


def _blocks(source: Path) -> Iterator[bytes]:
    with source.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block
