"""Dialogs that the question list opens: import, drafts, duplicates, and deleted questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.gui.drafts.draft_dialog import DraftDialog
from karenina_gui.gui.questions.deleted_questions import DeletedQuestions
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark_summaries import QuestionFilter

if TYPE_CHECKING:
    from karenina_gui.gui.questions.duplicate_review import OpenList
    from karenina_gui.gui.questions.question_import import QuestionImport


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
            from karenina_gui.gui.questions.question_import import QuestionImport

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
            from karenina_gui.gui.questions.draft_review import DraftReview

            with self._container:
                DraftReview(self._window, self._benchmark_id, self._show)

    def find_duplicates(self, questions: OpenList) -> None:
        """Go through questions that repeat each other; `questions`: their list."""
        if self.has_benchmark():
            from karenina_gui.gui.questions.duplicate_review import DuplicateReview

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
