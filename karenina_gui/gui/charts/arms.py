"""Forest plot: one row per arm with its mean, interval and replicate means."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.arms import ArmMark
from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_interval, format_value
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.report_text import in_clusters
from karenina_gui.gui.charts.plot_elements import error_bar, label, plain, scale
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.text import quantity

ROW = 44
"""Pixels per row; rows do not stretch if there are few."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    arms: tuple[ArmMark, ...] = finding.marks.arms
    drawn = (
        draw
        for index, mark in enumerate(arms)
        for draw in (_replicates(mark, index, theme), _mean(finding, mark, index, theme))
    )
    places = list(range(len(arms)))
    return {
        "data": [trace for trace in drawn if trace],
        "layout": theme.layout(
            height=max(236, ROW * len(arms) + 106),
            xaxis=theme.axis(f"{plain(finding.metric.title)}<br>{legend(arms)}", **scale(finding.metric)),
            yaxis=theme.axis(
                tickvals=places,
                ticktext=[f"{label(mark.label, lines=1)}<br>n = {_number(mark.estimate)}" for mark in arms],
                range=[len(arms) - 0.4, -0.6],
                showgrid=False,
            ),
        ),
    }


def legend(arms: tuple[ArmMark, ...]) -> str:
    """Return the legend text below the axis."""
    bars = " · bar: 95% CI" if any(mark.estimate.low is not None for mark in arms) else ""
    dots = " · small dots: replicate means" if any(mark.replicates for mark in arms) else ""
    return f"Large mark: mean over questions{bars}{dots}"


def _number(mean: Estimate) -> str:
    """Format `50 questions`, `50 questions in 12 clusters`."""
    return in_clusters(quantity(mean.n, "question"), mean.clusters)


def _mean(finding: Finding, mark: ArmMark, index: int, theme: Theme) -> dict[str, Any] | None:
    mean, look = mark.estimate, theme.arm(mark.style_index)
    if mean.value is None:
        return None
    ends = format_interval(mean, finding.metric)
    lines = [
        f"<b>{plain(mark.label)}</b>",
        f"{format_value(mean.value, finding.metric)}" + (f" · {mean.level:.0%} CI {ends}" if ends else ""),
        f"{_number(mean)} · {mark.scored:,} of {mark.planned:,} jobs scored",
    ]
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": [mean.value],
        "y": [index],
        "customdata": [index],
        "marker": {"color": look.colour, "symbol": look.symbol, "size": 12},
        "hovertemplate": "<br>".join(lines) + "<extra></extra>",
        "name": plain(mark.label),
    }
    if bar := error_bar(mean, look.colour):
        trace["error_x"] = bar
    return trace


def _replicates(mark: ArmMark, index: int, theme: Theme) -> dict[str, Any] | None:
    if not mark.replicates:
        return None
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [value for _, value in mark.replicates],
        "y": [index + 0.26] * len(mark.replicates),
        "customdata": [mark.link + at for at in range(len(mark.replicates))],
        "text": [f"Replicate {number}" for number, _ in mark.replicates],
        "marker": {"color": theme.arm(mark.style_index).colour, "symbol": "circle", "size": 6, "opacity": 0.45},
        "hovertemplate": f"{plain(mark.label)}<br>%{{text}}: %{{x}}<extra></extra>",
        "name": "",
    }
