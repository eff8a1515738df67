"""Plots of the mean and of its half width by number of replicates."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_difference, format_interval, format_value, opens_all
from karenina_gui.analysis.charts.convergence_marks import (
    ConvergenceCurve,
    ConvergenceMarks,
    format_target,
    half_width,
    needed_text,
)
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.gui.charts.plot_elements import IN_A_ROW, entry, plain, scale
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.text import quantity

LEFT_DOMAIN, RIGHT_DOMAIN = [0.0, 0.46], [0.56, 1.0]


PREDICTED = "Small open marks: predicted<br>"
ENDLESS = "Open mark at the end: unlimited replicates (bar: upper bound)"


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: ConvergenceMarks = finding.marks
    rate = finding.metric.kind == "binary"
    times = 100.0 if rate else 1.0
    widths = [width for curve in marks.curves for width in curve.halves if width is not None]
    widest = times * max(*widths, marks.target or 0.0)
    shapes = {} if marks.target is None else _target(finding, marks, marks.target, theme)
    return {
        "data": [trace for curve in marks.curves for trace in _traces(finding, marks, curve, theme)],
        "layout": theme.layout(
            height=460,
            **theme.with_legend(len(marks.curves)),
            xaxis=theme.axis("Replicates", domain=LEFT_DOMAIN, **_axis(marks.replicates, marks.replicates + 0.7)),
            yaxis=theme.axis(
                plain(f"{finding.metric.title} (mean over questions)"), **_mean_axis(marks, finding.metric)
            ),
            xaxis2=theme.axis(
                f"Replicates<br>{_legend(marks)}",
                domain=RIGHT_DOMAIN,
                **_axis(_last(marks), 1.02 * _unlimited_position(marks) + 0.25),
            ),
            yaxis2=theme.axis(
                f"Margin of error ({'percentage points' if rate else 'score'}), 95% CI",
                anchor="x2",
                range=[-0.04 * widest, 1.1 * widest],
            ),
            **shapes,
        ),
    }


def _legend(marks: ConvergenceMarks) -> str:
    """Return the explanation of the open marks that there are."""
    predicted = any(one.need and one.need.predicted for one in marks.curves)
    unlimited = any(one.limit for one in marks.curves)
    return f"{PREDICTED if predicted else ''}{ENDLESS if unlimited else ''}"


def _axis(replicates: int, end: float) -> dict[str, Any]:
    return {"range": [0.8, end], **({"dtick": 1} if replicates <= 20 else {})}


def _mean_axis(marks: ConvergenceMarks, metric: Metric) -> dict[str, Any]:
    """Return the axis of means: their range, or a fifth of the scale if they hardly differ."""
    axis = scale(metric)
    if "range" not in axis or metric.low is None or metric.high is None:
        return axis
    values = [point.value for curve in marks.curves for point in curve.points if point.value is not None]
    reach, least, most = metric.high - metric.low, min(values), max(values)
    room = max(0.06 * (most - least), (0.2 * reach - (most - least)) / 2)
    # Beyond the ends of the scale plotly would label ticks that no mean can have.
    start, end = max(least - room, metric.low), min(most + room, metric.high)
    edge = 0.03 * (end - start)
    return {**axis, "range": [start - edge, end + edge]}


def _last(marks: ConvergenceMarks) -> int:
    """Return the last number of replicates in the right plot, including predicted ones."""
    foreseen = [len(curve.points) + len(curve.need.predicted) for curve in marks.curves if curve.need]
    return max(marks.replicates, *foreseen, 0)


def _unlimited_position(marks: ConvergenceMarks) -> float:
    """Return the position of unlimited replicates, right of the last number."""
    return _last(marks) + max(0.45, 0.06 * _last(marks))


def _target(finding: Finding, marks: ConvergenceMarks, target: float, theme: Theme) -> dict[str, Any]:
    """Return the labeled line of the target half width."""
    height = (100.0 if finding.metric.kind == "binary" else 1.0) * target
    position = {"xref": "x2 domain", "yref": "y2"}
    line = {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "y0": height,
        "y1": height,
        "layer": "above",
        **position,
        "line": {"color": theme.zero, "width": 1.5, "dash": "dash"},
    }
    name = {
        "x": 0,
        "y": height,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        **position,
        "text": f"Target: {format_target(target, finding.metric)}",
        "font": {"color": theme.muted, "size": 11},
    }
    return {"shapes": [line], "annotations": [name]}


def _traces(finding: Finding, marks: ConvergenceMarks, curve: ConvergenceCurve, theme: Theme) -> list[dict[str, Any]]:
    look = theme.arm(curve.style_index)
    times = 100.0 if finding.metric.kind == "binary" else 1.0
    numbers = list(range(1, len(curve.points) + 1))
    rows = [curve.row + at for at in range(len(curve.points))]
    shared = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": numbers,
        "customdata": rows,
        "text": [_hover_text(finding, curve, point, k) for k, point in enumerate(curve.points, 1)],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": look.colour, "width": 2, "dash": look.dash},
        "marker": {"color": look.colour, "symbol": look.symbol, "size": 9},
        "legendgroup": str(curve.arm),
    }
    name = _legend_entry(marks, curve)
    widths = [None if width is None else times * width for width in curve.halves]
    traces = [
        {**shared, "y": [point.value for point in curve.points], "name": name, "showlegend": True},
        {**shared, "y": widths, "xaxis": "x2", "yaxis": "y2", "name": name, "showlegend": False},
    ]
    if curve.need is not None and curve.need.predicted:
        traces.append(_prediction(finding, curve, curve.need.predicted, theme))
    if curve.limit:
        traces.append(_limit(finding, marks, curve, curve.limit, theme))
    return traces


def _legend_entry(marks: ConvergenceMarks, course: ConvergenceCurve) -> str:
    name = entry(f"{course.label} ({quantity(course.points[-1].n, 'question')})", len(marks.curves))
    if course.need and len(marks.curves) <= IN_A_ROW:  # of more, the figure has no room for what the table says
        name += f"<br>Needed: {needed_text(course)}"
    return name


def _limit(
    finding: Finding, marks: ConvergenceMarks, curve: ConvergenceCurve, limit: float, theme: Theme
) -> dict[str, Any]:
    look = theme.arm(curve.style_index)
    most = max(curve.limit_most or limit, limit)
    ends = f", at most {format_difference(most, finding.metric)}" if most > limit else ""
    margin = format_difference(limit, finding.metric)
    text = f"<b>{plain(curve.label)}</b><br>With unlimited replicates: margin {margin}{ends}"
    times = 100.0 if finding.metric.kind == "binary" else 1.0
    return {
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [times * (most - limit)],
            "arrayminus": [0],
            "color": look.colour,
            "thickness": 1.5,
            "width": 5,
        },
        "type": "scatter",
        "mode": "markers",
        "x": [_unlimited_position(marks)],
        "y": [times * limit],
        "xaxis": "x2",
        "yaxis": "y2",
        "text": [text],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": look.colour, "symbol": look.symbol + "-open", "size": 11, "line": {"width": 2}},
        "legendgroup": str(curve.arm),
        "showlegend": False,
        "name": plain(curve.label),
    }


def _prediction(finding: Finding, curve: ConvergenceCurve, halves: tuple[float, ...], theme: Theme) -> dict[str, Any]:
    """Return the dotted line of predicted half widths up to the replicates needed."""
    look, done = theme.arm(curve.style_index), len(curve.points)
    times = 100.0 if finding.metric.kind == "binary" else 1.0
    now = curve.halves[-1] or 0.0
    lines = [
        f"<b>{plain(curve.label)}</b><br>Predicted with {quantity(done + at, 'replicate')}: "
        f"margin {format_difference(width, finding.metric)}"
        for at, width in enumerate(halves, 1)
    ]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [done + at for at in range(len(halves) + 1)],
        "y": [times * width for width in (now, *halves)],
        "xaxis": "x2",
        "yaxis": "y2",
        "text": ["", *lines],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": look.colour, "width": 1.5, "dash": "dot"},
        "marker": {"color": look.colour, "symbol": look.symbol + "-open", "size": [0] + [7] * len(halves)},
        "legendgroup": str(curve.arm),
        "showlegend": False,
        "name": plain(curve.label),
    }


def _hover_text(finding: Finding, curve: ConvergenceCurve, point: Estimate, k: int) -> str:
    ends, width = format_interval(point, finding.metric), half_width(point)
    lines = [
        f"<b>{plain(curve.label)}</b>",
        f"{quantity(k, 'replicate')}: {format_value(point.value, finding.metric)} on {quantity(point.n, 'question')}",
    ]
    if ends and width is not None:
        lines.append(f"95% CI {ends}, margin {format_difference(width, finding.metric)}")
    if curve.need and k == len(curve.points):
        lines.append(f"Needed: {needed_text(curve)}")
    if k < len(curve.points):
        lines.append(plain(opens_all(finding.links[curve.row].get("trait"), f" of {curve.label}")))
    return "<br>".join(lines)
