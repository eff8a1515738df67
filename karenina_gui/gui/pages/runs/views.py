"""Views of one run, each with its own address: links that keep filter, order, and chart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.kit.html import Html, icon, link, tag
from karenina_gui.gui.pages.benchmarks.deleted_page import RUN_COMES_BACK, absence_note
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.runs.resume_panel import find_interrupted
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.run_summaries import RunSummary

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

VIEWS = {
    "summary": ("Summary", "donut_small"),
    "results": ("Results", "table_rows"),
    "charts": ("Charts", "insights"),
    "record": ("Record", "fingerprint"),
}
"""Title and icon of each view by the last part of its address."""


def open_run(window: Window, route: PageRoute) -> RunSummary:
    """Enter the benchmark of the run at this address. Raises `NotFoundError`."""
    # The process of the run may have died without recording its end.
    find_interrupted(window)
    summary = window.services.library.runs.summary(route["r"])
    if not summary.benchmark_deleted:
        window.enter(summary.benchmark_id)
    absence_note(window, summary.benchmark_id, RUN_COMES_BACK)
    return summary


class RunViews:
    """Links to the views of a run; `here` is the open one."""

    def __init__(self, window: Window, run_id: int, here: str, query: ResultQuery) -> None:
        self._window = window
        self._run_id = run_id
        self.here = here
        self._query = query

    def draw(self) -> None:
        self._links = ui.html(self._nav()).classes("rigid")
        for name in VIEWS:
            # The browser may know a later query than the server.
            click = f'document.querySelector(".run-views [data-view={name}]")?.click()'
            self._window.register_command(f"go.{name}", partial(ui.run_javascript, click))

    def follow(self, query: ResultQuery) -> None:
        """Lead to this filter and chart from now on."""
        self._query = query
        self._links.set_content(self._nav())

    def _nav(self) -> Html:
        links = (self._link(name, *about) for name, about in VIEWS.items())
        return tag("nav", *links, class_="run-views line", aria_label="Views of the run")

    def _link(self, name: str, title: str, glyph: str) -> Html:
        here = name == self.here
        return link(
            view_address(self._run_id, name, self._query),
            icon(glyph),
            title,
            class_="run-view" + " run-view-on" * here,
            aria_current="page" if here else None,
            data_view=name,
        )


def view_address(run_id: int, name: str, query: ResultQuery) -> str:
    """Address of a view with the filter and the chart of `query`."""
    path = f"/runs/{run_id}/{name}"
    return f"{path}?{ChartQuery.from_results(query)}" if name == "charts" else query.after(path)
