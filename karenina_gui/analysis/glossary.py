"""All figures that are shown, each as the module says it that computes it."""

from __future__ import annotations

from karenina_gui.analysis import calibration, costs, rates, trait_figures
from karenina_gui.analysis.charts import (
    arms,
    comparison,
    convergence,
    cost,
    distribution,
    figures,
    heatmap,
    judges,
    pass_curves,
    reliability,
    replicate_strip,
    standard_deviations,
    variance,
)
from karenina_gui.schemas.figure import Figure

OF_RUNS: tuple[Figure, ...] = (
    *(rates.OUTCOMES, rates.PASS_RATE, rates.RESULTS_PASSED, rates.NO_VERDICT, rates.OF_QUESTION),
    *(trait_figures.TRAIT_MEAN, trait_figures.TRAIT_RESULTS, trait_figures.TRAIT_MISSING, trait_figures.SINGLE_SPREAD),
    *(costs.RUN_COST, costs.RESULT_COST, costs.STEP_COST, costs.TOKENS),
    *(costs.RESULT_TIME, costs.PARTIAL_CREDIT),
    *calibration.FIGURES,
)
_MODULES = (
    arms,
    comparison,
    replicate_strip,
    heatmap,
    reliability,
    variance,
    pass_curves,
    convergence,
    distribution,
    cost,
    judges,
    standard_deviations,
)
OF_CHARTS: dict[str, tuple[Figure, ...]] = {module.__name__.rpartition(".")[2]: module.FIGURES for module in _MODULES}
"""By chart: its own, besides those that charts share."""


def figures_of(chart: str, columns: tuple[str, ...]) -> dict[str, Figure]:
    """Return {column: its explanation} for a chart's table; the chart's own figures take precedence.

    Columns of names and words have none.
    """
    by_column = {column: figure for figure in (*OF_CHARTS[chart], *figures.SHARED)[::-1] for column in figure.columns}
    return {column: by_column[column] for column in columns if column in by_column}


def all_figures() -> tuple[Figure, ...]:
    return (*OF_RUNS, *figures.SHARED, *(figure for own in OF_CHARTS.values() for figure in own))
