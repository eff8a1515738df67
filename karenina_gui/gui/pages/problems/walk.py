"""Way from one problem of the window's benchmark to the next, with F8."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from nicegui import background_tasks, ui

from karenina_gui.authoring.problem_index import BenchmarkProblem, ProblemReport
from karenina_gui.errors import NotFoundError
from karenina_gui.events import Signal
from karenina_gui.gui.pages.problems.rows import ProblemFilter, owner_text, problem_text
from karenina_gui.gui.session.unsaved_edits import Edits, edits_here
from karenina_gui.gui.session.window import Window

WAIT = 2.0
"""Seconds to wait for problems that are still being looked for."""
Order = tuple[int, int, str, str]


class ProblemWalk:
    """Visits problems in the order of the questions, among those that the panel's filter shows."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._edits = edits_here() or Edits()
        self._last: tuple[int | None, Order] | None = None
        """Question and order of the last visited problem. It may be solved by now, and still says where to go on."""
        self.announced: Signal[[str]] = Signal()
        """Emitted with a sentence about the visited problem."""
        self.visited: Signal[[BenchmarkProblem]] = Signal()
        window.register_command("problems.next", lambda: self._begin(1))
        window.register_command("problems.previous", lambda: self._begin(-1))

    def visit(self, problem: BenchmarkProblem, chosen: Sequence[BenchmarkProblem], turn: str = "") -> None:
        """Open the place of a problem, and say which one it is."""
        self._last = problem.number, problem.order
        position = next((at for at, other in enumerate(chosen, start=1) if other.order >= problem.order), 1)
        owner = f" ({owner_text(problem)})" if problem.number is None else f" (question {problem.position:,})"
        self.announced.emit(f"{turn}{position:,} of {len(chosen):,}: {problem_text(problem)}{owner}")
        self.visited.emit(problem)
        item = problem.item
        # An open question is not drawn again: that would take a moment, and the place of its scroll bars.
        if not self._window.show_place(problem.number, item.tab, item.anchor):
            ui.navigate.to(self._address(problem))

    def _begin(self, step: int) -> None:
        background_tasks.create(self.go(step), name="go to a problem", context=ui.context.client)

    async def go(self, step: int) -> None:
        """Open the next problem (1) or the previous one (-1)."""
        benchmark_id = self._window.benchmark_id
        if benchmark_id is None:
            self._window.notify("Open a benchmark first.")
            return
        report = await self._current_report(benchmark_id)
        chosen = ProblemFilter.of(self._window.preferences).choose(report.problems)
        if not chosen:
            hidden = len(report.problems)
            others = f" {hidden:,} more in the Problems panel." if hidden else ""
            self.announced.emit(f"No problems of this kind.{others}" if hidden else "No problems.")
            return
        problem, turn = neighbor(chosen, self._here(chosen), step)
        self.visit(problem, chosen, turn)

    async def _current_report(self, benchmark_id: int) -> ProblemReport:
        """Return the problems once the last keystroke is saved and checked, or what is known of a large benchmark."""
        index, clock = self._window.services.problems, asyncio.get_running_loop().time
        given_up = clock() + WAIT
        while (self._edits.pending or not index.report(benchmark_id).complete) and clock() < given_up:
            await asyncio.sleep(0.05)
        return index.report(benchmark_id)

    def _here(self, chosen: Sequence[BenchmarkProblem]) -> Order:
        """Order of the last visited problem, or of the beginning of the open question."""
        record = self._window.shown_record
        if self._last is not None and record in (None, (self._last[0],)):
            return self._last[1]
        number = record[0] if record else None
        position = next((problem.position for problem in chosen if problem.number == number), None)
        if position is None and number is not None:
            position = self._place_of(number)
        return position or 0, -1, "", ""

    def _place_of(self, number: int) -> int:
        """Place of a question that has no problem itself."""
        try:
            return self._window.services.library.questions.position_of(self._window.benchmark_id or 0, number)
        except NotFoundError:
            return 0  # deleted meanwhile

    def _address(self, problem: BenchmarkProblem) -> str:
        item, start = problem.item, f"/benchmarks/{self._window.benchmark_id}"
        if problem.number is None:
            return f"{start}/rubric?{urlencode({'at': item.anchor})}"
        query = {"tab": item.tab, "at": item.anchor} if item.anchor else {"tab": item.tab}
        return f"{start}/questions/{problem.number}?{urlencode(query)}"


def neighbor(problems: Sequence[BenchmarkProblem], here: Order, step: int) -> tuple[BenchmarkProblem, str]:
    """The problem after (1) or before (-1) a place in their order, and words about a turn at the end of the list."""
    passed: Callable[[Order], bool] = (lambda order: order > here) if step > 0 else (lambda order: order < here)
    match = next((problem for problem in problems[::step] if passed(problem.order)), None)
    if match is not None:
        return match, ""
    return problems[::step][0], "From the top again: " if step > 0 else "From the end again: "
