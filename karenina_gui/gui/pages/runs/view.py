"""Page of a run: progress, pass rates, and results, all read from the library."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import run, ui

from karenina_gui.analysis.chart_process import ChartError
from karenina_gui.analysis.costs import cost
from karenina_gui.analysis.rates import OF_QUESTION, Summary, summarise
from karenina_gui.analysis.trait_figures import trait_figures
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.charts.source import ChartSource
from karenina_gui.gui.kit.elements import pane, splitter
from karenina_gui.gui.kit.figure_links import figure_heading
from karenina_gui.gui.kit.grid import FROM_SERVER, Grid
from karenina_gui.gui.kit.html import Html, tag
from karenina_gui.gui.kit.lazy_render import lazy_render
from karenina_gui.gui.kit.routing import open_tab
from karenina_gui.gui.kit.verdicts import RUNNING, looks
from karenina_gui.gui.pages.benchmarks.deleted_page import RUN_COMES_BACK, absence_note
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.results.table import ResultsTable
from karenina_gui.gui.pages.runs.overview import overview
from karenina_gui.gui.pages.runs.progress import RunProgress
from karenina_gui.gui.pages.runs.resume_panel import find_interrupted
from karenina_gui.gui.pages.runs.run_text import UNDER_WAY, where
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.active_jobs import ActiveJob
from karenina_gui.schemas.outcome import Outcome, unread_note
from karenina_gui.schemas.result import TraitScale, scale_of
from karenina_gui.schemas.result_summaries import ResultFilter
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

NOTHING_YET = "<span>No results yet.</span>"
COUNTING = '<p class="result-muted">Counting…</p>'
BEFORE = 0.3
"""Seconds until the figures are computed, so that the table loads first."""
READING = 2.0
"""Seconds until the statistics libraries are loaded for a possible visit to the charts."""
LOOK = 1.0
"""Seconds between refreshes of jobs in progress."""
PAUSE = 1.0
"""Minimum number of seconds between refreshes of the figures."""
SHARE = 10
"""Minimum interval of refreshes as a multiple of their duration, which leaves time for a large run itself."""
LISTED = 5
"""Maximum number of rows; the longest-running jobs are shown."""


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs/{r}`; the query filters the results table."""
    # The process of the run may have died without recording its end.
    find_interrupted(window)
    summary = window.services.library.runs.summary(route["r"])
    if not summary.benchmark_deleted:
        window.enter(summary.benchmark_id)
    absence_note(window, summary.benchmark_id, RUN_COMES_BACK)
    RunView(window, summary, ResultQuery.from_query(route.query)).draw()


