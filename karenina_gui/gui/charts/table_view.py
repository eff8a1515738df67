"""Table of a chart as HTML."""

from __future__ import annotations

from karenina_gui.analysis.charts.chart import Cell, CellFormat, ChartTable, Finding
from karenina_gui.analysis.charts.chart_text import format_p
from karenina_gui.analysis.charts.column_words import COLUMN_WORDS
from karenina_gui.analysis.glossary import figures_of
from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.components.figure_links import figure_link
from karenina_gui.gui.components.html import Html, link, tag

MOST_ROWS = 500
"""Maximum number of rows displayed; the CSV file has all."""
LONG = 40
"""Characters of a cell; longer ones are wrapped, and in the first column truncated."""
NAME = 28
"""Characters of a name in the first column; longer ones may be wrapped."""


def table_view(query: ChartQuery, run_id: int, finding: Finding) -> Html:
    """Return the table; the first cell of a row links to its results."""
    table = finding.table
    looks = [_cell_class(table, index) for index in range(len(table.columns))]
    forms = [table.formats.get(name) for name in table.columns]
    longest = max((len(format_cell(row[0])) for row in table.rows), default=0)
    first_look = "chart-long" if longest > LONG else "chart-name" if longest <= NAME else None

    def row(number: int, cells: tuple[Cell, ...]) -> Html:
        behind = table.links[number] if number < len(table.links) else {}
        address = f"/runs/{run_id}?{query.results(behind)}"
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
    figures = figures_of(query.chart.name, table.columns)

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
        return "result-number"
    return "chart-words" if any(len(format_cell(cell)) > LONG for cell in cells) else "chart-name"


def _caption(query: ChartQuery, finding: Finding) -> str:
    rows = len(finding.table.rows)
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
