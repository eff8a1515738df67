"""Stacked bars of variance components, one bar per metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import opens_scored
from karenina_gui.analysis.charts.variance import PARTS, Budget, VarianceMarks, reliability_in_words
from karenina_gui.analysis.variance_text import component_names, part_remedy
from karenina_gui.gui.charts.plot_elements import label, plain
from karenina_gui.gui.charts.theme import Theme, ink_on
from karenina_gui.text import percent, quantity

ROW = 62
"""Pixels per row."""
NAMES = {
    "question": "Questions",
    "interaction": "Questions × configurations",
    "answer": "Answers",
    "judge": "Judgments",
}
PATTERNS = {"question": "", "interaction": "/", "answer": ".", "judge": "x"}
READABLE = 0.06
"""Minimum share with room for its percentage."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    marks: VarianceMarks = finding.marks
    parts = [part for at, part in enumerate(PARTS) if any(budget.shares[at] is not None for budget in marks.budgets)]
    return {
        "data": [_part(marks, part, theme) for part in parts],
        "layout": theme.layout(
            height=max(240, ROW * len(marks.budgets) + 120),
            margin={"l": 12, "r": 20, "t": 40, "b": 44},
            barmode="stack",
            showlegend=True,
            legend={
                "orientation": "h",
                "traceorder": "normal",
                "x": 0,
                "y": 1.02,
                "yanchor": "bottom",
                "font": {"color": theme.text},
            },
            xaxis=theme.axis("Share of the variance of single judgments", tickformat=".0%", range=[0, 1]),
            yaxis=theme.axis(
                tickvals=list(range(len(marks.budgets))),
                ticktext=[_name(budget) for budget in marks.budgets],
                range=[len(marks.budgets) - 0.4, -0.6],
                showgrid=False,
            ),
            annotations=[
                note for at, budget in enumerate(marks.budgets) for note in _percentages(at, budget.shares, theme)
            ],
        ),
    }


def _name(budget: Budget) -> str:
    small = f"n = {quantity(budget.components.n, 'question')}, {quantity(budget.scored, 'score')}"
    reliability = reliability_in_words(budget)
    return "<br>".join([label(budget.metric.title, lines=1), small, *([reliability] if reliability else [])])


def _part(marks: VarianceMarks, part: str, theme: Theme) -> dict[str, Any]:
    index = PARTS.index(part)
    shares = [budget.shares[index] or 0.0 for budget in marks.budgets]
    return {
        "type": "bar",
        "orientation": "h",
        "name": NAMES[part],
        "x": shares,
        "y": list(range(len(shares))),
        "customdata": list(range(len(shares))),
        "width": 0.6,
        "hovertext": [_hover_text(budget, part, share) for budget, share in zip(marks.budgets, shares, strict=True)],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {
            "color": theme.colours[index],
            "line": {"color": theme.background, "width": 1},
            "pattern": {
                "shape": PATTERNS[part],
                "bgcolor": theme.colours[index],
                "fgcolor": theme.background,
                "size": 8,
                "fgopacity": 0.4,
                "solidity": 0.18,
            },
        },
    }


def _percentages(row: int, shares: Sequence[float | None], theme: Theme) -> Iterator[dict[str, Any]]:
    """Yield the percentages of a bar, each on the plain color of its part: patterns would run through the digits."""
    start = 0.0
    for colour, share in zip(theme.colours, shares, strict=False):
        if share is not None and share >= READABLE:
            yield {
                "x": start + share / 2,
                "y": row,
                "text": f"<b>{percent(share)}</b>",
                "font": {"color": ink_on(colour), "size": 13},
                "bgcolor": colour,
                "borderpad": 4,
                "showarrow": False,
            }
        start += share or 0.0


def _hover_text(budget: Budget, part: str, share: float) -> str:
    return "<br>".join(
        [
            f"<b>{plain(budget.metric.title)}</b>",
            f"{percent(share)} {component_names(budget.components)[part]}",
            part_remedy(budget.components, part),
            f"{quantity(budget.components.n, 'question')}, {quantity(budget.scored, 'score')}",
            plain(opens_scored(budget.metric)),
        ]
    )
