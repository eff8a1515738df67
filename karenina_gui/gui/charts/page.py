"""Charts page: list of charts, and the selected one as sentence, figure and table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from nicegui import background_tasks, run, ui

from karenina_gui.analysis.chart_process import ChartError
from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.run_data import ChartResult
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.charts.chart_view import ChartView
from karenina_gui.gui.charts.charts import CHARTS, ChartKind
from karenina_gui.gui.charts.filters import ChartFilters
from karenina_gui.gui.charts.head import coverage, picture
from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.charts.source import ChartSource
from karenina_gui.gui.charts.table_file import csv_name, table_view
from karenina_gui.gui.charts.theme import DARK, LIGHT
from karenina_gui.gui.kit.clipboard import copy_text
from karenina_gui.gui.kit.download import download_file
from karenina_gui.gui.kit.elements import (
    button,
    empty_state,
    icon_button,
    menu_button,
    menu_item,
    note,
    scrolling,
)
from karenina_gui.gui.kit.html import icon, join_html, tag
from karenina_gui.gui.kit.routing import navigate_if_present, readdress
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.run_summaries import RunSummary

PAUSE = 3.0
"""Minimum seconds between refreshes while the run is active."""


class ChartsPage:
    """Charts page. The URL holds the whole selection: controls change it, and the page follows it."""

    def __init__(
        self, window: Window, summary: RunSummary, query: ChartQuery, on_query: Callable[[ChartQuery], object]
    ) -> None:
        """`on_query` receives each other selection."""
        self._window = window
        self._run = summary
        self._source = ChartSource(window.services, summary.id)
        self._query = query
        self._on_query = on_query
        self._dark = window.preferences.theme == "dark"
        self._result: ChartResult | None = None
        self._answered = query
        """Query that `_result` answers; `_query` may have changed since."""
        self._computing = False
        self._is_outdated = False
        self._next_refresh = 0.0

    def draw(self) -> None:
        with ui.element("div").classes("chart"):
            with ui.element("nav").classes("chart-list scroll").props('aria-label="Charts" tabindex="0"'):
                self._links = self._draw_list()
            with ui.element("section").classes("chart-main stack grow").props('aria-label="Chart"'):
                self._filters = ChartFilters(self._ask, self._show_all, self._window.notify)
                with (
                    scrolling("Chart and summary"),
                    ui.element("div").classes("chart-body stack gap-10") as self._content,
                ):
                    self._draw_head()
                    self._body = ui.element("div").classes("chart-place stack wide")
                    self._draw_figure()
                    self._footer = ui.html("").classes("full-width")
        self._show_list()
        self._wait()
        self._window.listen(self._window.address_changed, self._on_address)
        self._window.listen(self._window.services.run_changed, self._on_progress)
        self._window.listen(self._window.services.prices_changed, lambda _model: self._compute())

    # ---- what stands on the page

    def _draw_list(self) -> dict[ChartKind, ui.element]:
        links = {}
        with ui.element("ul").classes("chart-kinds full-width bare-list grid gap-2"):
            for chart in CHARTS:
                with ui.element("li"), ui.element("a") as links[chart]:
                    ui.html(join_html([icon(chart.icon), tag("span", chart.title)])).classes("chart-kind")
        return links

    def _draw_head(self) -> None:
        with ui.element("div").classes("chart-top"):
            with ui.element("div"):
                self._title = ui.label().classes("chart-title").props('role="heading" aria-level="2"')
                self._question = ui.label().classes("chart-question")
            with ui.element("div").classes("line rigid gap-8"):
                self._switch = ui.toggle({False: "Figure", True: "Table"}, value=self._query.table)
                self._switch.props('dense no-caps unelevated aria-label="View"').classes("view-switch")
                self._switch.on_value_change(lambda event: self._select_view(bool(event.value)))
                with menu_button("download", "Export chart") as self._export:
                    menu_item("Picture (PNG)", lambda: self._save("png"))
                    menu_item("Vector graphic (SVG)", lambda: self._save("svg"))
                    menu_item("Table (CSV)", self._save_table)
        with ui.element("div").classes("chart-said").props('role="status"') as self._summary:
            self._sentence = ui.label().classes("chart-sentence")
            icon_button("content_copy", "Copy summary", self._copy)

    def _draw_figure(self) -> None:
        with self._body:
            self._view = ChartView(on_themed=self._on_theme, on_chosen=self._open)
            self._table = ui.html("").classes("full-width chart-table")
            self._nothing = ui.element("div").classes("full-width").props('role="status"')

    def _show_list(self) -> None:
        """Refresh the list of charts."""
        # The links are updated in place: a link that is replaced while it is pressed loses the click.
        here = self._query
        for chart, entry in self._links.items():
            entry.props["href"] = f"/runs/{self._run.id}/charts?{replace(here, chart=chart)}"
            if chart is here.chart:
                entry.classes(add="chart-on").props("aria-current=page")
            else:
                entry.classes(remove="chart-on").props(remove="aria-current")
        self._title.text = here.chart.title
        self._question.text = here.chart.question
        self._switch.value = here.table

    # ---- what is chosen

    def _change(self, query: ChartQuery) -> None:
        """Apply a change from a control of this page."""
        if query == self._query:
            return
        readdress(f"/runs/{self._run.id}/charts?{query}", step=True)
        self._go(query)

    def _ask(self, **changes: Any) -> None:
        """Apply changes from the filters to the current chart."""
        self._change(self._query.with_changes(**changes))

    def _show_all(self) -> None:
        self._change(self._query.without_filters())

    def _on_address(self, address: str) -> None:
        """Apply a change of the URL: a link of the list, Back or Forward."""
        parts = urlsplit(address)
        if parts.path == f"/runs/{self._run.id}/charts":
            self._go(ChartQuery.from_query(dict(parse_qsl(parts.query))))

    def _go(self, query: ChartQuery) -> None:
        before, self._query = self._query, query
        self._on_query(query)
        self._show_list()
        if (query.chart, query.request) == (before.chart, before.request):
            self._show()
        else:
            self._compute()

    def _select_view(self, table: bool) -> None:
        self._change(replace(self._query, table=table))

    def _on_theme(self, dark: bool) -> None:
        self._dark = dark
        self._show()

    # ---- what is found

    def _wait(self) -> None:
        self._sentence.text = "Computing…"
        self._compute()

    def _compute(self) -> None:
        """Compute the current query."""
        # Only one computation runs at a time, and then that of the latest query: answers in between would be discarded.
        self._is_outdated = True
        self._content.classes(add="chart-busy").props('aria-busy="true"')
        if not self._computing:
            self._computing = True
            background_tasks.create(self._compute_latest(), name="chart", context=self._body)

    async def _compute_latest(self) -> None:
        answer, query = None, self._query
        try:
            while self._is_outdated:
                self._is_outdated, query = False, self._query
                answer = await run.io_bound(self._source.ask, query)
        except NotFoundError:
            self._window.notify(f"Run “{self._run.title}” was deleted.")
            navigate_if_present(self._content, "/runs")
            return
        finally:
            self._computing = False
        # The user may have left the page while it was computed.
        if answer is None or self._body.is_deleted:
            return
        self._content.classes(remove="chart-busy").props('aria-busy="false"')
        if isinstance(answer, ChartError):
            self._show_error(answer)
        else:
            self._result, self._answered = answer, query
            self._filters.show(query, answer)
            self._show()

    def _on_progress(self, run_id: int) -> None:
        if run_id != self._run.id:
            return
        now = time.monotonic()
        try:
            ended = self._window.services.runs.progress(run_id).ended
        except NotFoundError:
            return
        # Results can arrive many times a second, and a chart can take longer to compute.
        if ended or now >= self._next_refresh:
            self._next_refresh = now + PAUSE
            self._compute()

    def _show(self) -> None:
        """Show the last answer in the selected view."""
        if self._result is None:
            return
        finding, chart = self._result.finding, self._answered.chart
        table, fills = self._query.table and bool(finding.table.rows), False
        empty = not table and finding.marks is None
        # Without a chart, the reason in its place says what the sentence would.
        self._summary.set_visibility(not empty)
        self._sentence.text = finding.sentence
        self._view.set_visibility(not table and not empty)
        self._table.set_visibility(table)
        self._nothing.set_visibility(empty)
        self._export.set_enabled(finding.marks is not None)
        self._footer.set_content(coverage(finding, chart))
        if table:
            self._table.set_content(table_view(self._answered, self._run.id, finding))
        elif not empty:
            theme = DARK if self._dark else LIGHT
            label = f"{chart.title}. {finding.sentence} Press Table for the same data as a table."
            figure = chart.figure(finding, theme)
            fills = "height" not in figure["layout"]
            self._view.show(figure, dark=self._dark, label=label)
        else:
            self._nothing.clear()
            with self._nothing, empty_state("insights", "No chart", finding.empty_reason):
                if self._answered.filtered:
                    button("Clear filters", self._show_all)
        self._body.classes(add="chart-fill") if fills else self._body.classes(remove="chart-fill")

    def _show_error(self, trouble: ChartError) -> None:
        self._result = None
        for part in (self._summary, self._view, self._table):
            part.set_visibility(False)
        self._footer.set_content("")
        self._nothing.set_visibility(True)
        self._nothing.clear()
        with self._nothing:
            note(trouble.message, "bad")
            button("Try again", self._compute, icon="replay")

    # ---- where it leads, and what is taken away

    def _open(self, row: int) -> None:
        links = self._result.finding.links if self._result else ()
        if 0 <= row < len(links):
            ui.navigate.to(f"/runs/{self._run.id}/results?{self._answered.results(links[row])}")

    def _copy(self) -> None:
        copy_text(self._sentence.text, "Copied to clipboard.")

    def _save(self, form: Literal["png", "svg"]) -> None:
        finding: Finding | None = self._result.finding if self._result else None
        if finding is not None and finding.marks is not None:
            drawn = picture(self._answered.chart, finding, self._run.name)
            self._view.save(drawn, form, csv_name(self._run.name, self._answered, finding, form))

    def _save_table(self) -> None:
        download_file(f"/api/runs/{self._run.id}/charts.csv?{self._query}")
