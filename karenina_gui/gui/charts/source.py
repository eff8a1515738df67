"""Charts of a run, computed in the chart process from results in the library."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from karenina_gui.analysis.chart_process import ChartError, Edition
from karenina_gui.analysis.costs import cost
from karenina_gui.analysis.run_data import ChartResult, RunData, compute_chart
from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.session.app_context import AppContext


@dataclass(frozen=True)
class ChartSource:
    """Charts of one run."""

    services: AppContext
    run_id: int

    def ask(self, query: ChartQuery) -> ChartResult | ChartError:
        """Compute a chart; blocks. Raises `NotFoundError` if the run was deleted."""
        question = partial(compute_chart, find=query.chart.find, request=query.request)
        return self.services.worker.ask(question, self._edition(), self._load)

    def _edition(self) -> Edition:
        """Return the version of the data, which changes with every result and with prices."""
        run = self.services.library.runs.summary(self.run_id)
        prices = tuple(price.model_dump_json() for price in self.services.runs.prices.all().values())
        return run.id, run.created_at, run.done, tuple(run.outcomes.items()), run.finished_at, prices

    def _load(self) -> RunData:
        results = self.services.library.results
        table = results.table(self.run_id)
        # Jobs share equal scores as one object: a run of thousands of jobs has few distinct ones.
        different = {id(scores): scores for scores in table.traits}.values()
        names = sorted({name for scores in different for name in scores})
        prices = self.services.runs.prices.all()
        spent = {number: cost(spending, prices) for number, spending in results.spending_each(self.run_id).items()}
        dollars = {number: spending.dollars for number, spending in spent.items() if spending.is_known}
        return RunData(table, results.scales(self.run_id, names), dollars)
