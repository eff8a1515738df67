"""Summary of a run: outcomes, rates with intervals, a sentence to quote, and questions by configuration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from nicegui import background_tasks, run, ui

from karenina_gui.analysis.chart_process import ChartError
from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.costs import Cost, cost
from karenina_gui.analysis.rates import OF_QUESTION
from karenina_gui.analysis.trait_figures import TraitFigures, trait_figures
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.charts.source import ChartSource
from karenina_gui.gui.kit.clipboard import copy_text
from karenina_gui.gui.kit.download import download_file
from karenina_gui.gui.kit.elements import icon_button, pane, splitter
from karenina_gui.gui.kit.figure_links import figure_heading
from karenina_gui.gui.kit.grid import FROM_SERVER, Grid
from karenina_gui.gui.kit.html import join_html, tag
from karenina_gui.gui.kit.lazy_render import lazy_render
from karenina_gui.gui.kit.verdicts import looks
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.results.table import export_menu
from karenina_gui.gui.pages.runs.figures_view import NOTHING_YET, FiguresView
from karenina_gui.gui.pages.runs.overview import intervals, overview
from karenina_gui.gui.pages.runs.progress import facts
from karenina_gui.gui.pages.runs.run_text import UNDER_WAY
from karenina_gui.gui.pages.runs.views import open_run
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.result import TraitScale, scale_of
from karenina_gui.schemas.run_counts import RunCounts

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

COPIED = "Copied to clipboard."
COUNTING = '<p class="result-muted">Counting…</p>'
BY_QUESTION = "Questions by configuration and judge"


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs/{r}/summary`; the query is kept for the other views."""
    with pane("Run"):
        SummaryView(window, open_run(window, route), "summary", ResultQuery.from_query(route.query)).draw()


class SummaryView(FiguresView):
    """Figures of the run beside its questions."""

    _matrix: Grid | None = None
    _finding: Finding | None = None
    """Chart that has the sentence and the intervals; None: not computed for these figures."""
    _traits: Sequence[TraitFigures] = ()
    _spent = Cost()

    def _draw_body(self) -> None:
        version = self._window.services.library.published.state_of_run(self._run).text
        self._scales: dict[str, TraitScale] = {}
        with splitter(self._window, "run-figures", 36) as halves:
            with halves.before, pane("Pass rates", classes="scroll overview") as scrolled:
                scrolled.props('tabindex="0"')
                with ui.element("div").classes("run-top line wide gap-8"):
                    ui.html(facts(self._run, version)).classes("grow")
                    opener = export_menu("Export results", self._export)
                    self._window.register_command("results.export", partial(opener.run_method, "click"))
                with ui.element("div").classes("chart-said run-said").props('role="status"') as self._quote:
                    self._sentence = ui.label().classes("chart-sentence")
                    icon_button("content_copy", "Copy summary", lambda: copy_text(self._sentence.text, COPIED))
                self._quote.set_visibility(False)
                self._figures = ui.html(COUNTING).classes("full-width")
            with halves.after, pane(BY_QUESTION):
                about = tag("span", class_="matrix-about result-muted")
                ui.html(join_html([figure_heading(BY_QUESTION, OF_QUESTION), about])).classes("matrix-head line gap-10")
                lazy_render(self._draw_matrix)

    def _draw_matrix(self) -> None:
        self._matrix = matrix = Grid(
            "run_tables", label=BY_QUESTION, empty=NOTHING_YET, loading=False, rowHeight=42, **FROM_SERVER
        )
        matrix.attach(self._run.id, looks(), self._counted.last, function="matrix")
        matrix.classes("result-grid wide fills")

    def _read_counts(self) -> RunCounts:
        counts = super()._read_counts()
        results, run_id = self._window.services.library.results, self._run.id
        names = dict.fromkeys(name for _, scores, _ in counts.traits for name in scores)
        self._scales |= results.scales(run_id, [name for name in names if not scale_of(name, self._scales)])
        self._spent = cost(results.spending(run_id), self._window.services.runs.prices.all())
        self._traits = trait_figures(counts, self._scales)
        return counts

    def _show(self, moved: bool) -> None:
        if moved and self._matrix is not None:
            self._matrix.call("refresh", self._counted.last)
        if moved:
            self._finding = None
        self._show_figures()
        run_now = self._window.services.library.runs.summary(self._run.id)
        if self._finding is None and run_now.status not in UNDER_WAY:
            background_tasks.create(self._find(), name="sentence of a run", context=self._figures)

    async def _find(self) -> None:
        """Compute sentence and intervals after the figures, because they take longer."""
        try:
            answer = await run.io_bound(ChartSource(self._window.services, self._run.id).ask, ChartQuery())
        except NotFoundError:
            return
        if answer is None or isinstance(answer, ChartError) or self._figures.is_deleted:
            return
        self._finding = answer.finding
        self._show_figures()

    def _show_figures(self) -> None:
        finding = self._finding
        self._sentence.text = finding.sentence if finding else ""
        self._quote.set_visibility(bool(self._sentence.text and self._counted.outcomes))
        ends = intervals(finding) if finding else {}
        self._figures.set_content(overview(self._counted, self._traits, self._spent, self._address(), ends))

    def _export(self, kind: str) -> None:
        download_file(f"/api/runs/{self._run.id}/export.{kind}")

    def _address(self) -> str:
        return f"/runs/{self._run.id}/results"

    def _show_error(self, message: str) -> None:
        self._figures.set_content(tag("p", message))
