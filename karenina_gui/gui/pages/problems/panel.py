"""Problems panel below the page: every problem of the window's benchmark, with a filter and the way to each."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from karenina_gui.authoring.problem_index import BenchmarkProblem
from karenina_gui.gui.kit.elements import icon_button, toolbar
from karenina_gui.gui.kit.grid import FIXED_COLUMNS, MARKED_ROW, PLACE, Grid
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.problems.rows import LEVEL_TITLES, PART_TITLES, ProblemFilter, counts_text, problem_text
from karenina_gui.gui.pages.problems.walk import ProblemWalk
from karenina_gui.gui.session.window import Window

LEAST, MOST = 15, 60
"""Limits of the height, in percent of the window."""


class ProblemPanel:
    """Panel that remembers if it is open, its height, and its filter. Its content is drawn when it first opens."""

    def __init__(self, window: Window, walk: ProblemWalk) -> None:
        self._window, self._walk = window, walk
        self.grid: Grid | None = None
        self._height = min(max(window.preferences.split_size("problems", 30), LEAST), MOST)
        # Part of the page: made only when a menu opens the panel, it would be part of that menu and go with it.
        self._body = ui.query("body")
        self.element = ui.element("section").classes("pane problems").props('aria-label="Problems"')
        window.register_command("view.problems", self.toggle)
        window.listen(window.services.problems_changed, self._on_change)
        window.listen(window.benchmark_switched, lambda: self._show(window.preferences.problems_open))
        walk.visited.subscribe(self._mark)
        self._show(window.preferences.problems_open)

    def toggle(self) -> None:
        """Open the panel with the focus in its list, or close it."""
        if self._window.benchmark_id is None:
            self._window.notify("Open a benchmark to see its problems.")
            return
        opens = not self.element.visible
        self._window.preferences.problems_open = opens
        self._show(opens)
        if opens:
            self._in_list("focus")
        else:
            ui.run_javascript("document.getElementById('page')?.focus()")

    def _show(self, visible: bool) -> None:
        is_open = visible and self._window.benchmark_id is not None  # without a benchmark there is nothing to list
        self.element.set_visibility(is_open)
        # Most windows never open it, and a grid takes a moment to draw.
        if is_open and self.grid is None:
            with self.element:
                self._draw()
        # Not before it is first opened, since all styles of the page are computed again.
        if self.grid is not None:
            self._set_height(self._height if is_open else 0)
        if is_open:
            self._load()

    def _set_height(self, percent: float) -> None:
        # On the body, because the page above it shrinks by the same height.
        self._body.style(f"--problems: {percent:g}vh")

    def _draw(self) -> None:
        chosen = ProblemFilter.of(self._window.preferences)
        handle = ui.element("div").classes("problems-handle").props('role="separator" tabindex="0"')
        handle.props('aria-label="Height of the Problems panel" aria-orientation="horizontal"')
        handle.props(f'aria-valuemin="{LEAST}" aria-valuemax="{MOST}" aria-valuenow="{self._height:.0f}"')
        self._handle = handle
        with toolbar("Problems"):
            ui.label("Problems").classes("h2").props('role="heading" aria-level="2"')
            self.counts = ui.label().classes("hint").props('role="status"')
            ui.space()
            self.level = self._select({**LEVEL_TITLES}, chosen.level, "Severity filter")
            self.part = self._select({"": "All parts", **PART_TITLES}, chosen.part, "Part filter")
            icon_button("arrow_upward", "Previous problem (Shift+F8)", lambda: self._walk.go(-1))
            icon_button("arrow_downward", "Next problem (F8)", lambda: self._walk.go(1))
            icon_button("close", "Close Problems panel", self.toggle)
        self.grid = _grid()
        self.grid.on("height", lambda event: self._keep_height(float(event.args)))
        self.grid.on("open", lambda event: self._open(event.args))
        self.grid.attach(handle.id)

    def _select(self, options: dict[Any, str], value: str, label: str) -> ui.select:
        made = ui.select(options, value=value, on_change=self._filter)
        return made.props(f"outlined dense options-dense {aria_label(label)}").classes("input select problems-select")

    def _filter(self) -> None:
        self._window.preferences.problem_filter = (str(self.level.value), str(self.part.value))
        self._window.problem_filter_changed.emit()
        self._load()

    def _keep_height(self, percent: float) -> None:
        self._height = round(min(max(percent, LEAST), MOST), 1)
        self._handle.props(f'aria-valuenow="{self._height:.0f}"')
        self._window.preferences.save_split_size("problems", self._height)
        self._set_height(self._height)

    def _open(self, row: dict[str, Any]) -> None:
        """Open the problem of a row."""
        if (benchmark_id := self._window.benchmark_id) is None:
            return
        report = self._window.services.problems.report(benchmark_id)
        chosen = ProblemFilter.of(self._window.preferences).choose(report.problems)
        target = (row.get("number"), row.get("tab"), row.get("at"))
        for problem in chosen:
            # Two problems of one place lead there both.
            if (problem.number, problem.item.tab, problem.item.anchor) == target:
                self._walk.visit(problem, chosen)
                return

    def _mark(self, problem: BenchmarkProblem) -> None:
        item = problem.item
        visited = {"number": problem.number, "tab": item.tab, "at": item.anchor, "text": problem_text(problem)}
        self._in_list("mark", visited)

    def _on_change(self, benchmark_id: int) -> None:
        if benchmark_id == self._window.benchmark_id:
            self._load()

    def _load(self) -> None:
        """Let the browser fetch the rows."""
        benchmark_id = self._window.benchmark_id
        if self.grid is None or not self.element.visible or benchmark_id is None:
            return
        self.counts.text = counts_text(self._window.services.problems.report(benchmark_id))
        chosen = ProblemFilter.of(self._window.preferences)
        self._in_list("load", f"/api/benchmarks/{benchmark_id}/problems?shown={chosen.level}&part={chosen.part}")

    def _in_list(self, method: str, *arguments: Any) -> None:
        if self.grid is not None:
            self.grid.call(method, *arguments)


def _grid() -> Grid:
    columns = [
        {"field": "severity", "headerName": "Severity", "width": 96, ":cellRenderer": "p => kareninaProblems.cell(p)"},
        PLACE | {"width": 56},
        {"field": "text", "headerName": "Problem", "flex": 3, "minWidth": 180, "tooltipField": "text"},
        {"field": "part", "headerName": "Part", "width": 118},
        {"field": "owner", "headerName": "Question", "flex": 2, "minWidth": 120, "tooltipField": "owner"},
    ]
    grid = Grid(
        "problems",
        label="List of problems",
        empty='<span class="hint">No problems of this kind.</span>',
        columnDefs=columns,
        **FIXED_COLUMNS,
        **MARKED_ROW,
        enableBrowserTooltips=True,
        rowHeight=28,
        headerHeight=28,
    )
    return grid.classes("problems-grid wide fills")
