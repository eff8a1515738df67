"""Figures of runs and charts, each as the module says it that computes it."""

from __future__ import annotations

from collections.abc import Iterable

from karenina_gui.analysis import calibration, costs, rates, trait_figures
from karenina_gui.analysis.charts import figures
from karenina_gui.schemas.figure import Figure

FIGURES: tuple[Figure, ...] = (
    *(rates.OUTCOMES, rates.PASS_RATE, rates.RESULTS_PASSED, rates.NO_VERDICT, rates.OF_QUESTION),
    *(trait_figures.TRAIT_MEAN, trait_figures.TRAIT_RESULTS, trait_figures.TRAIT_MISSING, trait_figures.SINGLE_SPREAD),
    *(costs.RUN_COST, costs.RESULT_COST, costs.STEP_COST, costs.TOKENS),
    *(costs.RESULT_TIME, costs.PARTIAL_CREDIT),
    *calibration.FIGURES,
    *figures.SHARED,
)
"""All but those of a single chart."""


def figures_of(own: Iterable[Figure], columns: tuple[str, ...]) -> dict[str, Figure]:
    """Return {column: its explanation} for a chart's table; the chart's own figures take precedence.

    Columns of names and words have none.
    """
    by_column = {column: figure for figure in (*own, *figures.SHARED)[::-1] for column in figure.columns}
    return {column: by_column[column] for column in columns if column in by_column}
