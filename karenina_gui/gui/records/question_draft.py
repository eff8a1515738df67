"""Editable record of a question. Each field is saved separately with a revision check."""

from __future__ import annotations

from typing import Any

from nicegui import background_tasks

from karenina_gui.authoring.benchmark_editor import OpenQuestion
from karenina_gui.authoring.changes import Change
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.records.benchmark_draft import BenchmarkDraft
from karenina_gui.gui.records.optimistic_edit import Outcome
from karenina_gui.gui.records.record import EditableRecord, RecordField
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark_summaries import QuestionSummary
from karenina_gui.schemas.edits import Saved
from karenina_gui.schemas.question import Question

UNDONE = "Adding this question was undone, so it can’t be restored. Redo it with Ctrl+Shift+Z."


class QuestionDraft(EditableRecord[Question]):
    """Shared state of the question editor. Parts read `question`, save fields, and observe remote changes."""

    DELETED = "Not saved: the question was deleted. Restore it to save your edits."

    def __init__(self, window: Window, benchmark_id: int, number: int) -> None:
        self.benchmark_id = benchmark_id
        self.number = number
        self.opened: OpenQuestion
        self._rejected_edits: dict[str, Any] = {}
        super().__init__(window, f"question/{number}")

    @property
    def question(self) -> Question:
        return self.state

    @property
    def summary(self) -> QuestionSummary:
        return self.opened.summary

    async def save_field(self, field: RecordField[Question], value: Any, base: Any) -> Outcome:
        outcome = await super().save_field(field, value, base)
        gone = outcome == self.DELETED and self.window.services.library.benchmarks.get_deleted(self.benchmark_id)
        return BenchmarkDraft.DELETED if gone else outcome

    async def save(self, name: str, value: Any) -> str | None:
        problem = await super().save(name, value)
        # Restoring brings back the stored version. Edits rejected while deleted are saved again afterward.
        if self.deleted:
            self._rejected_edits[name] = value
        return problem

    async def restore(self) -> None:
        """Restore the deleted question, or its benchmark if that was deleted, and save edits made since."""
        write = self.window.write
        try:
            restored = await write(self.editor.restore_questions, self.benchmark_id, [self.number])
        # NotFoundError also means that the whole benchmark was deleted: restoring it restores the question.
        except NotFoundError:  # it went with its whole benchmark
            await write(self.editor.restore_benchmark, self.benchmark_id)
        else:
            # An undone addition or import leaves nothing that could be restored.
            gone = [] if restored.numbers or restored.refused else [UNDONE]
            for reason in [*restored.refused, *gone]:
                self.window.notify(reason, "bad")

    def _read(self) -> tuple[Question, int]:
        self.opened = self.editor.question(self.benchmark_id, self.number)
        return self.opened.entry.question, self.summary.revision

    def _write(self, changes: dict[str, Any], revision: int) -> tuple[int, str] | None:
        outcome = self.editor.edit(self.benchmark_id, self.number, changes, expected_revision=revision)
        return (outcome.revision, outcome.at) if isinstance(outcome, Saved) else None

    def _listen(self) -> None:
        self.window.listen(self.window.services.changes_of(self.benchmark_id, self.number), self._on_change)

    def _on_change(self, change: Change) -> None:
        # What was saved here is here already.
        if self.deleted or change.revision is None or change.revision > self.summary.revision:
            self._reload()

    def _note_presence(self, *, present: bool) -> None:
        super()._note_presence(present=present)
        if present:
            lost, self._rejected_edits = self._rejected_edits, {}
            background_tasks.create(self._save_rejected(lost), name="save what was typed before a restore")

    async def _save_rejected(self, lost: dict[str, Any]) -> None:
        for name, value in lost.items():
            await self.save(name, value)
