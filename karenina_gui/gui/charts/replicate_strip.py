"""Strip plot: one row per question with its answers as dots, and their mean with interval."""

from __future__ import annotations

from collections import Counter
from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_interval, format_value
from karenina_gui.analysis.charts.replicate_strip import Strip, StripMarks, mark_label
from karenina_gui.gui.charts.plot_elements import label, plain, scale, side
from karenina_gui.gui.charts.theme import Theme

ROW = 32
"""Pixels per row."""
NAME = 34
"""Characters per line of a row name."""
STEP, REACH = 0.12, 0.36
"""Vertical distance of equal answers, and maximum displacement from the middle of the row."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: StripMarks = finding.marks
    several = len(marks.arms) > 1
    names = [_name(strip, marks.arms if several else ()) for strip in marks.strips]
    return {
        "data": [
            *(_dots(finding, marks, arm, theme) for arm in sorted({strip.arm for strip in marks.strips})),
            _means(finding, marks, theme),
        ],
        "layout": theme.layout(
            height=max(220, ROW * len(marks.strips) + 94),
            margin={"l": side(names), "r": 20, "t": 48, "b": 12},
            # On top, because many rows are taller than the window.
            xaxis=theme.axis(_title(finding), side="top", **scale(finding.metric)),
            yaxis=theme.axis(
                tickvals=list(range(len(names))),
                ticktext=names,
                range=[len(marks.strips) - 0.4, -0.6],
                showgrid=False,
            ),
        ),
    }


def _title(finding: Finding) -> str:
    return plain(f"{finding.metric.title} (symbols: answers · upright line: mean · bar: 95% CI)")


def _name(strip: Strip, arms: tuple[str, ...]) -> str:
    question = label(strip.question, NAME, 1)
    return f"{question}<br>{label(arms[strip.arm], NAME, 1)}" if arms else question


def _dots(finding: Finding, marks: StripMarks, arm: int, theme: Theme) -> dict[str, Any]:
    here = [(index, strip) for index, strip in enumerate(marks.strips) if strip.arm == arm]
    points = [(value, index + offset, index) for index, strip in here for value, offset in _spread(strip.values)]
    look = theme.arm(marks.style_indices[arm])
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x for x, _, _ in points],
        "y": [y for _, y, _ in points],
        "customdata": [index for _, _, index in points],
        "text": [_value(x, finding) for x, _, _ in points],
        "marker": {"color": look.colour, "symbol": look.symbol, "size": 8, "opacity": 0.85},
        "hovertemplate": "Answer: %{text}<br>Click to open all answers to this question<extra></extra>",
        "name": plain(marks.arms[arm]),
    }


def _value(value: float, finding: Finding) -> str:
    text = format_value(value, finding.metric)
    return f"{text}, conflicting judgments" if finding.metric.kind == "binary" and 0 < value < 1 else text


def _spread(values: tuple[float, ...]) -> list[tuple[float, float]]:
    """Return (answer, displacement) pairs; equal answers are spread out."""
    number, seen = Counter(values), Counter[float]()
    points = []
    for value in values:
        step = min(STEP, 2 * REACH / max(1, number[value] - 1))
        points.append((value, (seen[value] - (number[value] - 1) / 2) * step))
        seen[value] += 1
    return points


def _means(finding: Finding, marks: StripMarks, theme: Theme) -> dict[str, Any]:
    places = list(range(len(marks.strips)))
    means = [strip.estimate for strip in marks.strips]
    values = [mean.value or 0.0 for mean in means]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": values,
        "y": places,
        "customdata": places,
        "text": [_hover_text(finding, marks, strip) for strip in marks.strips],
        "marker": {"color": theme.text, "symbol": "line-ns-open", "size": 14, "line": {"width": 2.5}},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "color": theme.muted,
            "thickness": 1.5,
            "width": 4,
            "array": [0.0 if m.high is None else m.high - v for m, v in zip(means, values, strict=True)],
            "arrayminus": [0.0 if m.low is None else v - m.low for m, v in zip(means, values, strict=True)],
        },
        "hovertemplate": "%{text}<extra></extra>",
        "name": "Mean",
    }


def _hover_text(finding: Finding, marks: StripMarks, strip: Strip) -> str:
    ends = format_interval(strip.estimate, finding.metric)
    lines = [label(strip.question, 60, 3), plain(marks.arms[strip.arm]), mark_label(finding.metric, strip)]
    return "<br>".join([*lines, *([f"95% CI {ends}"] if ends else [])])
