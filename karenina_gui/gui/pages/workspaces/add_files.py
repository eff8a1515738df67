"""Upload of files, folders, and archives to a workspace. Existing files are replaced only after confirmation."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from nicegui import background_tasks, events, run, ui

from karenina_gui.authoring.staged_upload import Intake, IntakeLimits, StagedUpload, WhenTaken, is_archive, unpack
from karenina_gui.authoring.trash import DeletedItem
from karenina_gui.authoring.workspace_files import AddedFile, NameConflict, WorkspaceFiles
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.kit.elements import button
from karenina_gui.gui.kit.uploads import upload_folder
from karenina_gui.gui.pages.workspaces.folder_upload import LARGEST, FolderUpload, PendingUpload, ReceivedFile
from karenina_gui.gui.pages.workspaces.upload_progress import UploadCommitter, UploadProgress
from karenina_gui.gui.session.nicegui_internals import DisposeHook
from karenina_gui.gui.session.window import Window
from karenina_gui.text import quantity, size_in_words

Keep = Callable[[str, Path, str], Awaitable[None]]
_BLOCK = 1 << 20


@dataclass
class _Waiting:
    """Uploaded file whose name is already taken."""

    folder: str
    source: Path
    name: str


@dataclass
class _Batch:
    """Files added since the last message."""

    names: list[str] = field(default_factory=list)
    replaced: list[DeletedItem] = field(default_factory=list)


class FileAdder:
    """Upload of files, folders and archives.

    `where` returns the target folder; `added` is called with each new path.
    """

    def __init__(
        self, window: Window, files: WorkspaceFiles, where: Callable[[], str], added: Callable[[str], Any]
    ) -> None:
        self.window, self.files, self.where, self.added = window, files, where, added
        self._conflicts: list[_Waiting] = []
        self._batch = _Batch()
        self._count = 0
        self._uploader = ui.upload(
            multiple=True,
            auto_upload=True,
            max_file_size=LARGEST,
            on_upload=self._on_upload,
            on_rejected=self._on_rejected,
        ).classes("hidden")
        landing = UploadCommitter(window, files, added)
        self._folders = FolderAdder(window, files, where, landing)
        self._archives = ArchiveAdder(window, files, landing, self._add_archive)
        self._dialog = ui.dialog().props('persistent aria-label="Names already taken"')
        with self._dialog:
            self._sheet = ui.element("div").classes("dialog dialog-narrow")

    @property
    def chooser(self) -> str:
        """JavaScript that opens the file dialog."""
        return f"() => getElement({self._uploader.id}).$refs.qRef.pickFiles()"

    @property
    def folder_chooser(self) -> str:
        """JavaScript that opens the folder dialog."""
        return self._folders.upload.chooser

    def take_drops(self, element: ui.element) -> None:
        """Make an element accept dropped files and folders."""
        uploader = f"getElement({self._uploader.id}).$refs.qRef"
        has_files = "[...(e.dataTransfer?.types || [])].includes('Files')"
        on, off = (
            "e.currentTarget.classList.add('workspace-over')",
            "e.currentTarget.classList.remove('workspace-over')",
        )
        element.props("data-own-drops")
        element.on("dragover", js_handler=f"e => {{ if ({has_files}) {{ e.preventDefault(); {on}; }} }}")
        element.on("dragleave", js_handler=f"e => {off}")
        element.on(
            "drop",
            js_handler=f"e => {{ {off}; if (!{has_files}) return; e.preventDefault(); e.stopPropagation(); "
            f"if (!getElement({self._folders.upload.id}).take(e.dataTransfer.items)) "
            f"{uploader}.addFiles(e.dataTransfer.files); }}",
        )

    @cached_property
    def _upload_folder(self) -> Path:
        return upload_folder(self._uploader.client)

    def _on_rejected(self) -> None:
        self.window.notify(f"Files larger than {LARGEST // 1024 // 1024} MB can’t be added.", "bad")

    async def _on_upload(self, event: events.UploadEventArguments) -> None:
        self._count += 1
        source = self._upload_folder / str(self._count)
        folder = self.where()
        await event.file.save(source)
        if is_archive(event.file.name):
            self._uploader.reset()
            self._archives.ask(folder, source, event.file.name)
        else:
            await self._add_or_ask(_Waiting(folder, source, event.file.name))

    async def _add_archive(self, folder: str, source: Path, name: str) -> None:
        await self._add_or_ask(_Waiting(folder, source, name))

    async def _add_or_ask(self, upload: _Waiting) -> None:
        await self._add(upload, "ask")
        if self._conflicts:
            self._ask()
        else:
            self._uploader.reset()

    async def _add(self, upload: _Waiting, when_taken: WhenTaken) -> None:
        try:
            outcome = await run.io_bound(self.files.add, upload.folder, upload.source, upload.name, when_taken)
        except InputError as error:
            self.window.notify(f"Couldn’t add {upload.name}. {error}", "bad")
            return
        if isinstance(outcome, NameConflict):
            self._conflicts.append(_Waiting(upload.folder, upload.source, upload.name))
        elif isinstance(outcome, AddedFile):
            upload.source.unlink(missing_ok=True)
            self._note(outcome)

    def _note(self, outcome: AddedFile) -> None:
        if not self._batch.names:
            # One message for files that arrive together: each is a separate upload.
            ui.timer(0.5, self._notify_added, once=True)
        self._batch.names.append(outcome.path)
        if outcome.replaced:
            self._batch.replaced.append(outcome.replaced)
        self.added(outcome.path)

    def _notify_added(self) -> None:
        batch, self._batch = self._batch, _Batch()
        one = batch.names[0] if len(batch.names) == 1 else quantity(len(batch.names), "file")
        if not batch.replaced:
            self.window.notify(f"Added {one}.", "good")
            return

        async def undo() -> None:
            try:
                # `restore` gives the file another name while its own is taken, so remove the new file first.
                for removed in batch.replaced:
                    await self.window.write(self.files.remove, removed.path)
                    await self.window.write(self.files.restore, removed)
            except InputError as error:
                self.window.notify(f"Couldn’t undo everything. {error}", "bad")
            self.added(batch.replaced[-1].path)

        self.window.notify(f"Added {one}. Undo restores replaced files.", undo=undo)

    def _ask(self) -> None:
        self._sheet.clear()
        with self._sheet:
            dialog_title(f"{quantity(len(self._conflicts), 'name')} already taken")
            ui.label("The folder already contains:").classes("hint")
            names = "\n".join(conflict.name for conflict in self._conflicts[:20])
            more = f"\n… and {len(self._conflicts) - 20} more" if len(self._conflicts) > 20 else ""
            ui.label(names + more).classes("workspace-names")
            with dialog_actions():
                button("Don’t add", self._drop)
                button("Replace", lambda: self._settle("replace"))
                button("Keep both", lambda: self._settle("keep_both"), look="main")
        self._dialog.open()

    async def _settle(self, how: WhenTaken) -> None:
        waiting, self._conflicts = self._conflicts, []
        self._dialog.close()
        for upload in waiting:
            await self._add(upload, how)
        self._uploader.reset()

    def _drop(self) -> None:
        for conflict in self._conflicts:
            conflict.source.unlink(missing_ok=True)
        self._conflicts = []
        self._dialog.close()
        self._uploader.reset()


@dataclass(frozen=True)
class _Archive:
    folder: str
    """Target folder."""
    source: Path
    name: str


class ArchiveAdder:
    """Choice and unpacking of archives.

    `landing` moves unpacked files in; `keep` adds an archive as a file.
    """

    def __init__(self, window: Window, files: WorkspaceFiles, landing: UploadCommitter, keep: Keep) -> None:
        self.window, self.files, self.landing, self.keep = window, files, landing, keep
        self._waiting: list[_Archive] = []
        self._current: StagedUpload | None = None
        self._dialog = ui.dialog().props('persistent aria-label="Archives"').mark("archives")
        with self._dialog:
            self._sheet = ui.element("div").classes("dialog dialog-narrow")
        DisposeHook(self._leave)

    def ask(self, folder: str, source: Path, name: str) -> None:
        """Ask about an archive, together with others that wait."""
        self._waiting.append(_Archive(folder, source, name))
        many = len(self._waiting) > 1
        self._sheet.clear()
        with self._sheet:
            dialog_title(f"Unpack {quantity(len(self._waiting), 'archive')}?")
            ui.label("\n".join(printable_path(archive.name) for archive in self._waiting)).classes("workspace-names")
            into = printable_path(folder) if folder else "the workspace"
            ui.label(
                f"Files go into {into}: {IntakeLimits().in_words}. Archives with links or with paths outside the "
                "folder are rejected."
            ).classes("hint")
            with dialog_actions():
                button("Don’t add", self._drop)
                button("Add as files" if many else "Add as file", self._keep_packed)
                button("Unpack here", self._unpack, look="main").props("autofocus")
        self._dialog.open()

    def _take_waiting(self) -> list[_Archive]:
        waiting, self._waiting = self._waiting, []
        self._dialog.close()
        return waiting

    def _drop(self) -> None:
        for archive in self._take_waiting():
            archive.source.unlink(missing_ok=True)

    async def _keep_packed(self) -> None:
        for archive in self._take_waiting():
            await self.keep(archive.folder, archive.source, archive.name)

    async def _unpack(self) -> None:
        for archive in self._take_waiting():
            await self._unpack_one(archive)

    async def _unpack_one(self, archive: _Archive) -> None:
        name = printable_path(archive.name)
        try:
            arrival = self._current = self.files.arrival(archive.folder)
        except InputError as error:
            self.window.notify(f"Couldn’t unpack {name}. {error}", "bad")
            return
        with self._dialog.parent_slot or self._dialog:
            progress = UploadProgress(f"Unpacking {name}", arrival.intake, self._stop)
        try:
            await run.io_bound(unpack, archive.source, arrival.intake)
        except InputError as error:
            arrival.discard()
            self.window.notify(f"Couldn’t unpack {name}. {error}", "info" if arrival.intake.stopped else "bad")
            return
        finally:
            self._current = None
            progress.close()
            archive.source.unlink(missing_ok=True)
        with self._dialog.parent_slot or self._dialog:
            await self.landing.commit(arrival, name)

    def _stop(self) -> None:
        if self._current is not None:
            self._current.intake.stopped = True

    def _leave(self) -> None:
        self._stop()
        for archive in self._waiting:
            archive.source.unlink(missing_ok=True)


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
    with tempfile.TemporaryDirectory(prefix="upload-") as folder:
        source = Path(folder) / "file"
        await received.file.save(source)
        await run.io_bound(lambda: intake.write(received.path, _blocks(source)))


def _blocks(source: Path) -> Iterator[bytes]:
    with source.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block
