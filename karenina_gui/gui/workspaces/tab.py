"""Tab Workspace of a question: sets up the root and folder, then shows the files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.workspace_listing import Totals
from karenina_gui.authoring.workspaces import Workspace
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.clipboard import copy_text
from karenina_gui.gui.components.elements import button, empty_state, icon_button, note
from karenina_gui.gui.session.nicegui_internals import DisposeHook
from karenina_gui.gui.workspaces.browser import WorkspaceBrowser
from karenina_gui.gui.workspaces.folder_form import FolderForm
from karenina_gui.gui.workspaces.paths import size_in_words
from karenina_gui.gui.workspaces.root_form import RootForm
from karenina_gui.schemas.workspace import WorkspaceLimits
from karenina_gui.text import quantity

LARGEST_COPIED = WorkspaceLimits().disk_mb * 1024 * 1024
"""Maximum size in bytes of a workspace that a run copies, with the default limits."""
REFUSED = f"This workspace is too large to copy for agents (limit: {WorkspaceLimits().disk_mb:,} MB)."


class WorkspaceTab:
    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        self.workspaces = draft.window.services.editor.workspaces
        self.browser: WorkspaceBrowser | None = None
        self._shown: tuple[object, ...] | None = None
        self._generation = 0
        self._watched: Path | None = None
        self._stop: Callable[[], None] | None = None
        DisposeHook(self._unwatch)
        self._place = ui.element("div").classes("pane")
        draft.on_saved(lambda _: self._refresh_soon())
        draft.on_elsewhere(lambda _: self._refresh_soon())
        draft.window.listen(draft.window.services.benchmark_changed, self._on_change)
        draft.window.listen(draft.window.services.files_changed, self._on_files)
        self._refresh_soon()

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id == self.draft.benchmark_id and change.number is None:
            self._refresh_soon()

    def _on_files(self, folder: Path) -> None:
        if folder == self._watched:
            self._refresh_soon()
            if self.browser is not None:
                background_tasks.create(self.browser.refresh(), name="look at files", context=self._place)

    def _refresh_soon(self) -> None:
        background_tasks.create(self.refresh(), name="look for the workspace", context=self._place)

    async def refresh(self) -> None:
        """Show the current state of the workspace."""
        # Only the latest look counts: `find` calls may finish out of order.
        self._generation += 1
        turn, path = self._generation, self.draft.question.workspace_path
        try:
            found = await run.io_bound(self.workspaces.find, self.draft.benchmark_id, path)
        except NotFoundError:
            return
        if found is None or turn != self._generation or self._place.is_deleted:
            return
        key = (found.state, found.root, found.message, path, found.files and found.files.place)
        if key == self._shown:
            return
        self._shown = key
        self._show(found)
        await self._watch(found)

    def _show(self, found: Workspace) -> None:
        self.browser = None
        self._place.clear()
        with self._place:
            if found.state == "there":
                self._files(found)
            elif found.state == "no_root":
                self._ask_root(found)
            elif found.state == "no_path":
                self._ask_folder()
            else:
                self._explain(found)

    def _ask_root(self, found: Workspace) -> None:
        with empty_state(
            "folder_open",
            "Files for agents" if not found.message else "Workspaces not found",
            found.message
            or "For tasks with files, each question can have its own folder. First choose their parent folder.",
        ):
            RootForm(self.draft.window, self.draft.benchmark_id)

    def _ask_folder(self) -> None:
        with empty_state(
            "create_new_folder",
            "No workspace yet",
            "For agent tasks: a folder with the files that the agent starts from. Other questions don’t need one.",
        ):
            FolderForm(self.draft)

    def _explain(self, found: Workspace) -> None:
        path = self.draft.question.workspace_path or ""
        missing = found.state == "missing"
        title = f"Folder {path} not found" if missing else "Can’t open this workspace"
        text = f"Expected in {found.root}." if missing else found.message
        with empty_state("folder_off", title, text):
            if missing:
                button("Create folder", lambda: self._make(path), icon="create_new_folder", look="main")
            button("Choose another folder", self._choose_another)
            button("Check again", self._retry, icon="refresh")

    async def _make(self, path: str) -> None:
        try:
            await self.draft.window.write(self.workspaces.create_folder, self.draft.benchmark_id, path)
        except InputError as error:
            self.draft.window.notify(str(error), "bad")
            return
        self._refresh_soon()

    def _retry(self) -> None:
        self._shown = None
        self._refresh_soon()

    def _choose_another(self) -> None:
        self.browser = None
        self._place.clear()
        title = "Choose another folder"
        with self._place, empty_state("drive_folder_upload", title, "No files are moved or deleted."):
            FolderForm(self.draft, self._retry)

    def _files(self, found: Workspace) -> None:
        assert found.files is not None
        place = str(found.files.place)
        with ui.element("div").classes("workspace-bar"):
            ui.icon("folder_open")
            ui.label(self.draft.question.workspace_path or "").classes("workspace-path").tooltip(place)
            ui.space()
            self._totals = ui.label().classes("workspace-totals").props('role="status"')
            icon_button("content_copy", "Copy full path", lambda: self._copy(place))
            icon_button("drive_file_move", "Choose another folder", self._choose_another)
        self._unwatched = note("This folder is too large to detect changes by other programs automatically.", "warn")
        self._unwatched.classes("workspace-unwatched").set_visibility(False)
        with ui.element("div").classes("workspace-unwatched") as self._too_large:
            note(f"{REFUSED} Delete unneeded files, or raise the limit in the run options.", "warn")
        self._too_large.set_visibility(False)
        self.browser = WorkspaceBrowser(self.draft, found.files, self._count)
        background_tasks.create(self.browser.count(), name="count files", context=self._place)
        background_tasks.create(self.browser.open_undecided(), name="open a file", context=self._place)

    def _count(self, found: Totals) -> None:
        files = quantity(found.files, "file")
        if not found.complete:
            files = f"more than {files}"
        self._totals.text = "No files yet" if found.files == 0 else f"{files}, {size_in_words(found.size)}"
        self._too_large.set_visibility(found.size > LARGEST_COPIED)

    def _copy(self, path: str) -> None:
        copy_text(path, "Copied path")

    async def _watch(self, found: Workspace) -> None:
        """Watch the workspace for changes by other programs, or the root while the workspace is missing."""
        wanted = found.files.place if found.files else found.root if found.state == "missing" else None
        if wanted == self._watched:
            return
        self._unwatch()
        if wanted is None:
            return
        self._watched = wanted
        stop = await run.io_bound(self.workspaces.watch, wanted, deep=found.files is not None)
        if stop is not None and (self._watched != wanted or self._place.is_deleted):
            _stop_in_thread(stop)
        elif stop is not None:
            self._stop = stop
        elif found.files is not None and not self._unwatched.is_deleted:
            self._unwatched.set_visibility(True)

    def _unwatch(self) -> None:
        stop, self._stop, self._watched = self._stop, None, None
        if stop is not None:
            _stop_in_thread(stop)


def _stop_in_thread(stop: Callable[[], None]) -> None:
    """Stop a watch in a thread: it waits for a folder scan, which would block the event loop."""
    threading.Thread(target=stop, daemon=True).start()
