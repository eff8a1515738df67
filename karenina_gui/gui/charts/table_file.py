"""Table of a chart as a CSV file."""

from __future__ import annotations

import csv
import io

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.formats.results.csv_writer import safe_cell
from karenina_gui.gui.charts.head import coverage_text
from karenina_gui.gui.charts.query import SEVERAL, ChartQuery
from karenina_gui.gui.charts.url_parameters import NAMES
from karenina_gui.gui.components.responses import file_name


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
