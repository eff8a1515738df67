"""Questions by arms: each replicate a cell with colour and sign where they have room, else the share of good ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.heatmap import OUTCOMES, HeatCell, HeatMarks, HeatRow
from karenina_gui.analysis.charts.words import number
from karenina_gui.analysis.metrics import Metric
from karenina_gui.gui.charts.marks import SIGN, label, plain, side
from karenina_gui.gui.charts.theme import Theme
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.text import percent

ROW = 26
"""Pixels."""
LACKING: frozenset[Outcome | None] = frozenset((None, "error", "unscored"))
"""What leaves an answer without a score."""
SCALE = 120
"""Pixels of the scale of colours with its words."""
ROOM, WIDE = 760, 1200
"""Pixels across a figure in a window of 1280 pixels; those from which names have more room."""
NAME, LONG_NAME = 30, 62
"""Signs of a question beside its row, where there is that room and where there is more."""
APART = 0.3
"""Of the columns of two arms."""
HEAD, LEANING = 3, 30
"""Lines of an arm's name above its columns; signs of one that leans, as it has no room there."""
BETWEEN = 8
"""Pixels at least between two such names."""
LINE, RISE = 16, 4
"""Pixels that a line of such a name is high, and those by which a leaning one rises with each sign."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    """`meta` of its layout: what changes in it from a width on, in pixels, called `from` there."""
    marks: HeatMarks = finding.marks
    traces, places, columns, drawn = _by_replicate(marks, theme) if marks.replicates else _by_arm(finding, marks, theme)
    right = 20 if marks.replicates else SCALE

    def named(width: int, signs: int) -> dict[str, Any]:
        rows = [label(row.question, signs, 1) for row in marks.rows]
        left = side(rows)
        apart = min((after - place for place, after in pairwise(places)), default=columns)
        top, heads = _heads(marks.arms, (width - left - right) * apart / columns)
        return {
            "margin": {"l": left, "r": right, "t": top, "b": 30},
            "yaxis": theme.axis(
                tickvals=list(range(len(rows))), ticktext=rows, range=[len(rows) - 0.5, -0.5], showgrid=False
            ),
            "xaxis": theme.axis(side="top", tickvals=places, showgrid=False, fixedrange=True, **heads),
        }

    usual = named(ROOM, NAME)
    height = max(200, ROW * len(marks.rows) + 110) + usual["margin"]["t"]
    layout = theme.layout(height=height, meta={"from": WIDE, **named(WIDE, LONG_NAME)}, **usual, **drawn)
    return {"data": traces, "layout": layout}


def _heads(names: Sequence[str], room: float) -> tuple[int, dict[str, Any]]:
    """Names of arms, each in so many pixels, and how high they stand; they lean where one of them has too little."""
    signs = max(1, int((room - BETWEEN) // SIGN))
    broken = [wrap(name, signs, break_long_words=False) for name in names]
    fit = all(len(lines) <= HEAD and max(map(len, lines), default=0) <= signs for lines in broken)
    if fit or signs >= LEANING:
        texts = [label(name, signs, HEAD) for name in names]
        return 24 + LINE * max(text.count("<br>") + 1 for text in texts), {"ticktext": texts, "tickangle": 0}
    texts = [label(name, LEANING, 1) for name in names]
    return 24 + RISE * min(LEANING, max(map(len, names))), {"ticktext": texts, "tickangle": 35}


_Drawn = tuple[list[dict[str, Any]], list[float], float, dict[str, Any]]
"""Traces; the middle of each arm, and how many columns all take; more of the layout."""


def _by_arm(finding: Finding, marks: HeatMarks, theme: Theme) -> _Drawn:
    metric = finding.metric
    arms = len(marks.arms)
    cells = [[row.cells[arm] for arm in range(arms)] for row in marks.rows]
    trace: dict[str, Any] = {
        "type": "heatmap",
        "x": list(range(arms)),
        "y": list(range(len(cells))),
        "z": [[_level(metric, cell) for cell in row] for row in cells],
        "text": [[_written(metric, cell, theme) for cell in row] for row in cells],
        "texttemplate": "%{text}",
        "hovertext": [[_words(marks, metric, row, arm) for arm in range(arms)] for row in marks.rows],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": [[place * arms + arm for arm in range(arms)] for place in range(len(cells))],
        "colorscale": _colours(metric, theme),
        "xgap": 2,
        "ygap": 2,
        "colorbar": _scale(metric, marks, theme),
        "hoverongaps": False,
    }
    if (ends := _ends(metric)) is not None:
        trace |= {"zmin": ends[0], "zmax": ends[1]}
    layout = {"annotations": [_remark(metric, marks, theme)]}
    return [trace, *_gaps(marks, cells, theme)], [float(arm) for arm in range(arms)], arms, layout


def _remark(metric: Metric, marks: HeatMarks, theme: Theme) -> dict[str, Any]:
    """What the figures and signs in the cells are."""
    present = {outcome for row in marks.rows for cell in row.cells for outcome in cell.outcomes}
    first = f"2/3: 2 of 3 scored answers {marks.good}" if metric.kind == "binary" else "Number: mean of the answers"
    signs = [f"{look.glyph} {_outcome(marks, one)}" for one, look in theme.outcomes.items() if one in present & LACKING]
    return {
        "xref": "paper", "yref": "paper", "x": 0, "y": 0, "xanchor": "left", "yanchor": "top", "showarrow": False,
        "yshift": -6, "text": "; ".join([first, *signs]), "font": {"color": theme.muted, "size": 12},
    }  # fmt: skip


def _gaps(marks: HeatMarks, cells: list[list[HeatCell]], theme: Theme) -> list[dict[str, Any]]:
    """Signs of cells without a score, which have no colour."""
    empty = [
        (arm, place, theme.outcomes[_first(cell)].glyph)
        for place, row in enumerate(cells)
        for arm, cell in enumerate(row)
        if cell.mean is None and cell.outcomes
    ]
    if not empty:
        return []
    return [
        {
            "type": "scatter", "mode": "text", "x": [arm for arm, _, _ in empty], "y": [row for _, row, _ in empty],
            "text": [glyph for _, _, glyph in empty], "textfont": {"color": theme.muted},
            "customdata": [row * len(marks.arms) + arm for arm, row, _ in empty],
            "hovertext": [_words(marks, None, marks.rows[row], arm) for arm, row, _ in empty],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }
    ]  # fmt: skip


def _by_replicate(marks: HeatMarks, theme: Theme) -> _Drawn:
    """A column for each replicate, the arms a little apart."""
    codes = {outcome: code for code, outcome in enumerate(theme.outcomes)}
    traces, middles, start = [], [], 0.0
    for arm, numbers in enumerate(marks.replicates):
        traces.append(_of_arm(marks, arm, [start + at for at in range(len(numbers))], codes, theme))
        middles.append(start + (len(numbers) - 1) / 2)
        start += len(numbers) + APART
    present = {outcome for row in marks.rows for cell in row.cells for outcome in cell.outcomes}
    legend = [
        _entry(f"{look.glyph} {_outcome(marks, outcome)}", look.colour)
        for outcome, look in theme.outcomes.items()
        if outcome in present
    ]
    below = {"orientation": "h", "x": 0, "y": 0, "yanchor": "top", "font": {"color": theme.text}}
    return [*traces, *legend], middles, start - APART, {"showlegend": True, "legend": below}


def _of_arm(
    marks: HeatMarks, arm: int, columns: list[float], codes: dict[Outcome | None, int], theme: Theme
) -> dict[str, Any]:
    outcomes = [row.cells[arm].outcomes for row in marks.rows]
    gap = [None] * len(columns)
    wide, first = (sum(map(len, numbers)) for numbers in (marks.replicates, marks.replicates[:arm]))
    words = [[_words(marks, None, row, arm, at) for at in range(len(columns))] for row in marks.rows]
    return {
        "type": "heatmap",
        "x": columns,
        "y": list(range(len(marks.rows))),
        "z": [[codes[one] for one in of_row] or gap for of_row in outcomes],
        "zmin": -0.5,
        "zmax": len(codes) - 0.5,
        "text": [[theme.outcomes[one].glyph for one in of_row] or [""] * len(columns) for of_row in outcomes],
        "texttemplate": "%{text}",
        "hovertext": words,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": [[place * wide + first + at for at in range(len(columns))] for place in range(len(marks.rows))],
        "colorscale": [
            [end / len(codes), look.colour]
            for code, look in enumerate(theme.outcomes.values())
            for end in (code, code + 1)
        ],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hoverongaps": False,
    }


def _entry(words: str, colour: str) -> dict[str, Any]:
    """One line of the legend."""
    return {
        "type": "scatter", "mode": "markers", "x": [None], "y": [None], "name": words, "hoverinfo": "skip",
        "marker": {"symbol": "square", "size": 12, "color": colour}, "showlegend": True,
    }  # fmt: skip


def _level(metric: Metric, cell: HeatCell) -> float | None:
    if cell.mean is None:
        return None
    return cell.successes / cell.trials if metric.kind == "binary" else cell.mean


def _written(metric: Metric, cell: HeatCell, theme: Theme) -> str:
    """`2/3`, and the signs of answers without a score."""
    if cell.mean is None:
        return ""
    lacking = "".join(look.glyph for one, look in theme.outcomes.items() if one in LACKING & {*cell.outcomes})
    figures = f"{cell.successes}/{cell.trials}" if metric.kind == "binary" else number(cell.mean)
    return f"{figures} {lacking}".strip() if cell.trials < len(cell.outcomes) else figures


def _first(cell: HeatCell) -> Outcome | None:
    return next((outcome for outcome in cell.outcomes if outcome is not None), None)


def _words(marks: HeatMarks, metric: Metric | None, row: HeatRow, arm: int, at: int | None = None) -> str:
    """What stands beside a cell; `at`: of this replicate."""
    cell = row.cells[arm]
    lines = [label(row.question, 60, 3), f"<b>{plain(marks.arms[arm])}</b>"]
    if at is not None and cell.outcomes:
        lines.append(f"Replicate {marks.replicates[arm][at]}: {_outcome(marks, cell.outcomes[at])}")
    if metric is not None and metric.kind != "binary" and cell.mean is not None:
        lines.append(f"mean {number(cell.mean)} over {cell.trials} of {len(cell.outcomes)} answers")
    else:
        lines.append(f"{cell.successes} {marks.good} of {cell.trials} scored, of {len(cell.outcomes)} answers")
    if cell.flip is not None:
        lines.append(f"flip probability {percent(cell.flip)}")
    return "<br>".join(lines)


def _outcome(marks: HeatMarks, outcome: Outcome | None) -> str:
    return (OUTCOMES | {"passed": marks.good, "wrong": marks.bad})[outcome]


def _colours(metric: Metric, theme: Theme) -> list[list[Any]]:
    bad, middle, good = theme.outcomes["wrong"].colour, theme.outcomes[None].colour, theme.outcomes["passed"].colour
    if metric.kind == "binary" or metric.higher_is_better:
        return [[0, bad], [0.5, middle], [1, good]]
    if metric.higher_is_better is False:
        return [[0, good], [0.5, middle], [1, bad]]
    return [[0, middle], [1, theme.accent]]


def _ends(metric: Metric) -> tuple[float, float] | None:
    if metric.kind == "binary":
        return 0.0, 1.0
    if metric.low is None or metric.high is None or metric.low == metric.high:
        return None
    return metric.low, metric.high


def _scale(metric: Metric, marks: HeatMarks, theme: Theme) -> dict[str, Any]:
    binary = metric.kind == "binary"
    title = f"share {marks.good}" if binary else metric.title
    return {
        "title": {"text": label(title, 16, 2), "font": {"color": theme.muted, "size": 12}},
        "tickfont": {"color": theme.text},
        "thickness": 12,
        "lenmode": "pixels",
        "len": 180,
        "y": 1,
        "yanchor": "top",
        "outlinewidth": 0,
        **({"tickformat": ".0%"} if binary else {}),
    }
