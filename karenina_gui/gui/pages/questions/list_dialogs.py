"""Dialogs that the question list opens: import, drafts, duplicates, and deleted questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from nicegui import background_tasks, ui

from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.deleted_records import DeletedDialog, deleted_line
from karenina_gui.gui.kit.elements import button
from karenina_gui.gui.pages.drafts.draft_dialog import DraftDialog
from karenina_gui.gui.pages.questions.rows import UNTITLED
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.pages.questions.duplicate_review import OpenList
    from karenina_gui.gui.pages.questions.question_import import QuestionImport
    from karenina_gui.schemas.benchmark_summaries import DeletedQuestion, RestoredQuestions

MOST_QUESTIONS = 20
"""Maximum number of questions listed for one deletion. Restore all also restores the rest."""
DELETIONS = 50
"""Maximum number of deletions shown, newest first."""

REASONS = 2
"""Maximum number of messages about questions that could not be restored."""


class ListDialogs:
    """Dialogs of one list. Those that load slowly are imported when they open, because most visits do not use them."""

    def __init__(
        self, window: Window, benchmark_id: int, container: ui.element, show: Callable[[int | None], None]
    ) -> None:
        """`container`: element that the dialogs belong to; `show` opens a question."""
        self._window, self._benchmark_id = window, benchmark_id
        self._container, self._show = container, show
        self._importer: QuestionImport | None = None
        self._deleted = DeletedQuestions(window, benchmark_id)

    def import_questions(self) -> None:
        if not self.has_benchmark():
            return
        if self._importer is None:
            from karenina_gui.gui.pages.questions.question_import import QuestionImport

            with self._container:
                self._importer = QuestionImport(self._window, self._benchmark_id)
        self._importer.show()

    def draft_templates(self, numbers: Sequence[int] | None = None) -> None:
        """Let a model draft the templates of these questions; None: of all that have none."""
        if not self.has_benchmark():
            return
        if numbers is None:
            without = QuestionFilter(has_template=False)
            rows = self._window.services.library.questions.summaries(self._benchmark_id, without)
            numbers = [row.number for row in rows if row.text.strip()]
        if not numbers:
            self._window.notify("Every question has a template. Select questions to draft others.")
            return
        with self._container:
            DraftDialog(self._window, "template", self._benchmark_id, list(numbers))

    def review_drafts(self) -> None:
        """Go through the drafted templates."""
        if self.has_benchmark():
            from karenina_gui.gui.pages.questions.draft_review import DraftReview

            with self._container:
                DraftReview(self._window, self._benchmark_id, self._show)

    def find_duplicates(self, questions: OpenList) -> None:
        """Go through questions that repeat each other; `questions`: their list."""
        if self.has_benchmark():
            from karenina_gui.gui.pages.questions.duplicate_review import DuplicateReview

            with self._container:
                DuplicateReview(self._window, self._benchmark_id, questions)

    def restore_questions(self) -> None:
        if self.has_benchmark():
            self._deleted.show()

    def has_benchmark(self) -> bool:
        """Return True if the benchmark exists; otherwise tell the user to restore it first."""
        gone = self._window.services.library.benchmarks.get_deleted(self._benchmark_id)
        if gone:
            self._window.notify("The benchmark was deleted. Restore it first.", "bad")
        return gone is None


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
