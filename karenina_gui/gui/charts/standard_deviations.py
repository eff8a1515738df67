"""Plot of standard deviations and standard error by arm, with one symbol for each."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_difference
from karenina_gui.analysis.charts.standard_deviations import KINDS, Kind, SpreadMark
from karenina_gui.gui.charts.plot_elements import label, plain
from karenina_gui.gui.charts.theme import Theme

ROW = 44
"""Pixels per row; rows do not stretch if there are few."""
_SYMBOLS: dict[Kind, str] = {"within": "circle", "between": "square", "error": "triangle-up"}


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    arms: tuple[SpreadMark, ...] = finding.marks.arms
    return {
        "data": [_of_kind(kind, index, finding, theme) for index, kind in enumerate(KINDS)],
        "layout": theme.layout(
            height=max(240, ROW * len(arms) + 130),
            showlegend=True,
            xaxis=theme.axis(
                f"SD or standard error: {plain(finding.metric.title)}{_unit(finding)}", rangemode="tozero"
            ),
            yaxis=theme.axis(
                tickvals=list(range(len(arms))),
                ticktext=[label(mark.label) for mark in arms],
                range=[len(arms) - 0.4, -0.6],
                showgrid=False,
            ),
        ),
    }


def _of_kind(kind: Kind, colour: int, finding: Finding, theme: Theme) -> dict[str, Any]:
    sizes = [
        (index, mark, size) for index, mark in enumerate(finding.marks.arms) if (size := mark.sizes[kind]) is not None
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": KINDS[kind],
        "x": [_scale(finding) * size for _, _, size in sizes],
        "y": [index for index, _, _ in sizes],
        "customdata": [index for index, _, _ in sizes],
        "text": [f"{plain(mark.label)}: {format_difference(size, finding.metric)}" for _, mark, size in sizes],
        "marker": {"color": theme.colours[colour], "symbol": _SYMBOLS[kind], "size": 12},
        "hovertemplate": f"%{{text}}<br>{KINDS[kind]}<extra></extra>",
    }


def _unit(finding: Finding) -> str:
    return " (percentage points)" if finding.metric.kind == "binary" else ""


def _scale(finding: Finding) -> float:
    """Return the factor from deviations to the unit of the axis, which is that of the sentence."""
    return 100.0 if finding.metric.kind == "binary" else 1.0
