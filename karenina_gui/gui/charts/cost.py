"""Scatter plots of mean score against cost and against time."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import Unit, format_amount, format_interval, format_value
from karenina_gui.analysis.charts.cost import UNITS, ArmCost, CostMarks
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.gui.charts.plot_elements import entry, error_bar, plain, scale
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.text import quantity

AXIS_TITLES: dict[Unit, str] = {
    "dollars": "Cost per answer<br>including judging ($)",
    "tokens": "Tokens per answer<br>including judging",
    "seconds": "Seconds per answer<br>including judging",
}

BEST = "Pareto-optimal: none as good for less"


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: CostMarks = finding.marks
    units = _panels(marks)
    fronts = [front for at, unit in enumerate(units) if (front := _frontier(marks, unit, at, theme))]
    if fronts:
        fronts[0]["showlegend"] = True
    points = [point for at, unit in enumerate(units) for point in _points(finding, marks, unit, at, theme)]
    width = 1.0 if len(units) == 1 else 0.48
    axes = {
        f"xaxis{_nth(at)}": theme.axis(
            AXIS_TITLES[unit],
            domain=[at * (1 - width), at * (1 - width) + width],
            range=_range(marks, unit),
            tickprefix="$" if unit == "dollars" else "",
        )
        for at, unit in enumerate(units)
    }
    sides = {
        f"yaxis{_nth(at)}": theme.axis(
            f"{plain(finding.metric.title)} (mean, bar: 95% CI)" if not at else "",
            anchor=f"x{_nth(at)}",
            # Both have the same axis.
            showticklabels=not at,
            **scale(finding.metric),
        )
        for at in range(len(units))
    }
    layout = theme.layout(
        height=460,
        **theme.with_legend(len(marks.arms) + 1, row=60, below=44),
        **axes,
        **sides,
    )
    return {"data": [*fronts, *points], "layout": layout}


def _panels(marks: CostMarks) -> list[Unit]:
    timed = any(arm.seconds.value is not None and arm.quality.value is not None for arm in marks.arms)
    return [marks.unit, "seconds"] if timed and marks.unit != "seconds" else [marks.unit]


def _range(marks: CostMarks, unit: Unit) -> list[float]:
    """Return the range of the cost axis."""
    means = [mean for arm in marks.arms if (mean := arm.cost_in(unit).mean).value is not None]
    ends = [end for mean in means for end in (mean.value, mean.low, mean.high) if end is not None]
    least, most = min(ends, default=0.0), max(ends, default=0.0)
    # From 0, nearly equal costs would overlap.
    near = len(means) > 1 and least > 0.5 * most
    return [0.8 * least if near else -0.02 * most, 1.15 * most or 1.0]


def _nth(at: int) -> str:
    return str(at + 1) if at else ""


def _points(finding: Finding, marks: CostMarks, unit: Unit, at: int, theme: Theme) -> list[dict[str, Any]]:
    return [
        _point(finding, marks, arm, unit, at, theme)
        for arm in marks.arms
        if arm.quality.value is not None and arm.cost_in(unit).value is not None
    ]


def _point(finding: Finding, marks: CostMarks, arm: ArmCost, unit: Unit, at: int, theme: Theme) -> dict[str, Any]:
    mean, look = arm.quality, theme.arm(arm.style_index)
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": [arm.cost_in(unit).value],
        "y": [mean.value],
        "xaxis": f"x{_nth(at)}",
        "yaxis": f"y{_nth(at)}",
        "customdata": [arm.arm],
        "hovertext": [_hover_text(finding, arm)],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {"color": look.colour, "symbol": look.symbol, "size": 13},
        "name": entry(arm.label, len(marks.arms) + 1),
        "legendgroup": str(arm.arm),
        "showlegend": at == 0,
    }
    for side, estimate in (("error_y", mean), ("error_x", arm.cost_in(unit).mean)):
        if bar := error_bar(estimate, look.colour, thickness=1.5, width=5):
            trace[side] = bar
    return trace


def _hover_text(finding: Finding, arm: ArmCost) -> str:
    ends = format_interval(arm.quality, finding.metric)
    spent = [
        f"{format_amount(spent.value, unit)} per answer including judging{_ends(spent.mean, unit)} "
        f"(known for {spent.n:,} of {arm.answers:,})"
        for unit in UNITS
        if (spent := arm.cost_in(unit)).value is not None
    ]
    if arm.own_tokens.value is not None:
        spent.append(f"{format_amount(arm.own_tokens.value, 'tokens')} for the answer only")
    value = f"{format_value(arm.quality.value, finding.metric)}{f' (95% CI {ends})' if ends else ''}"
    return "<br>".join(
        [f"<b>{plain(arm.label)}</b>", f"{value} on {quantity(arm.quality.n, 'question')}", *map(plain, spent)]
    )


def _ends(mean: Estimate, unit: Unit) -> str:
    return (
        ""
        if mean.low is None or mean.high is None
        else f", 95% CI {format_amount(mean.low, unit)} to {format_amount(mean.high, unit)}"
    )


def _frontier(marks: CostMarks, unit: Unit, at: int, theme: Theme) -> dict[str, Any] | None:
    """Return the line through the arms that no other arm beats in both (Pareto front)."""
    best = sorted(
        (spent, arm.quality.value)
        for arm in marks.arms
        if unit in (arm.best_by or ())
        and (spent := arm.cost_in(unit).value) is not None
        and arm.quality.value is not None
    )
    if len(best) < 2:
        return None
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for x, _ in best],
        "y": [y for _, y in best],
        "xaxis": f"x{_nth(at)}",
        "yaxis": f"y{_nth(at)}",
        "line": {"color": theme.muted, "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
        "name": BEST,
        "showlegend": False,
    }
