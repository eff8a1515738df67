"""Charts of a run, below the head that all its views share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karenina_gui.gui.charts.chart_view import read_ahead
from karenina_gui.gui.charts.page import ChartsPage
from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.kit.elements import pane
from karenina_gui.gui.pages.runs.progress import RunProgress
from karenina_gui.gui.pages.runs.views import RunViews, open_run
from karenina_gui.gui.session.window import Window

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs/{r}/charts`; the query selects chart and filters."""
    summary = open_run(window, route)
    read_ahead()
    query = ChartQuery.from_query(route.query)
    views = RunViews(window, summary.id, "charts", query.as_results())
    with pane("Charts", classes="run-without-rest"):
        RunProgress(window, summary, views).draw()
        ChartsPage(window, summary, query, lambda moved: views.follow(moved.as_results())).draw()
