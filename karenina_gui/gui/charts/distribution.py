"""Bar charts of scores: one panel per arm with a common scale."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_number, opens_all
from karenina_gui.analysis.charts.distribution import ArmDistribution, DistributionMarks
from karenina_gui.gui.charts.plot_elements import label, plain
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.text import percent, quantity

TALL_PANEL, LOW_PANEL = 112, 96
"""Pixels per panel, for few arms and for more."""
MAX_TALL_PANELS = 4
"""Panels up to which they are tall."""
GAP = 0.26
"""Share of a panel that its heading takes."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: DistributionMarks = finding.marks
    panels = len(marks.arms)
    places = list(range(len(marks.bins)))
    layout = theme.layout(
        height=(TALL_PANEL if panels <= MAX_TALL_PANELS else LOW_PANEL) * panels + 90,
        bargap=0.12,
        xaxis=theme.axis(
            _title(finding),
            tickvals=places,
            ticktext=[label(one.label, 14, 2) for one in marks.bins],
            range=[-0.6, len(places) - 0.4],
            showgrid=False,
            anchor=_axis(panels - 1),
        ),
        annotations=[_heading(arm, _domain(at, panels)[1], theme) for at, arm in enumerate(marks.arms)],
        **_shares(marks, theme),
    )
    return {"data": [_bars(finding, marks, at, theme) for at in range(panels)], "layout": layout}


def _shares(marks: DistributionMarks, theme: Theme) -> dict[str, Any]:
    """Return the vertical axes, with a common scale."""
    panels = len(marks.arms)
    highest = max((count / arm.number for arm in marks.arms if arm.number for count in arm.counts), default=1.0)
    return {
        f"yaxis{at + 1 if at else ''}": theme.axis(
            "Share" if panels <= MAX_TALL_PANELS else "",
            domain=_domain(at, panels),
            range=[0, highest * 1.25],
            tickformat=".0%",
            nticks=4,
            # The numbers above the bars would be on the lines.
            showgrid=False,
        )
        for at in range(panels)
    }


def _axis(at: int) -> str:
    return f"y{at + 1 if at else ''}"


def _domain(at: int, panels: int) -> list[float]:
    """Return the vertical range of a panel, counted from the top."""
    top = 1 - at / panels
    return [1 - (at + 1) / panels, top - GAP / panels]


def _title(finding: Finding) -> str:
    metric = finding.metric
    better = {True: ", higher is better", False: ", lower is better", None: ""}
    if metric.kind == "binary":
        return plain(f"{metric.title} (share and number of scores)")
    return plain(f"{metric.title} (share and number of scores{better[metric.higher_is_better]})")


def _heading(arm: ArmDistribution, top: float, theme: Theme) -> dict[str, Any]:
    figures = [f"n = {quantity(arm.number, 'score')}"]
    if arm.mean is not None and arm.median is not None:
        figures.append(f"mean {format_number(arm.mean)}, median {format_number(arm.median)}")
    return {
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": top,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "text": f"<b>{label(arm.label, 60, 1)}</b> · {' · '.join(figures)}",
        "font": {"color": theme.text, "size": 12},
        "align": "left",
    }


def _bars(finding: Finding, marks: DistributionMarks, at: int, theme: Theme) -> dict[str, Any]:
    arm = marks.arms[at]
    shares = [count / arm.number if arm.number else 0.0 for count in arm.counts]
    lines = [
        f"<b>{plain(arm.label)}</b><br>{plain(one.label)}<br>{count:,} of {arm.number:,} scores, {percent(share)}"
        for one, share, count in zip(marks.bins, shares, arm.counts, strict=True)
    ]
    if any(arm.counts):
        leads = f"<br>{plain(opens_all(finding.metric.trait, f' of {arm.label}'))}"
        exact = marks.exact[at * len(shares) :]
        lines = [line if own else f"{line}{leads}" for line, own in zip(lines, exact, strict=False)]
    return {
        "type": "bar",
        "x": list(range(len(shares))),
        "y": shares,
        "yaxis": _axis(at),
        "text": [f"{count:,}" for count in arm.counts],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": [at * len(shares) + index for index in range(len(shares))],
        "hovertext": lines,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {"color": theme.arm(arm.style_index).colour},
        "name": plain(arm.label),
    }
