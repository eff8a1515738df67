"""Pane of the open file: text editor, image, beginning of a long text, or file details."""

from __future__ import annotations

from pathlib import PurePosixPath

from nicegui import run, ui

from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.authoring.workspace_text import FileContent
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.elements import button, empty_state, icon_button, note, scrolling
from karenina_gui.gui.pages.workspaces.file_editor import FileEditor, name_of_drafts
from karenina_gui.gui.pages.workspaces.paths import file_address
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.text import size_in_words


class FilePane:
    def __init__(self, draft: QuestionDraft, files: WorkspaceFiles) -> None:
        self.draft, self.files = draft, files
        self.path: str | None = None
        """Path of the open file. None: no file is open."""
        self.content: FileContent | None = None
        self.editor: FileEditor | None = None
        self._generation = 0
        with ui.element("div").classes("pane workspace-file") as self._container:
            pass
        self.close()

    async def open(self, path: str) -> None:
        """Open a file. Pending edits of the previous one are saved first."""
        self._leave()
        # A slow read of a large file must not replace a file opened later.
        self._generation += 1
        turn, self.path = self._generation, path
        try:
            content = await run.io_bound(self.files.read, path)
        except InputError as error:
            unsaved = self.draft.unsaved.get(name_of_drafts(self.draft, path))
            if turn == self._generation and unsaved is not None:  # what was typed before it was deleted is still there
                self._show(FileContent(path, "text", 0, 0.0, text=str(unsaved.base)))
            elif turn == self._generation:
                self._show_problem(str(error))
            return
        if content is not None and turn == self._generation and not self._container.is_deleted:
            self._show(content)

    async def refresh(self) -> None:
        """Refresh after a change in the folder."""
        if self.path is None:
            return
        path, turn, saves = self.path, self._generation, self._saves
        try:
            content = await run.io_bound(self.files.read, path)
        except InputError as error:
            if turn == self._generation:
                self._on_read_error(error)
            return
        if turn != self._generation or self._container.is_deleted or content is None:
            return
        if saves != self._saves:  # what was read is older than what was saved here meanwhile
            await self.refresh()
        else:
            self._show_remote(content)

    def _show_remote(self, content: FileContent) -> None:
        """Show content that may have changed in the folder, without losing what is typed."""
        if self.editor is not None and content.kind == "text":
            self.editor.on_remote_change(content)
        elif self.editor is not None and self.editor.edit.problem is not None:
            return  # what is typed and not saved is not thrown away
        elif content != self.content:
            self._show(content)

    def close(self) -> None:
        self._leave()
        self._generation += 1
        self.path = self.content = None
        self._container.clear()
        with self._container:
            empty_state_of_pane("draft", "No file open", "Select or add a file on the left.")

    def _leave(self) -> None:
        if self.editor is not None:
            self.editor.edit.flush()
            self.editor = None

    @property
    def _saves(self) -> int:
        return 0 if self.editor is None else self.editor.field.saves

    def _on_read_error(self, error: InputError) -> None:
        if self.editor is not None and self.editor.edit.problem is not None:
            return  # it says so itself
        if self.editor is not None and self.editor.edit.mine != self.editor.field.read():
            self.editor.edit.flush()
        elif isinstance(error, NotFoundError):
            name = printable_path(self.path or "")
            self.close()
            self._container.clear()
            with self._container:
                empty_state_of_pane("delete", f"{name} was deleted or renamed", "Select another file.")
        else:
            self._show_problem(str(error))

    def _show_problem(self, message: str) -> None:
        self._leave()
        self.content = None
        self._container.clear()
        with self._container, ui.element("div").classes("workspace-message"):
            note(message, "bad")

    def _show(self, content: FileContent) -> None:
        self._leave()
        self.content = content
        self._container.clear()
        with self._container:
            self._head(content)
            if content.kind == "text":
                self.editor = FileEditor(self.draft, self.files, content)
            elif content.kind == "picture":
                self._picture(content)
            elif content.kind == "long_text":
                _draw_beginning(content)
            else:
                with empty_state(
                    "draft",
                    "Can’t show this file",
                    "It is neither text nor an image.",
                ):
                    button("Download", self.download, icon="download", look="main")

    def _head(self, content: FileContent) -> None:
        with ui.element("div").classes("workspace-head edge line gap-8"):
            name = ui.label(printable_path(PurePosixPath(content.path).name)).classes("workspace-title cut shrinks")
            name.props('role="heading" aria-level="2"').tooltip(printable_path(content.path))
            if content.kind != "text":
                ui.label(size_in_words(content.size)).classes("hint")
            ui.space()
            icon_button("download", "Download file", self.download)

    def _picture(self, content: FileContent) -> None:
        with scrolling("Picture"), ui.element("div").classes("workspace-picture line"):
            picture = ui.element("img")
        picture.props["src"] = f"{self._url(content.path)}&picture=1&v={content.fingerprint[:12]}"
        picture.props["alt"] = printable_path(PurePosixPath(content.path).name)

    def download(self) -> None:
        if self.path is not None:
            ui.download.from_url(self._url(self.path))

    def _url(self, path: str) -> str:
        return file_address(self.draft.benchmark_id, self.draft.summary.number, path)


def empty_state_of_pane(icon: str, title: str, text: str) -> None:
    with empty_state(icon, title, text):
        pass


def _draw_beginning(content: FileContent) -> None:
    with ui.element("div").classes("workspace-message"):
        note(
            f"This file is too long to edit here ({size_in_words(content.size)}). Only the beginning is shown. "
            "Download the file to see all of it.",
            "warn",
        )
    with scrolling("Beginning of file"):
        ui.label(content.text).classes("workspace-text prose")
