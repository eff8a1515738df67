"""Plot of differences: one row per comparison, with interval, zero line and detectable difference."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_difference
from karenina_gui.analysis.charts.comparison_marks import Comparison, ComparisonMarks, mark_label, p_value_text
from karenina_gui.analysis.metrics import Metric
from karenina_gui.gui.charts.plot_elements import label, plain
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.text import quantity

ROW = 58
"""Pixels per row."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: ComparisonMarks = finding.marks
    rows = list(enumerate(marks.comparisons))
    times = 100.0 if finding.metric.kind == "binary" else 1.0
    widest = times * _half_range(marks, finding.metric)
    return {
        "data": [trace for index, one in rows if (trace := _difference(finding, one, index, times, theme))],
        "layout": theme.layout(
            height=max(240, ROW * len(rows) + 130),
            margin={"l": 12, "r": 20, "t": 34, "b": 62},
            xaxis=theme.axis(_title(finding, marks), range=[-widest, widest], tickformat="~g"),
            yaxis=theme.axis(
                tickvals=[index for index, _ in rows],
                ticktext=[_name(marks, one) for _, one in rows],
                range=[len(rows) - 0.4, -0.6],
                showgrid=False,
            ),
            shapes=[*(shape for index, one in rows for shape in _band(one, index, times, theme)), _zero(theme)],
            annotations=_directions(finding, marks, theme),
        ),
    }


def _half_range(marks: ComparisonMarks, metric: Metric) -> float:
    """Return the half range of the axis, which is symmetric around 0."""
    ends = [
        abs(end)
        for one in marks.comparisons
        for end in (one.difference.value, one.difference.low, one.difference.high)
        if end is not None
    ]
    bands = [one.plan.detectable for one in marks.comparisons if one.plan.detectable is not None]
    far = max(ends, default=0.0)
    # A wide band of undetectable differences must not compress the marks: at most twice their extent.
    widest = 1.1 * max(far, min(max(bands, default=0.0), 2 * far) if far else max(bands, default=0.0)) or 1.0
    return widest if metric.width is None else min(widest, 1.02 * metric.width)


def _title(finding: Finding, marks: ComparisonMarks) -> str:
    what = "Difference in percentage points" if finding.metric.kind == "binary" else "Difference"
    pair = "first − second" if marks.baseline is None else f"vs. {marks.baseline}"
    first = plain(f"{finding.metric.title}: {what} ({pair}), bar: 95% CI")
    return f"{first}<br>Filled: significant · Open: not · Shaded: below minimum detectable difference (80% power)"


def _name(marks: ComparisonMarks, one: Comparison) -> str:
    small = " · ".join(filter(None, (p_value_text(one), f"n = {quantity(one.difference.n, 'question')}")))
    return f"{label(marks.name(one), lines=1 if marks.baseline else 2)}<br>{small}"


def _difference(finding: Finding, one: Comparison, index: int, times: float, theme: Theme) -> dict[str, Any] | None:
    difference, look = one.difference, theme.arm(one.style_index)
    if difference.value is None:
        return None
    lines = [
        f"<b>{plain(one.label)}</b>",
        plain(f"{mark_label(finding.metric, one)} vs. {one.baseline}"),
        " · ".join(filter(None, (p_value_text(one), difference.method))),
        f"{quantity(difference.n, 'shared question')}, {difference.dropped:,} excluded",
        *(
            [f"minimum detectable difference {format_difference(one.plan.detectable, finding.metric)} (80% power)"]
            if one.plan.detectable is not None
            else []
        ),
    ]
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": [times * difference.value],
        "y": [index],
        "customdata": [index],
        "marker": {
            "color": look.colour,
            "symbol": look.symbol + ("" if one.is_significant else "-open"),
            "size": 13,
            "line": {"width": 2, "color": look.colour},
        },
        "hovertemplate": "<br>".join(filter(None, lines)) + "<extra></extra>",
        "name": plain(one.label),
    }
    if difference.low is not None and difference.high is not None:
        trace["error_x"] = {
            "type": "data",
            "symmetric": False,
            "color": look.colour,
            "thickness": 2,
            "width": 6,
            "array": [times * (difference.high - difference.value)],
            "arrayminus": [times * (difference.value - difference.low)],
        }
    return trace


def _band(one: Comparison, index: int, times: float, theme: Theme) -> list[dict[str, Any]]:
    """Return the band of differences that the data cannot detect."""
    reach = one.plan.detectable
    if reach is None:
        return []
    return [
        {
            "type": "rect",
            "x0": -times * reach,
            "x1": times * reach,
            "y0": index - 0.36,
            "y1": index + 0.36,
            "fillcolor": theme.band,
            "line": {"width": 1, "color": theme.grid, "dash": "dot"},
            "layer": "below",
        }
    ]


def _zero(theme: Theme) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": 0,
        "x1": 0,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "between",
        "line": {"color": theme.zero, "width": 1.5},
    }


def _directions(finding: Finding, marks: ComparisonMarks, theme: Theme) -> list[dict[str, Any]]:
    better = finding.metric.higher_is_better
    baseline, other = ("second", "first") if marks.baseline is None else (label(marks.baseline, lines=1), "other")
    if marks.baseline is not None and len(marks.comparisons) == 1:
        other = label(marks.comparisons[0].label, lines=1)
    word = "higher" if better is None else "better"
    low_text, high_text = (f"← {baseline} {word}", f"{other} {word} →")
    if better is False:
        low_text, high_text = (f"← {other} {word}", f"{baseline} {word} →")
    position = {"xref": "paper", "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
    font = {"color": theme.muted, "size": 12}
    return [
        {**position, "x": 0, "xanchor": "left", "text": low_text, "font": font},
        {**position, "x": 1, "xanchor": "right", "text": high_text, "font": font},
    ]
