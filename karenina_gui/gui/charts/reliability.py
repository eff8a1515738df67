"""Scatter plot of questions by quality and variation of their answers; mark size by tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, pi, sin, sqrt
from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_number, format_value
from karenina_gui.analysis.charts.reliability_marks import (
    Kind,
    QuestionPoint,
    ReliabilityMarks,
    kinds_in_words,
    names_of,
)
from karenina_gui.analysis.charts.replicate_counts import good_label
from karenina_gui.analysis.metrics import Metric
from karenina_gui.gui.charts.plot_elements import entry, label, plain, scale
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.text import percent, quantity

SMALLEST, LARGEST, EVEN = 7.0, 17.0, 10.0
"""Diameters of marks in pixels; `EVEN` if tokens are unknown or equal."""
STEP, ROOM = 0.02, 0.1
"""Distance of overlapping marks and maximum displacement, as shares of the horizontal axis."""
TALLER = 1.6
"""Vertical units per horizontal unit of equal length on screen."""
TURN = pi * (3 - sqrt(5))
"""Golden angle: marks at one place form a sunflower pattern without overlap."""
LEAST = 0.4
"""Minimum scale of marks, however many share a place."""
SIDE = 66
"""Pixels for the vertical axis. Always enough, as plotly draws a figure twice if it has to widen the margin."""
MARGIN = 0.2
"""Room beyond the ends of an axis for displaced marks and labels, as a share of its length."""

PlacedMark = tuple[float, float, float]
"""Coordinates and diameter of a mark."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: ReliabilityMarks = finding.marks
    metric = finding.metric
    low, high = _ends(metric, marks)
    top, wide = _greatest_spread(metric, marks), high - low
    xs, ys = _positions(marks, wide, top)
    sizes, sized = _sizes(marks.points)
    shrunk = _scale_of_marks(_groups(marks, wide, top))
    placed = [(x, y, shrunk * size) for x, y, size in zip(xs, ys, sizes, strict=True)]
    rate = metric.kind == "binary"
    entries = len({point.arm for point in marks.points})
    remark = "Mark size: tokens per answer including judging · " if sized else ""
    return {
        "data": [
            _arm(finding, arm, placed, entries, theme)
            for arm in range(len(marks.arms))
            if any(point.arm == arm for point in marks.points)
        ],
        "layout": theme.layout(
            height=460,
            **theme.with_legend(entries, is_shown=len(marks.arms) > 1, left=SIDE, itemsizing="constant"),
            xaxis=theme.axis(
                f"{plain(_title(metric))}<br>{remark}Overlapping marks are spread out",
                **(scale(metric) | _ticks(rate)),
            )
            | {"range": [low - MARGIN * wide, high + MARGIN * wide]},
            yaxis=theme.axis(
                "Flip probability" if rate else "Standard deviation between answers",
                range=[-1.2 * MARGIN * top, (1 + 1.4 * MARGIN) * top],
                **_ticks(rate),
            ),
            shapes=_borders(metric, marks, high + MARGIN * wide, low - MARGIN * wide, theme),
            annotations=[_kind(metric, marks, kind, theme) for kind in marks.kinds],
        ),
    }


def _greatest_spread(metric: Metric, marks: ReliabilityMarks) -> float:
    """Return the spread up to which the vertical axis has room for marks."""
    top = max([point.spread or 0.0 for point in marks.points] + [1.5 * marks.limit if marks.limit else 0.0])
    return max(top, 0.7) if metric.kind == "binary" else top or 1.0


def _title(metric: Metric) -> str:
    if metric.kind == "binary":
        good = good_label(metric)
        return f"Share of answers that {good}" if metric.trait is None else f"Share of answers rated “{good}”"
    better = {True: ", higher is better", False: ", lower is better", None: ""}
    return f"{metric.title} (mean of the answers{better[metric.higher_is_better]})"


def _ticks(rate: bool) -> dict[str, Any]:
    return {"tickvals": [0, 0.25, 0.5, 0.75, 1], "tickformat": ".0%"} if rate else {}


def _ends(metric: Metric, marks: ReliabilityMarks) -> tuple[float, float]:
    """Return the range of the horizontal axis: the scale, or the range of the means if it is unbounded."""
    if metric.low is not None and metric.high is not None and metric.high > metric.low:
        return metric.low, metric.high
    means = [point.level for point in marks.points if point.level is not None]
    least, most = min(means), max(means)
    return (least, most) if most > least else (least - 0.5, least + 0.5)


def _positions(marks: ReliabilityMarks, wide: float, tall: float) -> tuple[list[float], list[float]]:
    """Return the coordinates of the marks; overlapping marks are spread out."""
    groups = _groups(marks, wide, tall)
    xs, ys = [0.0] * len(marks.points), [0.0] * len(marks.points)
    for group in groups:
        step = _step(group)
        # The first mark keeps the exact place.
        for index, at in enumerate(sorted(group, key=lambda at: marks.points[at].arm)):
            far, angle, point = step * sqrt(index), index * TURN, marks.points[at]
            xs[at] = (point.level or 0.0) + far * wide * cos(angle)
            ys[at] = (point.spread or 0.0) + far * TALLER * tall * sin(angle)
    return xs, ys


