"""Figures of a run, computed from results in the library: in the chart process, or here for a small run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from karenina_gui.analysis.chart_process import ChartError, Edition
from karenina_gui.analysis.run_data import ChartResult, RunData, compute_chart
from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.run_counts import RunCounts

SMALL = 20_000
"""Jobs of the largest run that is counted in this process, which takes less time than to ask another one."""
MOST_ROWS = 500
"""Rows of a table on the page; its file has all."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class ChartSource:
    """Charts and counts of one run."""

    services: AppContext
    run_id: int

    def ask(self, query: ChartQuery, most_rows: int | None = MOST_ROWS) -> ChartResult | ChartError:
        """Compute a chart; blocks. `most_rows`: see `ChartData`. Raises `NotFoundError` if the run was deleted."""
        return self._compute(partial(compute_chart, find=query.chart.find, request=query.request, most_rows=most_rows))

    def counts(self) -> RunCounts | ChartError:
        """Count the results; blocks. Raises `NotFoundError` if the run was deleted."""
        from karenina_gui.analysis.run_counting import count_run  # imports NumPy
        from karenina_gui.gui.charts.run_loading import counts_of

        if self.services.library.runs.summary(self.run_id).total <= SMALL:
            return count_run(self.services.library.results.table(self.run_id))
        return self._compute(counts_of)

    def _compute(self, question: Callable[[RunData], Answer]) -> Answer | ChartError:
        from karenina_gui.gui.charts.run_loading import load_run

        services = self.services
        load = partial(load_run, services.library.path, self.run_id, services.runs.prices.all())
        return services.worker.ask(question, self._edition(), load)

    def _edition(self) -> Edition:
        """Return the version of the data, which changes with every result and with prices."""
        run = self.services.library.runs.summary(self.run_id)
        prices = tuple(price.model_dump_json() for price in self.services.runs.prices.all().values())
        return run.id, run.created_at, run.done, tuple(run.outcomes.items()), run.finished_at, prices
