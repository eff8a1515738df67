"""Registry of charts: for each its question, its computation and its figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from karenina_gui.analysis.charts import (
    arms as arms_found,
    comparison as comparison_found,
    convergence as convergence_found,
    cost as cost_found,
    distribution as distribution_found,
    heatmap as heatmap_found,
    judges as judges_found,
    pass_curves as pass_curves_found,
    reliability as reliability_found,
    replicate_strip as replicate_strip_found,
    standard_deviations as spread_found,
    variance as variance_found,
)
from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_request import Find
from karenina_gui.gui.charts import (
    arms,
    comparison,
    convergence,
    cost,
    distribution,
    heatmap,
    judges,
    pass_curves,
    reliability,
    replicate_strip,
    standard_deviations,
    variance,
)
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.schemas.figure import Figure

Draw = Callable[[Finding, Theme], dict[str, Any]]
"""Function that returns a plotly figure (`data`, `layout`) as plain values; called only if the finding has marks.

The `customdata` of a mark is an index into `Finding.links`, which a click opens. If the link shows more results than
the mark represents, the hover text says so. Texts by users and models are escaped by `marks.plain`, because plotly
interprets some HTML.
"""


@dataclass(frozen=True)
class ChartKind:
    """Kind of chart."""

    name: str
    """Name in the URL."""
    title: str
    question: str
    """Question that the chart answers."""
    icon: str
    find: Find
    """Computation; runs in the chart process and imports its libraries itself."""
    own_figures: tuple[Figure, ...]
    """Explained figures besides those that charts share."""
    figure: Draw
    own: tuple[str, ...] = ()
    """Request parameters that the chart uses besides the filters."""


CHARTS: tuple[ChartKind, ...] = (
    ChartKind(
        "arms",
        "Scores by configuration",
        "How good is each model and condition?",
        "straighten",
        arms_found.find,
        arms_found.FIGURES,
        arms.figure,
        ("clustered",),
    ),
    ChartKind(
        "comparison",
        "Pairwise comparison",
        "Which model or condition is better, and by how much?",
        "compare_arrows",
        comparison_found.find,
        comparison_found.FIGURES,
        comparison.figure,
        ("against",),
    ),
    ChartKind(
        "replicate_strip",
        "Variation between replicates",
        "How much do answers to the same question vary?",
        "scatter_plot",
        replicate_strip_found.find,
        replicate_strip_found.FIGURES,
        replicate_strip.figure,
    ),
    ChartKind(
        "heatmap",
        "Outcomes by question",
        "Which questions get which scores?",
        "grid_on",
        heatmap_found.find,
        heatmap_found.FIGURES,
        heatmap.figure,
    ),
    ChartKind(
        "reliability",
        "Question reliability",
        "Which questions are consistently good or bad, and which are flaky?",
        "bubble_chart",
        reliability_found.find,
        reliability_found.FIGURES,
        reliability.figure,
    ),
    ChartKind(
        "variance",
        "Sources of variance",
        "Is it the questions, the answers, or the judge?",
        "donut_small",
        variance_found.find,
        variance_found.FIGURES,
        variance.figure,
    ),
    ChartKind(
        "pass_curves",
        "pass@k and pass^k",
        "Does it pass at least once, and does it always pass?",
        "replay",
        pass_curves_found.find,
        pass_curves_found.FIGURES,
        pass_curves.figure,
    ),
    ChartKind(
        "convergence",
        "Precision and sample size",
        "Would more replicates make the result more precise?",
        "compress",
        convergence_found.find,
        convergence_found.FIGURES,
        convergence.figure,
        ("within",),
    ),
    ChartKind(
        "distribution",
        "Score distribution",
        "How are the scores distributed?",
        "bar_chart",
        distribution_found.find,
        distribution_found.FIGURES,
        distribution.figure,
    ),
    ChartKind(
        "cost",
        "Quality and cost",
        "What does quality cost?",
        "payments",
        cost_found.find,
        cost_found.FIGURES,
        cost.figure,
    ),
    ChartKind(
        "judges",
        "Judge agreement",
        "Do the judges agree?",
        "gavel",
        judges_found.find,
        judges_found.FIGURES,
        judges.figure,
    ),
    ChartKind(
        "standard_deviations",
        "Standard deviation and error",
        "What does the ± behind a mean show?",
        "unfold_more",
        spread_found.find,
        spread_found.FIGURES,
        standard_deviations.figure,
    ),
)
