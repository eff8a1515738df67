"""Upload of archives to a workspace: the user chooses to unpack them or to add them as files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from nicegui import run, ui

from karenina_gui.authoring.staged_upload import IntakeLimits, StagedUpload, unpack
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.errors import InputError
from karenina_gui.gui.components.dialogs import dialog_actions, dialog_title
from karenina_gui.gui.components.elements import button
from karenina_gui.gui.session.nicegui_internals import DisposeHook
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.workspaces.upload_progress import UploadCommitter, UploadProgress
from karenina_gui.text import quantity

Keep = Callable[[str, Path, str], Awaitable[None]]


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
