"""Upload of files to a workspace. Existing files are replaced only after confirmation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from nicegui import events, run, ui

from karenina_gui.authoring.staged_upload import WhenTaken, is_archive
from karenina_gui.authoring.trash import DeletedItem
from karenina_gui.authoring.workspace_files import AddedFile, NameConflict, WorkspaceFiles
from karenina_gui.errors import InputError
from karenina_gui.gui.components.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.components.elements import button
from karenina_gui.gui.components.uploads import upload_folder
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.workspaces.add_archive import ArchiveAdder
from karenina_gui.gui.workspaces.add_folder import FolderAdder
from karenina_gui.gui.workspaces.folder_upload import LARGEST
from karenina_gui.gui.workspaces.upload_progress import UploadCommitter
from karenina_gui.text import quantity


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
