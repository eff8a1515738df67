"""Plots of inter-judge agreement by group, and a confusion matrix of ratings."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_number, opens_scored
from karenina_gui.analysis.charts.judge_marks import Agreement, Confusion, JudgeMarks
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.thresholds import MIN_ALPHA_RELIABLE, MIN_ALPHA_TENTATIVE
from karenina_gui.gui.charts.plot_elements import label, plain
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.text import percent, quantity

ROW = 56
"""Pixels per row."""
LEFT_DOMAIN, RIGHT_DOMAIN = [0.0, 0.5], [0.68, 1.0]
DEEPEST = 0.55
"""Opacity of the accent color in the most frequent cell; above it, text becomes illegible."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: JudgeMarks = finding.marks
    texts = [_hover_text(one, finding.metric) for one in marks.groups]
    traces = [_alphas(marks, texts, theme), _same(marks, texts, theme)]
    if marks.confusion:
        traces.append(_confusion(marks, marks.confusion, finding.metric, theme))
    return {"data": traces, "layout": _layout(marks, theme)}


def _layout(marks: JudgeMarks, theme: Theme) -> dict[str, Any]:
    number = len(marks.groups)
    least = min([0.0, *(end for one in marks.groups for end in (one.alpha.low, one.alpha.value) if end is not None)])
    return theme.layout(
        height=max(380 if marks.confusion else 240, ROW * number + 140),
        margin={"l": 12, "r": 20, "t": 70, "b": 62},
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "yref": "container",
            "y": 0.99,
            "yanchor": "top",
            "font": {"color": theme.text},
        },
        xaxis=theme.axis(
            "1: full agreement · 0: chance level<br>Bar: 95% CI",
            range=[least - 0.05, 1.05],
            domain=LEFT_DOMAIN if marks.confusion else [0.0, 1.0],
        ),
        yaxis=theme.axis(
            tickvals=list(range(number)),
            ticktext=[_name(one) for one in marks.groups],
            range=[number - 0.4, -0.6],
            showgrid=False,
        ),
        shapes=[_line(at, theme) for at in (MIN_ALPHA_TENTATIVE, MIN_ALPHA_RELIABLE)],
        annotations=[
            _remark(MIN_ALPHA_TENTATIVE, "tentative", "right", theme),
            _remark(MIN_ALPHA_RELIABLE, "reliable", "left", theme),
        ],
        **(_confusion_axes(marks.confusion, theme) if marks.confusion else {}),
    )


def _name(one: Agreement) -> str:
    return f"{label(one.label, 30, 2)}<br>n = {quantity(one.same.n, 'answer')}"


def _alphas(marks: JudgeMarks, texts: list[str], theme: Theme) -> dict[str, Any]:
    alphas = [
        (index, one.alpha, one.alpha.value) for index, one in enumerate(marks.groups) if one.alpha.value is not None
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [value for _, _, value in alphas],
        "y": [index - 0.1 for index, _, _ in alphas],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "color": theme.accent,
            "thickness": 2,
            "width": 6,
            "array": [_distance(value, alpha.high) for _, alpha, value in alphas],
            "arrayminus": [_distance(alpha.low, value) for _, alpha, value in alphas],
        },
        "customdata": [index for index, _, _ in alphas],
        "text": [texts[index] for index, _, _ in alphas],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": theme.accent, "symbol": "circle", "size": 12},
        "name": "Krippendorff’s alpha",
    }


def _distance(low: float | None, high: float | None) -> float:
    """Return the length of one side of an interval; 0: no interval."""
    return 0.0 if low is None or high is None else max(0.0, high - low)


def _same(marks: JudgeMarks, texts: list[str], theme: Theme) -> dict[str, Any]:
    shares = [(index, one.same.value) for index, one in enumerate(marks.groups) if one.same.value is not None]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [value for _, value in shares],
        # Below the alpha of the same row, so that equal values do not hide each other.
        "y": [index + 0.16 for index, _ in shares],
        "customdata": [index for index, _ in shares],
        "text": [texts[index] for index, _ in shares],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": theme.text, "symbol": "square-open", "size": 9, "line": {"width": 1.5}},
        "name": "Same rating (share)",
    }


def _hover_text(one: Agreement, metric: Metric) -> str:
    lines = [f"<b>{plain(one.label)}</b>"]
    if one.same.value is not None:
        lines.append(f"same rating for {percent(one.same.value)} of {quantity(one.same.n, 'answer')}")
    if one.alpha.value is not None:
        lines.append(f"alpha {format_number(one.alpha.value)}{_ends(one.alpha)}")
    if one.kappa.value is not None:
        lines.append(f"{'Cohen' if one.judgments == 2 else 'Fleiss'} kappa {format_number(one.kappa.value)}")
    if one.icc.value is not None:
        lines.append(
            f"ICC {format_number(one.icc.value)}{_ends(one.icc)} for {quantity(one.icc.n, 'answer')} with all judgments"
        )
    lines.append(plain(opens_scored(metric, one.judge)))
    return "<br>".join(lines)


def _ends(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" (95% CI {format_number(estimate.low)} to {format_number(estimate.high)})"


def _line(at: float, theme: Theme) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": at,
        "x1": at,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "between",
        "line": {"color": theme.zero, "width": 1, "dash": "dash"},
    }


def _remark(at: float, word: str, side: str, theme: Theme) -> dict[str, Any]:
    return {
        "x": at,
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "xanchor": side,
        "showarrow": False,
        "text": f"{word} from {at:g}",
        "font": {"color": theme.muted, "size": 11},
    }


def _confusion_axes(confusion: Confusion, theme: Theme) -> dict[str, Any]:
    places = list(range(len(confusion.ratings)))
    names = [label(name, 14, 2) for name in confusion.ratings]
    ticks = {"tickvals": places, "ticktext": names, "showgrid": False}
    return {
        "xaxis2": theme.axis(label(confusion.second, 34, 2), domain=RIGHT_DOMAIN, anchor="y2", **ticks),
        "yaxis2": theme.axis(label(confusion.first, 34, 2), anchor="x2", range=[len(places) - 0.5, -0.5], **ticks),
    }


def _confusion(marks: JudgeMarks, confusion: Confusion, metric: Metric, theme: Theme) -> dict[str, Any]:
    places = list(range(len(confusion.ratings)))
    leads = plain(opens_scored(metric, marks.groups[confusion.row].judge))
    return {
        "type": "heatmap",
        "x": places,
        "y": places,
        "xaxis": "x2",
        "yaxis": "y2",
        "z": [list(row) for row in confusion.counts],
        "zmin": 0,
        "zmax": max(map(max, confusion.counts)) / DEEPEST,
        "text": [[f"{count:,}" for count in row] for row in confusion.counts],
        "texttemplate": "%{text}",
        "textfont": {"color": theme.text},
        "hovertext": [
            [
                plain(f"{confusion.first}: {one}")
                + "<br>"
                + plain(f"{confusion.second}: {other}")
                + f"<br>{count:,} of {quantity(confusion.number, 'answer')}"
                + f"<br>{leads}"
                for other, count in zip(confusion.ratings, row, strict=True)
            ]
            for one, row in zip(confusion.ratings, confusion.counts, strict=True)
        ],
        "customdata": [[confusion.row] * len(places) for _ in places],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "colorscale": [[0, theme.background], [1, theme.accent]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
    }
