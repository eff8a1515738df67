"""Table of a chart as HTML and as a CSV file."""

from __future__ import annotations

import csv
import io

from karenina_gui.analysis.charts.chart import Cell, CellFormat, ChartTable, Finding
from karenina_gui.analysis.charts.chart_text import format_p
from karenina_gui.analysis.charts.column_words import COLUMN_WORDS
from karenina_gui.analysis.glossary import figures_of
from karenina_gui.formats.results.csv_writer import safe_cell
from karenina_gui.gui.charts.head import coverage_text
from karenina_gui.gui.charts.query import NAMES, SEVERAL, ChartQuery
from karenina_gui.gui.charts.source import MOST_ROWS
from karenina_gui.gui.kit.figure_links import figure_link
from karenina_gui.gui.kit.html import Html, link, tag
from karenina_gui.gui.kit.responses import file_name

LONG = 40
"""Characters of a cell; longer ones are wrapped, and in the first column truncated."""
NAME = 28
"""Characters of a name in the first column; longer ones may be wrapped."""


def csv_name(run: str, query: ChartQuery, finding: Finding, kind: str) -> str:
    """Return the file name (run, chart, metric, filtered, scored jobs).

    For example `First-light-Scores-by-configuration-Pass-rate-filtered-n140.csv`.
    """
    filtered = "-filtered" if query.filtered else ""
    errors = "-errors-as-failures" if query.request.errors_as_failures else ""
    title = file_name(f"{run[:60]}-{query.chart.title}-{finding.metric.title[:40]}")
    return f"{title.encode('ascii', 'ignore').decode() or 'chart'}{filtered}{errors}-n{finding.scored}.{kind}"


def chart_csv(run: str, query: ChartQuery, finding: Finding) -> bytes:
    """Return the table as CSV with columns for run, chart, metric, filter and job counts."""
    text = io.StringIO()
    writer = csv.writer(text)
    # Facts are columns and not a heading, so that every program reads the file as a table.
    # A table of several metrics has a column for them.
    several = "Metric" in finding.table.columns
    facts = {
        "Run": run,
        "Chart": query.chart.title,
        "Selected metric" if several else "Metric": finding.metric.title,
        "Filter": filter_text(query),
        "Coverage of the selected metric" if several else "Coverage": coverage_text(finding),
    }
    # Spreadsheets would run a cell that begins like a formula.
    writer.writerow([safe_cell(name) for name in (*finding.table.columns, *facts)])
    for row in finding.table.rows:
        cells = ["" if cell is None else str(cell) for cell in (*row, *facts.values())]
        writer.writerow([safe_cell(cell) for cell in cells])
    # Imported texts can contain lone surrogates, which UTF-8 cannot encode.
    return text.getvalue().encode("utf-8", "backslashreplace")


def filter_text(query: ChartQuery) -> str:
    """Describe the filters: `model a, b; keyword dose; errors as failures`; empty: all results."""
    parts = [
        f"{word} {', '.join(value) if name in SEVERAL else value}"
        for name, word in NAMES.items()
        if name not in ("trait", "against") and (value := getattr(query.request, name))
    ]
    return "; ".join([*parts, *(["errors as failures"] if query.request.errors_as_failures else [])])


def table_view(query: ChartQuery, run_id: int, finding: Finding) -> Html:
    """Return the table; the first cell of a row links to its results."""
    table = finding.table
    looks = [_cell_class(table, index) for index in range(len(table.columns))]
    forms = [table.formats.get(name) for name in table.columns]
    longest = max((len(format_cell(row[0])) for row in table.rows), default=0)
    first_look = "chart-long" if longest > LONG else "chart-name" if longest <= NAME else None

    def row(number: int, cells: tuple[Cell, ...]) -> Html:
        behind = table.links[number] if number < len(table.links) else {}
        address = f"/runs/{run_id}/results?{query.results(behind)}"
        name = format_cell(cells[0])
        first = link(address, name, title="Show results") if behind else tag("span", name)
        rest = (
            tag("td", format_cell(cell, form), class_=look)
            for cell, form, look in zip(cells[1:], forms[1:], looks[1:], strict=True)
        )
        return tag("tr", tag("th", first, scope="row", class_=first_look), *rest)

    rows = [row(number, cells) for number, cells in enumerate(table.rows[:MOST_ROWS])]
    head = tag("thead", _head(query, table, looks))
    whole = tag("table", tag("caption", _caption(query, finding)), head, tag("tbody", *rows), class_="plain-table")
    return tag("div", whole, class_="chart-scroll", tabindex="0", role="region", aria_label="Chart data")


def _head(query: ChartQuery, table: ChartTable, looks: list[str]) -> Html:
    """Return the row of column titles: figures link to their explanation, words have it as a tooltip."""
    figures = figures_of(query.chart.own_figures, table.columns)

    def head(name: str, look: str) -> Html:
        title = f"{name} (percentage points)" if table.formats.get(name) == "spread" else name
        if name in figures:
            return tag("th", figure_link(figures[name], title), scope="col", class_=look)
        return tag("th", title, scope="col", class_=look, title=COLUMN_WORDS.get(name))

    return tag("tr", *(head(name, look) for name, look in zip(table.columns, looks, strict=True)))


def _cell_class(table: ChartTable, index: int) -> str:
    """Return the CSS class of a column: numbers, names, or longer texts."""
    cells = [row[index] for row in table.rows]
    if any(isinstance(cell, int | float) for cell in cells):
        return "numeric"
    return "chart-words" if any(len(format_cell(cell)) > LONG for cell in cells) else "chart-name"


def _caption(query: ChartQuery, finding: Finding) -> str:
    rows = finding.table.total or len(finding.table.rows)
    cut = f" First {MOST_ROWS} of {rows:,} rows; the CSV file has all." if rows > MOST_ROWS else ""
    return f"{query.chart.title}: {finding.metric.title}.{cut}"


def format_cell(cell: Cell, form: CellFormat | None = None) -> str:
    """Format a value, a share with one decimal of a percent, others with at most three decimals; a dash for None."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if form == "p":
        return format_p(cell)
    if form in ("percent", "spread"):
        return f"{cell:.1%}" if form == "percent" else f"{100 * cell:.1f}"
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", "\N{MINUS SIGN}")
    text = f"{cell:,.1f}" if form == "points" else f"{cell:,.3f}".rstrip("0").rstrip(".")
    return "0" if float(text.replace(",", "")) == 0 else text.replace("-", "\N{MINUS SIGN}")
