"""Problems in the status bar: their number, and the sentence about the visited one."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.problems.rows import ProblemFilter
from karenina_gui.gui.problems.walk import ProblemWalk
from karenina_gui.gui.session.window import Window
from karenina_gui.text import quantity


class ProblemStatus:
    def __init__(self, window: Window, walk: ProblemWalk) -> None:
        self._window = window
        self.count = ui.button("Problems", color=None, on_click=self._toggle).props("flat dense no-caps")
        self.count.classes("status-item status-problems")
        self.message = ui.label().classes("status-item status-problem").props('role="status"')
        walk.announced.subscribe(self._say)
        window.listen(window.services.problems_changed, self._on_change)
        window.listen(window.benchmark_switched, self._forget)
        window.listen(window.problem_filter_changed, self.show)
        self.show()

    def show(self) -> None:
        benchmark_id = self._window.benchmark_id
        report = None if benchmark_id is None else self._window.services.problems.peek(benchmark_id)
        self.count.set_visibility(benchmark_id is not None)
        if report is None or not report.total:
            self.count.text = "Problems"
            return
        count = len(ProblemFilter.of(self._window.preferences).choose(report.problems))
        self.count.text = quantity(count, "problem") if count else "No errors or warnings"

    def _toggle(self) -> None:
        if (action := self._window.command_action("view.problems")) is not None:
            action()

    def _say(self, text: str) -> None:
        # Emptied first, so that a screen reader says the same sentence again.
        self.message.text = ""
        self.message.text = text

    def _forget(self) -> None:
        self.message.text = ""
        self.show()

    def _on_change(self, benchmark_id: int) -> None:
        if benchmark_id == self._window.benchmark_id:
            self.show()
