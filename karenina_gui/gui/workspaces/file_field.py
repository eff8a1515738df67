"""Field adapter for the text of a file, see `OptimisticEdit`."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from functools import partial

from karenina_gui.authoring.workspace_files import FileConflict, WorkspaceFiles
from karenina_gui.authoring.workspace_names import printable_path
from karenina_gui.authoring.workspace_text import FileContent
from karenina_gui.errors import InputError
from karenina_gui.gui.binding.fields import Outcome, RemoteValue
from karenina_gui.gui.binding.optimistic_edit import OptimisticEdit
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.session.outbox import Outbox
from karenina_gui.schemas.edits import UnsavedEdit

GONE = "Not saved: the file was deleted by another program. Recreate it to save your edits."


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
    def place(self) -> str:
        """Name of the question and file in the drafts and the browser's outbox."""
        return f"{self.draft.place}/{self._name}"

    @property
    def outbox(self) -> Outbox | None:
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