class RunView:
    """Parts of the page, which refresh while the run is in progress."""

    def __init__(self, window: Window, summary: RunSummary, query: ResultQuery) -> None:
        self._window = window
        self._run = summary
        self._query = query
        self._next_refresh = 0.0
        self._matrix: Grid | None = None
        self._under_way = False
        """True if the table shows jobs in progress."""
        self._scales: dict[str, TraitScale] = {}
        """Trait scales found in results so far."""

    def draw(self) -> None:
        with pane("Run"):
            outcomes, last = self._tally()
            self._head = RunProgress(self._window, self._run, outcomes)
            self._head.draw()
            with splitter(self._window, "run", 44, limits=(12, 85), stacked=True) as halves:
                with halves.before, splitter(self._window, "run-figures", 38) as figures:
                    with figures.before, pane("Pass rates", classes="scroll overview") as scrolled:
                        scrolled.props('tabindex="0"')
                        self._figures = ui.html(COUNTING).classes("full-width")
                    with figures.after, pane("Questions by configuration and judge"):
                        ui.html(figure_heading("Questions by configuration and judge", OF_QUESTION)).classes(
                            "matrix-head"
                        )
                        lazy_render(self._draw_matrix)
                with halves.after, pane("Results"):
                    counted = Summary(outcomes=dict(outcomes), last=last)
                    self._table = ResultsTable(self._run, self._query, counted, self._question_text)
                    self._table.draw()
                    self._register_row_menu(self._table)
        ui.timer(BEFORE, self._show_figures, once=True)
        ui.timer(READING, lambda: run.io_bound(self._window.services.worker.warm_up), once=True)
        ui.timer(LOOK, self._show_under_way)
        self._window.listen(self._window.services.run_changed, self._on_progress)
        self._window.listen(self._window.services.prices_changed, lambda _model: self._show_figures())

    def _register_row_menu(self, table: ResultsTable) -> None:
        self._window.register_row_menu(
            "result",
            {
                "row.open": lambda number: ui.navigate.to(table.address(number)),
                "row.tab": lambda number: open_tab(table.address(number)),
            },
        )

    def _tally(self) -> tuple[Mapping[Outcome, int], int | None]:
        """Return counts until the figures are computed; ended runs have them stored."""
        if self._run.status not in UNDER_WAY:
            return self._run.outcomes, None
        return self._window.services.library.results.tally(self._run.id)

    def _draw_matrix(self) -> None:
        label = "Questions by configuration and judge"
        self._matrix = matrix = Grid("run_tables", label=label, empty=NOTHING_YET, loading=False, **FROM_SERVER)
        matrix.attach(self._run.id, looks(), function="matrix")
        matrix.classes("result-grid wide fills").on("narrow", lambda e: self._set_filter(e.args))

    def _set_filter(self, parameters: dict[str, str]) -> None:
        query = ResultQuery.from_query(parameters).filter
        self._table.set_filter(
            answering=query.answering, judge=query.judge, condition=query.condition, question_id=query.question_id
        )

    async def _on_progress(self, run_id: int) -> None:
        if run_id != self._run.id:
            return
        try:
            ended = self._window.services.runs.progress(run_id).ended
        except NotFoundError:
            return  # deleted: the head of the page says so
        started = time.monotonic()
        if not ended and started < self._next_refresh:
            return
        self._next_refresh = started + PAUSE
        await self._show_figures(moved=True)
        self._next_refresh = max(self._next_refresh, started + SHARE * (time.monotonic() - started))

    async def _show_figures(self, *, moved: bool = False) -> None:
        """Compute the figures in a thread, which is slow for large runs, and show them."""
        # Head, figures, and tables must agree: all show the moment of this count, even if there are newer results.
        try:
            counted = await run.io_bound(self._compute_figures)
        except InputError as error:
            self._figures.set_content(tag("p", str(error)))
            return
        if counted is not None and not self._figures.is_deleted:
            summary, figures, unread = counted
            self._show_under_way()  # a job must not appear both as in progress and as a result
            self._figures.set_content(figures)
            self._head.show(summary.outcomes, unread)
            moved = moved or self._table.summary.last not in (None, summary.last)
            self._table.update(summary)
            if moved:
                for grid in (self._table.grid, self._matrix):
                    if grid is not None:
                        grid.call("refresh", summary.last)

    def _show_under_way(self) -> None:
        """Show jobs in progress above the results and refresh their elapsed seconds."""
        runs = self._window.services.runs
        going = self._run.id in runs.active()
        jobs = runs.progress(self._run.id).under_way if going else ()
        rows = under_way_rows(jobs, runs.under_way.question_texts(self._run.id))
        if rows or self._under_way:
            self._table.grid.call("showJobs", rows)
        self._under_way = bool(rows)

    def _question_text(self, question_id: str) -> str:
        of_it = ResultFilter(question_id=question_id)
        rows = self._window.services.library.results.page(self._run.id, of_it, limit=1).rows
        return rows[0].question_text if rows else question_id

    def _compute_figures(self) -> tuple[Summary, Html, str]:
        results, run_id = self._window.services.library.results, self._run.id
        counts = ChartSource(self._window.services, run_id).counts()
        if isinstance(counts, ChartError):
            raise InputError(counts.message)
        summary = summarise(counts)
        self._scales |= results.scales(run_id, [name for name in summary.traits if not scale_of(name, self._scales)])
        spent = cost(results.spending(run_id), self._window.services.runs.prices.all())
        total, failed = (
            sum(summary.outcomes.values()),
            summary.outcomes.get("wrong", 0) + summary.outcomes.get("autofail", 0),
        )
        # All documents of the run are read, which is slow, so only if most failed.
        unread = unread_note(results.unread(run_id), total) if failed * 2 > total else ""
        return summary, overview(summary, trait_figures(counts, self._scales), spent), unread


def under_way_rows(jobs: Sequence[ActiveJob], texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Rows of jobs in progress, oldest first; `texts`: question texts by id."""
    rows = [_row(job, texts.get(job.job.question_id, job.job.question_id)) for job in jobs[:LISTED]]
    more = len(jobs) - LISTED
    if more > 0:
        rows.append(_plain("and more", f"and {quantity(more, 'more job')} in progress"))
    return rows


def _row(active: ActiveJob, text: str) -> dict[str, Any]:
    job = active.job
    return {
        **_plain(job.key, text),
        "look": "going",
        "verdict": RUNNING.title,
        "why": where(active.stage, active.turn),
        "answering": job.answering,
        "condition": job.condition,
        "judge": job.judge,
        "replicate": job.replicate,
        "judge_replicate": job.judge_replicate,
        "seconds": active.seconds,
    }


def _plain(key: str, text: str) -> dict[str, Any]:
    # The ids must differ from those of results, which are numbers.
    return {"id": f"under way {key}", "question_text": text, "keywords": [], "look": "going", "verdict": ""}
