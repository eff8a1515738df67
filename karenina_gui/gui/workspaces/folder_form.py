"""Form that assigns a workspace folder to a question: existing, new, or a copy of another folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.staged_upload import Intake
from karenina_gui.authoring.workspaces import Workspace
from karenina_gui.errors import InputError
from karenina_gui.gui.binding.bound_field import FieldError
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.elements import button, field, on_enter, select, text_input
from karenina_gui.gui.workspaces.upload_progress import UploadProgress

EMPTY = "Empty folder"
NOTED = 3
"""Maximum number of skipped files named in the message after a copy."""


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