def _groups(marks: ReliabilityMarks, wide: float, tall: float) -> list[list[int]]:
    """Return the indices of marks by place."""
    groups: dict[tuple[float, float], list[int]] = {}
    for at, point in enumerate(marks.points):
        position = round((point.level or 0.0) / wide, 6), round((point.spread or 0.0) / tall, 6)
        groups.setdefault(position, []).append(at)
    return list(groups.values())


def _step(group: list[int]) -> float:
    return min(STEP, ROOM / sqrt(len(group)))


def _scale_of_marks(groups: list[list[int]]) -> float:
    """Return the scale of all marks, smaller if many share a place."""
    return max(LEAST, min(map(_step, groups)) / STEP)


def _sizes(points: Iterable[QuestionPoint]) -> tuple[list[float], bool]:
    """Return the diameters by tokens, and whether they differ."""
    tokens = [point.tokens for point in points]
    counts = [count for count in tokens if count is not None]
    least, most = min(counts, default=0.0), max(counts, default=0.0)
    if most <= 1.05 * least:
        return [EVEN] * len(tokens), False
    room = LARGEST - SMALLEST
    return [SMALLEST + (0.0 if t is None else room * sqrt((t - least) / (most - least))) for t in tokens], True


def _arm(finding: Finding, arm: int, placed: Sequence[PlacedMark], entries: int, theme: Theme) -> dict[str, Any]:
    marks: ReliabilityMarks = finding.marks
    here = [at for at, point in enumerate(marks.points) if point.arm == arm]
    look, counted = theme.arm(marks.style_indices[arm]), quantity(marks.by_arm[arm], "question")
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [placed[at][0] for at in here],
        "y": [placed[at][1] for at in here],
        "customdata": here,
        "text": [_hover_text(finding.metric, marks, marks.points[at]) for at in here],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": look.colour,
            "symbol": look.symbol,
            "size": [placed[at][2] for at in here],
            "opacity": 0.8,
            "line": {"color": theme.background, "width": 1},
        },
        "name": entry(f"{marks.arms[arm]} ({counted}{_drawn_count(len(here), marks.by_arm[arm])})", entries),
    }


def _drawn_count(drawn: int, number: int) -> str:
    """Return the number drawn if it is not all."""
    return f", {drawn:,} drawn" if drawn < number else ""


def _hover_text(metric: Metric, marks: ReliabilityMarks, point: QuestionPoint) -> str:
    lines = [label(point.question, 60, 3), f"<b>{plain(marks.arms[point.arm])}</b>"]
    if point.good is not None:
        lines.append(
            f"{point.good} {good_label(metric)} of {point.answers} scored, of {quantity(point.planned, 'answer')}"
        )
        lines.append(f"flip probability {percent(point.spread or 0.0)}")
    else:
        lines.append(
            f"mean {format_value(point.mean, metric)} ({point.answers} of {quantity(point.planned, 'answer')} scored)"
        )
        lines.append(f"standard deviation {format_number(point.spread or 0.0)}")
    if point.tokens is not None:
        lines.append(f"{point.tokens:,.0f} tokens per answer including judging")
    if point.kind:
        lines.append(f"<b>{names_of(metric)[point.kind]}</b>: {kinds_in_words(metric)[point.kind]}")
    return "<br>".join(lines)


def _borders(metric: Metric, marks: ReliabilityMarks, high: float, low: float, theme: Theme) -> list[dict[str, Any]]:
    """Return the lines between the kinds for metrics other than yes/no."""
    if marks.limit is None:
        return []
    line: dict[str, Any] = {"type": "line", "layer": "above", "line": {"color": theme.zero, "width": 1, "dash": "dash"}}
    lines = [line | {"x0": low, "x1": high, "y0": marks.limit, "y1": marks.limit}]
    if marks.middle is not None:
        lines.append(line | {"x0": marks.middle, "x1": marks.middle, "yref": "y", "y0": 0, "y1": marks.limit})
    return lines


def _kind(metric: Metric, marks: ReliabilityMarks, kind: Kind, theme: Theme) -> dict[str, Any]:
    """Return the label of a kind with its count."""
    binary = metric.kind == "binary"
    rightwards = (kind == "always") != (metric.higher_is_better is False and not binary)
    side = "center" if kind in ("sometimes", "same") else "right" if rightwards else "left"
    return {
        "xref": "paper",
        "x": {"left": 0.01, "center": 0.5, "right": 0.99}[side],
        "xanchor": side,
        "yref": "paper",
        **({"y": 1, "yanchor": "top"} if kind == "sometimes" else {"y": 0, "yanchor": "bottom"}),
        "text": f"{names_of(metric)[kind]}: {marks.kinds[kind]:,} of {marks.number:,}",
        "showarrow": False,
        "font": {"color": theme.muted, "size": 12},
    }
