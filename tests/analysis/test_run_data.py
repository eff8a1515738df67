"""Tests of the filters and choices of a run's charts."""

from __future__ import annotations

import pytest

from karenina_gui.analysis.charts.chart_request import ChartRequest
from karenina_gui.analysis.run_data import RunData, compute_chart
from karenina_gui.gui.charts.charts import CHARTS, ChartKind
from tests.simulated_run import SCALES, TONE, Simulation

KINDS = {chart.name: chart for chart in CHARTS}
RUN = RunData(Simulation(questions=12, judges=2, failures=0.3).table(), SCALES)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_classes_without_an_order_are_counted_and_never_averaged(chart: ChartKind) -> None:
    finding = compute_chart(RUN, chart.find, ChartRequest(trait=TONE)).finding
    if chart.name in ("distribution", "judges"):
        assert finding.marks is not None
        assert "mean" not in finding.sentence
    else:
        assert finding.marks is None
        assert "The classes of “tone” have no order" in finding.empty_reason


def test_judges_do_not_agree_on_what_neither_of_them_judged() -> None:
    plain, worst = (
        compute_chart(RUN, KINDS["judges"].find, ChartRequest(errors_as_failures=errors)).finding
        for errors in (False, True)
    )
    assert worst.sentence == plain.sentence
    assert worst.scored == plain.scored < plain.planned
    assert any("Errors do not count as failures here" in caution for caution in worst.cautions)
    assert compute_chart(RUN, KINDS["arms"].find, ChartRequest(errors_as_failures=True)).finding.scored == plain.planned


def test_what_counts_as_a_failure_is_said_and_what_has_not_run_is_none() -> None:
    run = RunData(Simulation(questions=12, failures=0.2, not_run=0.25).table(), SCALES)
    plain, worst = (
        compute_chart(run, KINDS["arms"].find, ChartRequest(errors_as_failures=errors)).finding
        for errors in (False, True)
    )
    waiting, failed = plain.lacking["not run"], worst.scored - plain.scored
    assert worst.lacking == {"not run": waiting}
    assert (worst.scored, failed > 0) == (plain.planned - waiting, True)
    assert worst.cautions[0] == f"{failed} jobs that ended without a score count as the worst possible score."
