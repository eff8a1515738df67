"""View of a run whose figures refresh while the run is in progress, all of one moment."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

from nicegui import run, ui

from karenina_gui.analysis.chart_process import ChartError
from karenina_gui.analysis.rates import Summary, summarise
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.charts.source import ChartSource
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.runs.progress import RunProgress, outcomes_of
from karenina_gui.gui.pages.runs.views import RunViews
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.outcome import unread_note
from karenina_gui.schemas.run_counts import RunCounts
from karenina_gui.schemas.run_summaries import RunSummary

NOTHING_YET = "<span>No results yet.</span>"
BEFORE = 0.3
"""Seconds until the figures are computed, so that the tables load first."""
READING = 2.0
"""Seconds until the statistics libraries are loaded for a possible visit to the charts."""
PAUSE = 1.0
"""Minimum number of seconds between refreshes of the figures."""
SHARE = 10
"""Minimum interval of refreshes as a multiple of their duration, which leaves time for a large run itself."""


class FiguresView(ABC):
    """Head of the run, and figures below it."""

    def __init__(self, window: Window, summary: RunSummary, here: str, query: ResultQuery) -> None:
        self._window = window
        self._run = summary
        self._query = query
        self._next_refresh = 0.0
        outcomes, last = outcomes_of(window, summary)
        self._counted = Summary(outcomes=dict(outcomes), last=last)
        """Figures that the view shows."""
        self._head = RunProgress(window, summary, RunViews(window, summary.id, here, query), outcomes)

    def draw(self) -> None:
        self._head.draw()
        self._draw_body()
        ui.timer(BEFORE, self._refresh, once=True)
        ui.timer(READING, lambda: run.io_bound(self._window.services.worker.warm_up), once=True)
        self._window.listen(self._window.services.run_changed, self._on_progress)
        self._window.listen(self._window.services.prices_changed, lambda _model: self._refresh())

    @abstractmethod
    def _draw_body(self) -> None: ...

    @abstractmethod
    def _show(self, moved: bool) -> None:
        """Show `_counted`; `moved`: there are other results than before."""

    def _show_error(self, message: str) -> None:
        """Tell why there are no figures."""
        self._window.notify(message, "bad")

    def _read_counts(self) -> RunCounts:
        """Count the results; blocks. Raises `InputError`."""
        counts = ChartSource(self._window.services, self._run.id).counts()
        if isinstance(counts, ChartError):
            raise InputError(counts.message)
        return counts

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
        await self._refresh(moved=True)
        self._next_refresh = max(self._next_refresh, started + SHARE * (time.monotonic() - started))

    async def _refresh(self, *, moved: bool = False) -> None:
        """Compute the figures in a thread, which is slow for large runs, and show them."""
        # Head, figures, and tables must agree: all show the moment of this count, even if there are newer results.
        try:
            counted = await run.io_bound(self._count)
        except InputError as error:
            self._show_error(str(error))
            return
        if counted is not None and not self._head.is_deleted:
            summary, unread = counted
            moved = moved or self._counted.last not in (None, summary.last)
            self._counted = summary
            self._head.show(summary.outcomes, unread)
            self._show(moved)

    def _count(self) -> tuple[Summary, str]:
        summary = summarise(self._read_counts())
        total, failed = (
            sum(summary.outcomes.values()),
            summary.outcomes.get("wrong", 0) + summary.outcomes.get("autofail", 0),
        )
        # All documents of the run are read, which is slow, so only if most failed.
        results = self._window.services.library.results
        unread = unread_note(results.unread(self._run.id), total) if failed * 2 > total else ""
        return summary, unread
