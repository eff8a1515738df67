"""The mean with each further replicate, and beside it how wide its interval is and where that would end."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.convergence import ConvergenceMarks, Course, half
from karenina_gui.analysis.charts.words import apart, between, counted, opens_all, said
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.gui.charts.marks import ENTRY, label, plain
from karenina_gui.gui.charts.theme import IN_A_ROW, Theme

LEFT, RIGHT = [0.0, 0.46], [0.56, 1.0]


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: ConvergenceMarks = finding.marks
    rate = finding.metric.kind == "binary"
    times = 100.0 if rate else 1.0
    widest = times * max(width for course in marks.courses for width in course.halves if width is not None)
    axis = {"range": [0.8, marks.replicates + 0.7], **({"dtick": 1} if marks.replicates <= 20 else {})}
    return {
        "data": [trace for course in marks.courses for trace in _traces(finding, marks, course, theme)],
        "layout": theme.layout(
            height=460,
            margin={"l": 12, "r": 20, "t": 40 if len(marks.courses) <= IN_A_ROW else 12, "b": 62},
            showlegend=True,
            legend=theme.legend(len(marks.courses)),
            xaxis=theme.axis("Replicates", domain=LEFT, **axis),
            yaxis=theme.axis(
                plain(f"{finding.metric.title} (mean of questions)"), **({"tickformat": ".0%"} if rate else {})
            ),
            xaxis2=theme.axis("Replicates<br>open mark at the end: with endless replicates", domain=RIGHT, **axis),
            yaxis2=theme.axis(
                f"Half width of the 95 % interval ({'points of 100' if rate else 'score'})",
                anchor="x2",
                range=[-0.04 * widest, 1.1 * widest],
            ),
        ),
    }


def _traces(finding: Finding, marks: ConvergenceMarks, course: Course, theme: Theme) -> list[dict[str, Any]]:
    look = theme.arm(course.look)
    times = 100.0 if finding.metric.kind == "binary" else 1.0
    numbers = list(range(1, len(course.points) + 1))
    rows = [course.row + at for at in range(len(course.points))]
    shared = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": numbers,
        "customdata": rows,
        "text": [_words(finding, course, point, k) for k, point in enumerate(course.points, 1)],
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": look.colour, "width": 2, "dash": look.dash},
        "marker": {"color": look.colour, "symbol": look.symbol, "size": 9},
        "legendgroup": str(course.arm),
    }
    name = label(f"{course.label} (n = {course.points[-1].n:,})", ENTRY)
    widths = [None if width is None else times * width for width in course.halves]
    found = [
        {**shared, "y": [point.value for point in course.points], "name": name, "showlegend": True},
        {**shared, "y": widths, "xaxis": "x2", "yaxis": "y2", "name": name, "showlegend": False},
    ]
    if course.limit is not None:
        found.append(_limit(finding, marks, course, course.limit, theme))
    return found


def _limit(finding: Finding, marks: ConvergenceMarks, course: Course, limit: float, theme: Theme) -> dict[str, Any]:
    look = theme.arm(course.look)
    words = f"<b>{plain(course.label)}</b><br>with endless replicates: {apart(limit, finding.metric)} either way"
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [marks.replicates + 0.45],
        "y": [(100.0 if finding.metric.kind == "binary" else 1.0) * limit],
        "xaxis": "x2",
        "yaxis": "y2",
        "text": [words],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": look.colour, "symbol": look.symbol + "-open", "size": 11, "line": {"width": 2}},
        "legendgroup": str(course.arm),
        "showlegend": False,
        "name": plain(course.label),
    }


def _words(finding: Finding, course: Course, point: Estimate, k: int) -> str:
    ends, width = between(point, finding.metric), half(point)
    lines = [
        f"<b>{plain(course.label)}</b>",
        f"{counted(k, 'replicate')}: {said(point.value, finding.metric)} on {counted(point.n, 'question')}",
    ]
    if ends and width is not None:
        lines.append(f"95 % interval {ends}, {apart(width, finding.metric)} either way")
    if k < len(course.points):
        lines.append(plain(opens_all(None, f" of {course.label}")))
    return "<br>".join(lines)
