"""What every chart has: the question that it answers, its marks, the same as a table, and a sentence to quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.analysis.metrics import Metric

Cell = str | int | float | None
"""Of a table; None: there is no such figure, never 0."""


@dataclass(frozen=True)
class Table:
    """The figures of a chart, as they are shown and saved as CSV."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]] = ()
    links: Sequence[Mapping[str, str]] = ()
    """Behind each row: the query of the results table that shows its results; empty: no row leads anywhere."""


@dataclass(frozen=True)
class Finding:
    """One chart, computed: plain data, which goes from the process that computes to the one that shows."""

    metric: Metric
    sentence: str
    """What a person may quote; cautious where the data are thin, and says so where they say nothing."""
    table: Table
    scored: int
    """Jobs with a score."""
    planned: int
    lacking: Mapping[str, int] = field(default_factory=dict)
    """{why: jobs without a score} (see `Scores.lacking`)."""
    cautions: tuple[str, ...] = ()
    """What stands in the way of relying on it, one sentence each."""
    marks: Any = None
    """What its figure is drawn from: a dataclass of the chart's own; None: there is nothing to draw."""
    nothing: str = ""
    """Why there is nothing to draw; empty: there is."""
    mark_links: Sequence[Mapping[str, str]] = ()
    """What marks lead to, as in `Table.links`, where they stand for other results than rows; empty: for the same."""

    @property
    def links(self) -> Sequence[Mapping[str, str]]:
        """What marks lead to: the `customdata` of a mark is a place in it."""
        return self.mark_links or self.table.links
