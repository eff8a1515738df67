"""Autosaving editor of a text file. It shows changes by other programs."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Literal

from nicegui import ui

from karenina_gui.authoring.workspace_files import FileConflict, WorkspaceFiles
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.authoring.workspace_text import Encoding, FileContent, lacking
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.code_editor import CodeEditor
from karenina_gui.gui.kit.elements import button
from karenina_gui.gui.records.conflict import ConflictPanel
from karenina_gui.gui.records.optimistic_edit import OptimisticEdit, Outcome, RemoteValue
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.session.outbox import Outbox
from karenina_gui.schemas.edits import UnsavedEdit

Language = Literal[
    "C", "C++", "CSS", "Dockerfile", "HTML", "Java", "JavaScript", "JSON", "Julia", "LaTeX", "Markdown", "Perl",
    "Properties files", "Python", "R", "Ruby", "Rust", "Shell", "SQL", "TOML", "TypeScript", "XML", "YAML", "diff",
]  # fmt: skip

_BY_SUFFIX: dict[str, Language] = {
    ".py": "Python", ".r": "R", ".rmd": "Markdown", ".md": "Markdown", ".json": "JSON", ".jsonl": "JSON",
    ".jsonld": "JSON", ".ipynb": "JSON", ".yaml": "YAML", ".yml": "YAML", ".toml": "TOML", ".ini": "Properties files",
    ".cfg": "Properties files", ".sh": "Shell", ".bash": "Shell", ".sql": "SQL", ".html": "HTML", ".htm": "HTML",
    ".xml": "XML", ".svg": "XML", ".css": "CSS", ".js": "JavaScript", ".ts": "TypeScript", ".c": "C", ".h": "C",
    ".cpp": "C++", ".hpp": "C++", ".java": "Java", ".jl": "Julia", ".tex": "LaTeX", ".pl": "Perl", ".rb": "Ruby",
    ".rs": "Rust", ".diff": "diff", ".patch": "diff",
}  # fmt: skip
_BY_NAME: dict[str, Language] = {"dockerfile": "Dockerfile", "makefile": "Shell", ".bashrc": "Shell"}
GONE = "Not saved: the file was deleted by another program. Recreate it to save your edits."


class FileEditor:
    """Editor of one text file. When another file is opened, pending edits are saved first."""

    def __init__(self, draft: QuestionDraft, files: WorkspaceFiles, content: FileContent) -> None:
        self.content = content
        self.field = FileField(draft, files, content)
        self.edit = OptimisticEdit(self.field, self)
        name = printable_path(PurePosixPath(content.path).name)
        self.conflict_panel = ConflictPanel(name, self.edit, "outside").classes("clash-template stack")
        if content.mixed:
            ui.label("This file mixes Windows and Linux line endings. Edits make them uniform.").classes(
                "hint workspace-mixed"
            )
        self.manner = ui.label().classes("hint workspace-mixed")
        label = f"Text of {printable_path(content.path)}"
        language = language_of(content.path)
        self.code = CodeEditor(str(self.edit.mine), language, label, self._on_edit, self._on_focus)
        self.edit.keep_in_browser(name, self.code)
        with (
            ui.element("div")
            .classes("workspace-problem line gap-10 rigid small text-bad")
            .props('role="status"') as self.state
        ):
            self.problem = ui.label()
            self.anew = button("Recreate file", self._recreate)
        self.show_status()

    def focus(self) -> None:
        self.code.focus()

    def on_remote_change(self, content: FileContent) -> None:
        """Handle new content on disk."""
        self.field.content, self.field.gone = content, False
        self.edit.on_remote_change(content.text)
        if self.edit.problem == GONE:
            self.edit.retry()

    def follow(self, text: str) -> None:
        self.code.replace(text, instead_of=self.code.value or "")

    def set_value(self, text: str) -> None:
        self.code.replace(text, instead_of=None)

    def show_status(self) -> None:
        if self.code.is_deleted:
            return
        self.conflict_panel.show()
        self.manner.text = manner(self.field.encoding, self.field.as_it_is.encoding, str(self.edit.mine))
        self.manner.set_visibility(bool(self.manner.text))
        problem = None if self.edit.undecided else self.edit.problem
        self.problem.text = problem or ""
        self.anew.set_visibility(problem == GONE)
        self.state.set_visibility(bool(problem))

    def _on_edit(self) -> None:
        self.edit.type(self.code.value or "")

    def _on_focus(self, inside: bool) -> None:
        if not inside:  # being in the text is no edit: until something is typed, it follows the file
            self.edit.leave()

    async def _recreate(self) -> None:
        outcome = await self.field.write_anew(str(self.edit.mine))
        if outcome is None:
            self.edit.on_remote_change(self.field.read())
        elif not isinstance(outcome, str):
            self.edit.on_remote_change(outcome.value)
        self.edit.flush()


def manner(first: Encoding, now: Encoding, text: str) -> str:
    """Return a note on the encoding of the file before and after the save. Empty: always UTF-8."""
    if first == "utf-8":
        return ""
    if now != first:
        changed = f"This file was in {ENCODINGS[first]}. It is now saved in {ENCODINGS[now]}."
        sign = lacking(text, first)
        return f"{changed} {ENCODINGS[first]} doesn’t support “{sign}”." if sign else changed
    stays = f"This file is in {ENCODINGS[first]}. Edits keep this encoding."
    return (
        f"{stays} If you type a character it doesn’t support, the file is saved in UTF-8."
        if first == "cp1252"
        else stays
    )


ENCODINGS: dict[Encoding, str] = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252 (Latin-1)",
}


def language_of(path: str) -> Language | None:
    """Return the language by file name. None: plain text."""
    name = PurePosixPath(path).name.lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(PurePosixPath(name).suffix)


class FileField:
    """Text of a file. A save is a conflict if the file on disk differs from the text last shown."""

    def __init__(self, draft: QuestionDraft, files: WorkspaceFiles, content: FileContent) -> None:
        self.draft, self.files = draft, files
        self.content = content
        """Content last seen on disk."""
        self.gone = False
        self.saves = 0
        """Number of saves in this window."""
        self._name = name_of_drafts(draft, content.path)
        self.encoding = content.encoding
        """Encoding of the file when it was opened."""

    @property
    def as_it_is(self) -> FileContent:
        """Content last seen on disk, in the original encoding if its text is ASCII, which reveals none."""
        plain = self.encoding == "cp1252" and self.content.text.isascii()
        return replace(self.content, encoding=self.encoding) if plain else self.content

    def follow(self, edit: OptimisticEdit) -> None:
        """Do nothing: the editor watches the file."""

    def read(self) -> str:
        return self.content.text

    @property
    def address(self) -> str:
        """Name of the question and file in the drafts and the browser's outbox."""
        return f"{self.draft.address}/{self._name}"

    @property
    def outbox(self) -> Outbox:
        return self.draft.window.outbox

    async def save(self, value: str, base: str) -> Outcome:
        if not self.gone and value == self.content.text:
            return None
        if base != self.content.text:
            return RemoteValue(self.content.text)
        return await self._write(value, anew=False)

    async def write_anew(self, value: str) -> Outcome:
        """Recreate the deleted file. If another program has recreated it, the result is a conflict."""
        return await self._write(value, anew=True)

    async def _write(self, value: str, *, anew: bool) -> Outcome:
        writing = partial(self.files.write, value, self.as_it_is, anew=anew)
        try:
            return self._apply(
                await self.draft.window.write(self.draft.window.services.library.writes.persist, writing)
            )
        except InputError as error:
            return str(error)

    def unsaved_edit(self) -> UnsavedEdit | None:
        return self.draft.unsaved.get(self._name)

    def save_draft(self, value: str, base: str) -> Awaitable[None]:
        return self.draft.save_draft(self._name, value, base)

    def discard_draft(self) -> None:
        self.draft.discard_draft(self._name)

    def _apply(self, outcome: FileContent | FileConflict) -> str | RemoteValue | None:
        if isinstance(outcome, FileContent):
            self.content, self.gone = outcome, False
            self.saves += 1
            self.draft.window.note_saved()
            return None
        if outcome.theirs is None:
            self.gone = True
            return GONE
        if outcome.theirs.kind != "text":
            return "Not saved: the file no longer contains text. Copy your edits and reopen the file."
        self.content = outcome.theirs
        return RemoteValue(self.content.text)


def name_of_drafts(draft: QuestionDraft, path: str) -> str:
    """Return the name of an unsaved edit of a file. Empty `path`: the common prefix of these names."""
    return f"file:{draft.question.workspace_path}/" + (printable_path(path) if path else "")
