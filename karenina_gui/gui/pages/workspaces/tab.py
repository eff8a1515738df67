"""Tab Workspace of a question: sets up the root and folder, then shows the files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.staged_upload import Intake
from karenina_gui.authoring.workspace_listing import Totals
from karenina_gui.authoring.workspaces import Workspace
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.clipboard import copy_text
from karenina_gui.gui.kit.elements import (
    button,
    empty_state,
    field,
    icon_button,
    note,
    on_enter,
    select,
    text_input,
)
from karenina_gui.gui.pages.workspaces.browser import WorkspaceBrowser
from karenina_gui.gui.pages.workspaces.root_form import RootForm
from karenina_gui.gui.pages.workspaces.upload_progress import UploadProgress
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.session.nicegui_internals import DisposeHook
from karenina_gui.schemas.workspace import WorkspaceLimits
from karenina_gui.text import quantity, size_in_words

LARGEST_COPIED = WorkspaceLimits().disk_mb * 1024 * 1024
"""Maximum size in bytes of a workspace that a run copies, with the default limits."""
REFUSED = f"This workspace is too large to copy for agents (limit: {WorkspaceLimits().disk_mb:,} MB)."
EMPTY = "Empty folder"
NOTED = 3
"""Maximum number of skipped files named in the message after a copy."""


class WorkspaceTab:
    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        self.workspaces = draft.window.services.editor.workspaces
        self.browser: WorkspaceBrowser | None = None
        self._drawn_state: tuple[object, ...] | None = None
        self._generation = 0
        self._watched: Path | None = None
        self._stop: Callable[[], None] | None = None
        DisposeHook(self._unwatch)
        self._container = ui.element("div").classes("pane")
        draft.listen(lambda _: self._refresh_soon(), "saved", "elsewhere")
        draft.window.listen(draft.window.services.changes_of(draft.benchmark_id), lambda _: self._refresh_soon())
        draft.window.listen(draft.window.services.files_changed, self._on_files)
        self._refresh_soon()

    def _on_files(self, folder: Path) -> None:
        if folder == self._watched:
            self._refresh_soon()
            if self.browser is not None:
                background_tasks.create(self.browser.refresh(), name="look at files", context=self._container)

    def _refresh_soon(self) -> None:
        background_tasks.create(self.refresh(), name="look for the workspace", context=self._container)

    async def refresh(self) -> None:
        """Show the current state of the workspace."""
        # Only the latest look counts: `find` calls may finish out of order.
        self._generation += 1
        turn, path = self._generation, self.draft.question.workspace_path
        try:
            workspace = await run.io_bound(self.workspaces.find, self.draft.benchmark_id, path)
        except NotFoundError:
            return
        if workspace is None or turn != self._generation or self._container.is_deleted:
            return
        key = (workspace.state, workspace.root, workspace.message, path, workspace.files and workspace.files.real_path)
        if key == self._drawn_state:
            return
        self._drawn_state = key
        self._show(workspace)
        await self._watch(workspace)

    def _show(self, workspace: Workspace) -> None:
        self.browser = None
        self._container.clear()
        with self._container:
            if workspace.state == "there":
                self._files(workspace)
            elif workspace.state == "no_root":
                self._ask_root(workspace)
            elif workspace.state == "no_path":
                self._ask_folder()
            else:
                self._explain(workspace)

    def _ask_root(self, workspace: Workspace) -> None:
        with empty_state(
            "folder_open",
            "Files for agents" if not workspace.message else "Workspaces not found",
            workspace.message
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

    def _explain(self, workspace: Workspace) -> None:
        path = self.draft.question.workspace_path or ""
        missing = workspace.state == "missing"
        title = f"Folder {path} not found" if missing else "Can’t open this workspace"
        text = f"Expected in {workspace.root}." if missing else workspace.message
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
        self._drawn_state = None
        self._refresh_soon()

    def _choose_another(self) -> None:
        self.browser = None
        self._container.clear()
        title = "Choose another folder"
        with self._container, empty_state("drive_folder_upload", title, "No files are moved or deleted."):
            FolderForm(self.draft, self._retry)

    def _files(self, workspace: Workspace) -> None:
        assert workspace.files is not None
        path = str(workspace.files.real_path)
        with ui.element("div").classes("workspace-bar edge line wide gap-6"):
            ui.icon("folder_open")
            ui.label(self.draft.question.workspace_path or "").classes("workspace-path cut shrinks").tooltip(path)
            ui.space()
            self._totals = ui.label().classes("workspace-totals hint rigid one-line figures").props('role="status"')
            icon_button("content_copy", "Copy full path", lambda: self._copy(path))
            icon_button("drive_file_move", "Choose another folder", self._choose_another)
        self._unwatched = note("This folder is too large to detect changes by other programs automatically.", "warn")
        self._unwatched.classes("workspace-unwatched").set_visibility(False)
        with ui.element("div").classes("workspace-unwatched") as self._too_large:
            note(f"{REFUSED} Delete unneeded files, or raise the limit in the run options.", "warn")
        self._too_large.set_visibility(False)
        self.browser = WorkspaceBrowser(self.draft, workspace.files, self._count)
        background_tasks.create(self.browser.count(), name="count files", context=self._container)
        background_tasks.create(self.browser.open_undecided(), name="open a file", context=self._container)

    def _count(self, totals: Totals) -> None:
        files = quantity(totals.files, "file")
        if not totals.complete:
            files = f"more than {files}"
        self._totals.text = "No files yet" if totals.files == 0 else f"{files}, {size_in_words(totals.size)}"
        self._too_large.set_visibility(totals.size > LARGEST_COPIED)

    def _copy(self, path: str) -> None:
        copy_text(path, "Copied path")

    async def _watch(self, workspace: Workspace) -> None:
        """Watch the workspace for changes by other programs, or the root while the workspace is missing."""
        folder = (
            workspace.files.real_path if workspace.files else workspace.root if workspace.state == "missing" else None
        )
        if folder == self._watched:
            return
        self._unwatch()
        if folder is None:
            return
        self._watched = folder
        stop = await run.io_bound(self.workspaces.watch, folder, deep=workspace.files is not None)
        if stop is not None and (self._watched != folder or self._container.is_deleted):
            _stop_in_thread(stop)
        elif stop is not None:
            self._stop = stop
            self._on_files(folder)  # what changed before the watch began
        elif workspace.files is not None and not self._unwatched.is_deleted:
            self._unwatched.set_visibility(True)

    def _unwatch(self) -> None:
        stop, self._stop, self._watched = self._stop, None, None
        if stop is not None:
            _stop_in_thread(stop)


def _stop_in_thread(stop: Callable[[], None]) -> None:
    """Stop a watch in a thread: it waits for a folder scan, which would block the event loop."""
    threading.Thread(target=stop, daemon=True).start()


class FolderForm:
    """Folder form. `done` is called after success and by Cancel. None: no Cancel button."""

    def __init__(self, draft: QuestionDraft, done: Callable[[], Any] | None = None) -> None:
        self.draft, self.done = draft, done
        self.workspaces = draft.window.services.editor.workspaces
        self._intake: Intake | None = None
        saved = draft.question.workspace_path
        hint = "path below the workspace root, such as task_01"
        with ui.element("div").classes("workspace-form") as self._container:
            with field("Workspace folder", hint):
                with ui.element("div").classes("workspace-line"):
                    self.path = text_input("Workspace folder path", saved or f"task_{draft.summary.position + 1:02}")
                    self.path.props('debounce="200" spellcheck="false"')
                    self.path.set_autocomplete(self.workspaces.suggestions(draft.benchmark_id))
                    self.use = button("Create folder", self._use, look="main")
                    if done is not None:
                        button("Cancel", done)
                self.problem = FieldError()
                self.hint = ui.label().classes("hint").props('role="status"')
            with field("Start from", "a copy of another folder is independent of it") as self._start:
                self.template = select("Start from", self._templates(), "", on_change=self._check)
        self.path.on_value_change(self._check)
        on_enter(self.path, self._use)
        ui.timer(0, self._check, once=True)

    def _templates(self) -> dict[str, str]:
        paths = self.workspaces.templates(self.draft.benchmark_id)
        return {"": EMPTY, **{path: f"Copy of {path}" for path in paths}}

    async def _check(self) -> None:
        text = str(self.path.value or "").strip()
        workspace = await run.io_bound(self.workspaces.find, self.draft.benchmark_id, text) if text else None
        if self.path.is_deleted or text != str(self.path.value or "").strip():
            return
        self._show_check(text, workspace)

    def _show_check(self, text: str, workspace: Workspace | None) -> None:
        state, message = (workspace.state, workspace.message) if workspace else (None, "")
        refused, exists = state == "refused", state == "there"
        self.problem.show_at(self.path, message if refused else None)
        self._start.set_visibility(not exists and len(self.template.options) > 1)
        self.use.text = "Use folder" if exists else "Copy folder" if self.template.value else "Create folder"
        self.use.set_enabled(bool(text) and not refused)
        self.hint.text = "This folder already exists." if exists else ""

    async def _use(self) -> None:
        text = str(self.path.value or "").strip()
        if not text:
            self.problem.show_message("Enter a folder name.")
            return
        template = str(self.template.value or "")
        before = self.draft.question.workspace_path
        copied: list[str] | None = None
        try:
            if self.workspaces.find(self.draft.benchmark_id, text).state == "missing":
                copied = await self._create(template, text)
        except InputError as error:
            self.problem.show_message(str(error))
            return
        problem = await self.draft.save("workspace_path", text)
        if copied is not None:
            self._notify_created(template, text, before, copied)
        if self._container.is_deleted:
            return
        self.problem.show_message(problem)
        if problem is None and self.done is not None:
            self.done()

    async def _create(self, template: str, path: str) -> list[str] | None:
        """Create a folder; return the files left out of a copy, or None for an empty folder."""
        if template:
            return await self._copy(template, path)
        await run.io_bound(self.workspaces.create_folder, self.draft.benchmark_id, path)
        return None

    async def _copy(self, template: str, path: str) -> list[str]:
        """Copy a folder and return the files left out. Raises `InputError` if nothing was copied."""
        self.use.set_enabled(False)
        progress: list[UploadProgress] = []

        def remember_intake(intake: Intake) -> None:
            self._intake = intake

        def show() -> None:
            intake = self._intake
            if intake is not None and not progress:
                progress.append(UploadProgress(f"Copying {template}", intake, lambda: setattr(intake, "stopped", True)))

        with self._container:
            waiting = ui.timer(0.2, show)
        try:
            return (
                await run.io_bound(self.workspaces.copy, self.draft.benchmark_id, template, path, remember_intake) or []
            )
        finally:
            self._intake = None
            waiting.cancel()
            for upload in progress:
                upload.close()
            if not self._container.is_deleted:
                self.use.set_enabled(True)

    def _notify_created(self, template: str, path: str, before: str | None, left_out: list[str]) -> None:
        async def take_back() -> None:
            problem = await self.draft.save("workspace_path", before)
            try:
                if problem is not None:
                    raise InputError(problem)
                await run.io_bound(self.workspaces.discard, self.draft.benchmark_id, path)
            except InputError as error:
                self.draft.window.notify(f"Couldn’t undo the copy. {error}", "bad")

        def undo() -> None:
            background_tasks.create(take_back(), name="take back a copy")

        more = f" Skipped {len(left_out) - NOTED} more." if len(left_out) > NOTED else ""
        message = " ".join([f"Copied {template} to {path}.", *left_out[:NOTED]]) + more
        self.draft.window.notify(message, "info" if left_out else "good", undo=undo)
