"""Choice of questions on the Run page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import run, ui

from karenina_gui.gui.components.elements import field
from karenina_gui.gui.components.grid import Grid
from karenina_gui.gui.run_setup.draft import SCOPES, RunDraft
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.benchmark_summaries import QuestionFilter


class QuestionChoice:
    """Choice of questions; `changed` receives a field of `RunDraft` and its new value."""

    def __init__(self, window: Window, benchmark_id: int, choice: RunDraft, changed: Callable[[str, Any], Any]) -> None:
        self._questions = window.services.library.questions
        self._benchmark_id = benchmark_id
        self._choice = choice
        self._changed = changed

    def draw(self) -> None:
        with field("Questions"):
            ui.radio(dict(SCOPES), value=self._choice.scope, on_change=lambda e: self._scope(e.value)).props(
                'dense aria-label="Question selection"'
            ).classes("run-form-radio")
            keywords = {name: f"{name} ({count})" for name, count in self._questions.keywords(self._benchmark_id)}
            self._keywords = ui.select(
                keywords,
                multiple=True,
                value=[word for word in self._choice.keywords if word in keywords],
                on_change=lambda e: self._changed("keywords", list(e.value)),
            )
            self._keywords.props('outlined dense use-chips options-dense aria-label="Keywords"').classes(
                "input run-form-wide"
            )
            self._picker = Grid("run_tables", label="Questions to select", empty="No questions", key="number")
            self._picker.classes("run-form-picker")
            self._picker.attach(self._benchmark_id, self._selected_numbers(), function="pick")
            self._picker.on("chosen", lambda event: self._pick(event.args))
            self._skipped = ui.label("Unfinished questions are skipped.").classes("hint")
        self._show_scope()

    def _selected_numbers(self) -> list[int]:
        """Numbers of the selected questions."""
        picked = set(self._choice.picked)
        rows = self._questions.summaries(self._benchmark_id) if picked else []
        return [row.number for row in rows if row.id in picked]

    async def _pick(self, numbers: list[int]) -> None:
        wanted = QuestionFilter(numbers=tuple(numbers))
        rows = await run.io_bound(self._questions.summaries, self._benchmark_id, wanted)
        self._changed("picked", [row.id for row in rows or []])

    def _scope(self, scope: Any) -> None:
        self._changed("scope", scope)
        self._show_scope()

    def _show_scope(self) -> None:
        self._keywords.set_visibility(self._choice.scope == "keywords")
        for each in (self._picker, self._skipped):
            each.set_visibility(self._choice.scope == "picked")
