"""Coverage and cautions below a figure, and the figure as an image."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from karenina_gui.analysis.charts.chart import ChartTable, Finding
from karenina_gui.analysis.charts.figures import JOBS_SCORED
from karenina_gui.analysis.glossary import figures_of
from karenina_gui.gui.charts.charts import ChartKind
from karenina_gui.gui.charts.plot_elements import plain
from karenina_gui.gui.charts.theme import LIGHT
from karenina_gui.gui.kit.figure_links import figure_link, figure_list
from karenina_gui.gui.kit.html import Html, icon, tag
from karenina_gui.gui.kit.verdicts import REASONS
from karenina_gui.text import quantity, verb

LINE = 130
"""Characters per line of an image."""

OF_EVERY_SYSTEM = 'Arial, "Liberation Sans", Helvetica, sans-serif'
"""Font stack of images. A web font is not available while the browser renders an image."""


def coverage(finding: Finding, chart: ChartKind) -> Html:
    """Return `140 of 150 jobs scored · 6 timeout, 4 not run`, cautions, and explained figures."""
    count = figure_link(JOBS_SCORED, coverage_text(finding))
    figures = figures_of(chart.own_figures, _filled_columns(finding.table)).values()
    figured = figure_list(dict.fromkeys(figures)) if figures else None
    cautions = (
        tag("div", icon("info"), tag("span", text, class_="note-text"), class_="note") for text in finding.cautions
    )
    return tag("div", tag("p", count, class_="chart-counted result-muted"), *cautions, figured, class_="chart-below")


def _filled_columns(table: ChartTable) -> tuple[str, ...]:
    """Return the columns with a value: of a score, for example, the flip probability is undefined."""
    return tuple(name for at, name in enumerate(table.columns) if any(row[at] is not None for row in table.rows))


def coverage_text(finding: Finding) -> str:
    parts = [f"{finding.scored - finding.failed:,} of {quantity(finding.planned, 'job')} scored"]
    if finding.failed:
        parts.append(f"{finding.failed:,} counted as {verb(finding.failed, 'a failure', 'failures')}")
    return " · ".join([*parts, *([reasons(finding.lacking)] if finding.lacking else [])])


def reasons(lacking: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {_word(reason)}" for reason, number in lacking.items())


def _word(reason: str) -> str:
    return REASONS[reason][0].lower() if reason in REASONS else reason


def picture(chart: ChartKind, finding: Finding, run: str) -> dict[str, Any]:
    """Return the figure for print: white background, with title, sentence and coverage."""
    # Images are for documents with a white background, even if the window is dark.
    figure = chart.figure(finding, LIGHT)
    lines = [plain(line) for line in wrap(finding.sentence, LINE)]
    above = 50 + 22 * len(lines)
    layout = figure["layout"]
    layout["height"] = layout.get("height", 460) + above + 20
    layout["margin"] = {**layout["margin"], "t": layout["margin"]["t"] + above, "b": layout["margin"]["b"] + 26}
    below = "".join(f"<br><span style='font-size:13px'>{line}</span>" for line in lines)
    layout["title"] = {
        "text": f"<b>{plain(chart.title)}</b> · {plain(chart.question)}{below}",
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "pad": {"l": 16},
        "y": 1 - 18 / layout["height"],
        "yref": "container",
        "yanchor": "top",
        "font": {"size": 17, "color": LIGHT.text},
    }
    foot = {
        "text": plain(f"{run} · {coverage_text(finding)}"),
        "showarrow": False,
        "align": "left",
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 0,
        "yref": "paper",
        "yanchor": "top",
        "yshift": -layout["margin"]["b"] + 22,
        "font": {"size": 11, "color": LIGHT.muted},
    }
    legend = layout["legend"]
    if legend.get("yref") == "container":  # what holds to the edge of the figure makes room for the words
        layout["legend"] = {**legend, "y": 1 - (above + 8) / layout["height"]}
    layout["font"] = {**layout["font"], "family": OF_EVERY_SYSTEM}
    layout["annotations"] = [*layout.get("annotations", ()), foot]
    return figure
