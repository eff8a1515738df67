"""Results of a run: the table with its filters, and jobs in progress above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from karenina_gui.gui.kit.elements import pane
from karenina_gui.gui.kit.routing import open_tab
from karenina_gui.gui.kit.verdicts import RUNNING
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.results.table import ResultsTable
from karenina_gui.gui.pages.runs.figures_view import FiguresView
from karenina_gui.gui.pages.runs.run_text import where
from karenina_gui.gui.pages.runs.views import open_run
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.active_jobs import ActiveJob
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

LOOK = 1.0
"""Seconds between refreshes of jobs in progress."""
LISTED = 5
"""Maximum number of rows; the longest-running jobs are shown."""


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs/{r}/results`; the query filters the table."""
    with pane("Results"):
        ResultsView(window, open_run(window, route), "results", ResultQuery.from_query(route.query)).draw()


class ResultsView(FiguresView):
    """Table that refreshes while the run is in progress."""

    _under_way = False
    """True if the table shows jobs in progress."""

    def _draw_body(self) -> None:
        self._table = ResultsTable(
            self._run,
            self._query,
            self._counted,
            self._window.services.library.results,
            self._window.preferences,
        )
        with pane("Table of results"):
            self._table.draw()
        self._window.register_command("questions.search", lambda: self._table.search.run_method("focus"))
        for command, opener in self._table.buttons.items():
            self._window.register_command(command, partial(opener.run_method, "click"))
        self._window.register_row_menu(
            "result",
            {
                "row.open": lambda number: ui.navigate.to(self._table.address(number)),
                "row.tab": lambda number: open_tab(self._table.address(number)),
            },
        )
        ui.timer(LOOK, self._show_under_way)

    def _show(self, moved: bool) -> None:
        self._show_under_way()  # a job must not appear both as in progress and as a result
        self._table.update(self._counted)
        if moved:
            self._table.grid.call("refresh", self._counted.last)

    def _show_under_way(self) -> None:
        """Show jobs in progress above the results and refresh their elapsed seconds."""
        runs = self._window.services.runs
        going = self._run.id in runs.active()
        jobs = runs.progress(self._run.id).under_way if going else ()
        rows = under_way_rows(jobs, runs.under_way.question_texts(self._run.id))
        if rows or self._under_way:
            self._table.grid.call("showJobs", rows)
        self._under_way = bool(rows)


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
