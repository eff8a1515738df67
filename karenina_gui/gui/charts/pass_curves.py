"""Curves of pass@k (solid) and pass^k (dotted) by arm."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_interval, format_value, opens_all
from karenina_gui.analysis.charts.pass_curves import PassCurve, PassMarks
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.gui.charts.plot_elements import entry, plain
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.text import quantity

BANDS = 3
"""Maximum number of arms with intervals. More would hide one another."""
SEEN = 0.14
"""Opacity of an interval band."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: PassMarks = finding.marks
    bands = [
        band
        for curve in marks.curves
        if len(marks.curves) <= BANDS
        for points in (curve.any, curve.all)
        for band in _band(points, curve, theme)
    ]
    lines = [line for curve in marks.curves for line in _lines(finding, marks, curve, theme)]
    ticks = {"dtick": 1} if marks.tries <= 20 else {}
    return {
        "data": [*bands, *lines],
        "layout": theme.layout(
            height=460,
            **theme.with_legend(len(marks.curves)),
            xaxis=theme.axis(
                "Attempts (k)<br>Solid: at least once (pass@k) · Dotted: every time (pass^k)"
                + (" · Shaded: 95% CI" if bands else ""),
                range=[0.8, marks.tries + 0.2],
                **ticks,
            ),
            yaxis=theme.axis("Share of questions", tickformat=".0%", range=[-0.03, 1.03]),
        ),
    }


def _lines(finding: Finding, marks: PassMarks, curve: PassCurve, theme: Theme) -> list[dict[str, Any]]:
    look = theme.arm(curve.style_index)
    shared = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(range(1, len(curve.any) + 1)),
        "customdata": [curve.row + at for at in range(len(curve.any))],
        "legendgroup": str(curve.arm),
        "hovertemplate": "%{text}<extra></extra>",
    }
    return [
        {
            **shared,
            "y": [point.value for point in points],
            "text": [_hover_text(finding, curve, point, k, once=once) for k, point in enumerate(points, 1)],
            "name": entry(f"{curve.label} ({quantity(curve.questions, 'question')})", len(marks.curves)),
            "showlegend": once,
            "line": {"color": look.colour, "width": 2, "dash": dash},
            "marker": {"color": look.colour, "symbol": look.symbol + ending, "size": 9, "line": {"width": 1.5}},
        }
        for points, once, dash, ending in ((curve.any, True, "solid", ""), (curve.all, False, "dot", "-open"))
    ]


def _hover_text(finding: Finding, curve: PassCurve, point: Estimate, k: int, *, once: bool) -> str:
    ends, level = format_interval(point, finding.metric), format_value(point.value, finding.metric)
    return "<br>".join(
        [
            f"<b>{plain(curve.label)}</b>",
            f"pass@{k} (at least once): {level}" if once else f"pass^{k} (every time): {level}",
            *([f"95% CI {ends}"] if ends else []),
            quantity(point.n, "question"),
            *(
                [plain(opens_all(finding.links[curve.row].get("trait"), f" of {curve.label}"))]
                if k < len(curve.any)
                else []
            ),
        ]
    )


def _band(points: tuple[Estimate, ...], curve: PassCurve, theme: Theme) -> list[dict[str, Any]]:
    """Return the band of the intervals; None: fewer than two points have one."""
    bounds = [(k, one.low, one.high) for k, one in enumerate(points, 1) if one.low is not None and one.high is not None]
    if len(bounds) < 2:
        return []
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "fill": "toself",
            "hoverinfo": "skip",
            "showlegend": False,
            "x": [k for k, _, _ in bounds] + [k for k, _, _ in bounds[::-1]],
            "y": [low for _, low, _ in bounds] + [high for _, _, high in bounds[::-1]],
            "fillcolor": theme.arm(curve.style_index).colour,
            "opacity": SEEN,
            "line": {"width": 0},
            "legendgroup": str(curve.arm),
        }
    ]
