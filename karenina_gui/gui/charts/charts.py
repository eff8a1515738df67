"""The one table of charts: what each answers, how it is computed, how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from karenina_gui.analysis.charts import arms as arms_found, spread as spread_found
from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.request import Find
from karenina_gui.gui.charts import arms, spread
from karenina_gui.gui.charts.theme import Theme

Draw = Callable[[Finding, Theme], dict[str, Any]]
"""A figure of plotly (`data`, `layout`) as plain values, called only where the finding has marks.

Each mark that has results behind it has the place of its row in the finding's table as its `customdata`: a click on
it goes where the row leads. Words that come from people or models are escaped by `marks.plain`, because plotly reads
a little HTML.
"""


@dataclass(frozen=True)
class ChartKind:
    """One chart that a run can have."""

    name: str
    """In an address."""
    title: str
    """The question that it answers."""
    icon: str
    find: Find
    """Called in the process that computes; it loads what it needs itself."""
    figure: Draw


CHARTS: tuple[ChartKind, ...] = (
    ChartKind("arms", "How good is each condition and model?", "straighten", arms_found.find, arms.figure),
    ChartKind("spread", "What does the ± of a mean stand for?", "unfold_more", spread_found.find, spread.figure),
)
