"""Recorded answers of a model, matched to the questions of the open benchmark."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui

from karenina_gui.gui.components.elements import button, field
from karenina_gui.gui.models.answer_import import AnswerImport
from karenina_gui.gui.session.window import Window
from karenina_gui.text import quantity

Answers = dict[str, Any]


class RecordedAnswersField(ui.element):
    """Import of recorded answers.

    `keep` is called with {question id: answers}. `names`: names under which a file may have the model's answers.
    """

    def __init__(
        self,
        window: Window,
        answers: Answers | None,
        keep: Callable[[Answers], Awaitable[None]],
        names: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__("div")
        self._window, self._keep = window, keep
        benchmark = window.benchmark()
        with (
            self.classes("full-width"),
            field("Recorded answers", "existing answers from a spreadsheet, CSV, JSON, or exported results"),
        ):
            self._count = ui.label().classes("hint")
            self.show(answers)
            self._import = AnswerImport(window, self._use_answers, names)
            title = f"Import answers for “{benchmark.name}”…" if benchmark else "Open a benchmark first"
            button(title, self._import.show, icon="upload_file").set_enabled(benchmark is not None)

    def show(self, answers: Answers | None) -> None:
        """Show the number of answers."""
        count = len(answers or {})
        self._count.text = f"Recorded answers to {quantity(count, 'question')}." if count else "No answers yet."

    async def _use_answers(self, answers: Answers, message: str) -> None:
        await self._keep(answers)
        self._window.notify(message, "good")
