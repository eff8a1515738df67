"""Dialog of deleted questions, grouped by deletion, with restore."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from nicegui import background_tasks, ui

from karenina_gui.gui.components.dates import day_and_time
from karenina_gui.gui.components.deleted_records import DeletedDialog, deleted_line
from karenina_gui.gui.components.elements import button
from karenina_gui.gui.questions.rows import UNTITLED
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.window import Window
    from karenina_gui.schemas.benchmark_summaries import DeletedQuestion, RestoredQuestions

MOST_QUESTIONS = 20
"""Maximum number of questions listed for one deletion. Restore all also restores the rest."""
DELETIONS = 50
"""Maximum number of deletions shown, newest first."""

REASONS = 2
"""Maximum number of messages about questions that could not be restored."""


class DeletedQuestions(DeletedDialog):
    def __init__(self, window: Window, benchmark_id: int) -> None:
        super().__init__("Deleted questions")
        self.window, self.benchmark_id = window, benchmark_id

    def draw(self) -> None:
        # One call of `delete_questions` gives all its questions the same time, so the time identifies the deletion.
        deleted = self.window.services.library.questions.list_deleted(self.benchmark_id)
        deletions = [list(group) for _, group in groupby(deleted, key=lambda question: question.deleted_at)]
        with self.draw_frame("" if deletions else "No deleted questions."):
            for group in deletions[:DELETIONS]:
                self._deletion(group)

    def _deletion(self, group: list[DeletedQuestion]) -> None:
        with ui.element("div").classes("deleted-head"):
            ui.label(f"Deleted {day_and_time(group[0].deleted_at)}").classes("h3")
            ui.space()
            if len(group) > 1:
                button(f"Restore all {len(group):,}", lambda: self._restore(group), look="quiet")
        for question in group[:MOST_QUESTIONS]:
            deleted_line(" ".join(question.text.split()) or UNTITLED, partial(self._restore, [question]))
        if len(group) > MOST_QUESTIONS:
            ui.label(f"… and {len(group) - MOST_QUESTIONS:,} more").classes("hint")

    def _restore(self, chosen: list[DeletedQuestion]) -> None:
        background_tasks.create(self._restore_all(chosen), name="restore questions", context=self.sheet)

    async def _restore_all(self, chosen: list[DeletedQuestion]) -> None:
        numbers = [question.number for question in chosen]
        restoring = self.window.services.editor.restore_questions
        restored = await self.window.write_long(restoring, self.benchmark_id, numbers)
        if number := len(restored.numbers):
            self.window.note_saved()
            self.window.notify(f"Restored {quantity(number, 'question')}.", "good")
        notify_refused(self.window, restored)
        self.draw()


def notify_refused(window: Window, restored: RestoredQuestions) -> None:
    """Tell why questions stay deleted: one message for each of the first few, then a count."""
    for reason in restored.refused[:REASONS]:
        window.notify(reason, "bad")
    more = len(restored.refused) - REASONS
    if more > 0:
        window.notify(f"{more:,} more couldn’t be restored: their IDs are in use.", "bad")
