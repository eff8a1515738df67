"""Types of a computed chart: its marks, its table, and a sentence to quote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from karenina_gui.analysis.metrics import Metric

T = TypeVar("T")
Cell = str | int | float | None
"""Value in a table cell. None: no value, never 0."""
CellFormat = Literal["p", "points", "percent", "spread"]
"""Format of a number: a p-value, percentage points, or a share as a percentage or in percentage points."""


@dataclass(frozen=True)
class ChartTable:
    """Table of a chart, as displayed and saved as CSV."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]] = ()
    links: Sequence[Mapping[str, str]] = ()
    """Query of the results table for each row; empty: rows are not linked."""
    formats: Mapping[str, CellFormat] = field(default_factory=dict)
    """Formats of columns on screen; others have at most three decimals. Files have all digits."""
    total: int | None = None
    """Rows of the whole table if `rows` has only its first ones; None: it has all."""

    @classmethod
    def of_items(
        cls,
        columns: tuple[str, ...],
        items: Sequence[T],
        cells: Callable[[T], tuple[tuple[Cell, ...], Mapping[str, str]]],
        formats: Mapping[str, CellFormat],
        most_rows: int | None,
    ) -> ChartTable:
        """Table with a row for each item; `cells`: its row and its link. `most_rows`: see `ChartData`."""
        made = [cells(item) for item in items[:most_rows]]
        return cls(columns, [row for row, _ in made], [query for _, query in made], formats, len(items))


def rate_formats(metric: Metric, rates: Sequence[str], spreads: Sequence[str] = ()) -> dict[str, CellFormat]:
    """Formats of columns with values of the metric: percentages if it is a rate. `spreads`: their widths and SDs."""
    if metric.kind != "binary":
        return {}
    return {**dict.fromkeys(rates, "percent"), **dict.fromkeys(spreads, "spread")}


def share_formats(columns: Sequence[str]) -> dict[str, CellFormat]:
    """Formats of columns with shares, for every metric."""
    return dict.fromkeys(columns, "percent")


@dataclass(frozen=True)
class Finding:
    """Computed chart: plain data that is sent from the chart process to the application."""

    metric: Metric
    sentence: str
    """Summary for quotation. It states missing or insufficient data."""
    table: ChartTable
    scored: int
    """Jobs with a score."""
    planned: int
    lacking: Mapping[str, int] = field(default_factory=dict)
    """{reason: number of jobs without a score} (see `Scores.lacking`)."""
    failed: int = 0
    """Jobs without a score that count as the worst one; part of `scored`."""
    cautions: tuple[str, ...] = ()
    """Limitations of the data, one sentence each."""
    marks: Any = None
    """Data of the figure, a dataclass of the chart's own; None: nothing to draw."""
    empty_reason: str = ""
    """Reason why there is nothing to draw; empty: there are marks."""
    mark_links: Sequence[Mapping[str, str]] = ()
    """Queries of the marks if they differ from those of the rows; empty: `table.links`."""

    @property
    def links(self) -> Sequence[Mapping[str, str]]:
        """Return the queries of the marks. The `customdata` of a mark is an index into it."""
        return self.mark_links or self.table.links
