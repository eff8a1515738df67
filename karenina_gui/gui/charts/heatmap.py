"""Heat map of questions by arms, with one cell per replicate if there is room."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_text import format_number
from karenina_gui.analysis.charts.heatmap import OUTCOME_NAMES, HeatCell, HeatMarks, HeatRow
from karenina_gui.analysis.metrics import Metric
from karenina_gui.gui.charts.plot_elements import SIGN, label, plain, side
from karenina_gui.gui.charts.theme import Theme, ink_on
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.text import percent

ROW = 26
"""Pixels per row."""
LACKING: frozenset[Outcome | None] = frozenset((None, "error", "unscored"))
"""Outcomes without a score."""
SCALE = 120
"""Pixels of the color scale with its labels."""
ROOM, WIDE = 760, 1200
"""Pixels of a figure in a window of 1280 pixels; pixels from which names get more room."""
NAME, LONG_NAME = 30, 62
"""Characters of a question beside its row, in a narrow and in a wide figure."""
APART = 0.3
"""Gap between the columns of two arms, in columns."""
HEAD, LEANING = 3, 30
"""Lines of an arm's name above its columns; characters of a rotated name."""
BETWEEN = 8
"""Minimum pixels between two names."""
LINE, RISE = 16, 4
"""Pixels per line of a name; pixels of height per character of a rotated name."""


def figure(finding: Finding, theme: Theme) -> dict[str, Any]:
    """Return the figure. `meta` of its layout: changes from a width (`from`, in pixels) on."""
    marks: HeatMarks = finding.marks
    traces, places, columns, drawn = _by_replicate(marks, theme) if marks.replicates else _by_arm(finding, marks, theme)
    right = 20 if marks.replicates else SCALE

    def with_names(width: int, signs: int) -> dict[str, Any]:
        rows = [label(row.question, signs, 1) for row in marks.rows]
        left = side(rows)
        apart = min((after - index for index, after in pairwise(places)), default=columns)
        top, heads = _name_ticks(marks.arms, (width - left - right) * apart / columns)
        return {
            "margin": {"l": left, "r": right, "t": top, "b": 30},
            "yaxis": theme.axis(
                tickvals=list(range(len(rows))), ticktext=rows, range=[len(rows) - 0.5, -0.5], showgrid=False
            ),
            "xaxis": theme.axis(side="top", tickvals=places, showgrid=False, fixedrange=True, **heads),
        }

    usual = with_names(ROOM, NAME)
    height = max(200, ROW * len(marks.rows) + 110) + usual["margin"]["t"]
    layout = theme.layout(height=height, meta={"from": WIDE, **with_names(WIDE, LONG_NAME)}, **usual, **drawn)
    return {"data": traces, "layout": layout}


def _name_ticks(names: Sequence[str], room: float) -> tuple[int, dict[str, Any]]:
    """Return the height of the arm names, and their ticks; names are rotated if one does not fit."""
    signs = max(1, int((room - BETWEEN) // SIGN))
    # The dot between model and condition never begins a line.
    names = [name.replace(" · ", "\N{NO-BREAK SPACE}· ") for name in names]
    broken = [wrap(name, signs, break_long_words=False, break_on_hyphens=False) for name in names]
    fit = all(len(lines) <= HEAD and max(map(len, lines), default=0) <= signs for lines in broken)
    if fit or signs >= LEANING:
        texts = [label(name, signs, HEAD) for name in names]
        return 24 + LINE * max(text.count("<br>") + 1 for text in texts), {"ticktext": texts, "tickangle": 0}
    texts = [label(name, LEANING, 1) for name in names]
    return 24 + RISE * min(LEANING, max(map(len, names))), {"ticktext": texts, "tickangle": 35}


_Drawn = tuple[list[dict[str, Any]], list[float], float, dict[str, Any]]
"""Traces; middle of each arm; number of columns; additional layout."""


def _by_arm(finding: Finding, marks: HeatMarks, theme: Theme) -> _Drawn:
    metric = finding.metric
    arms = len(marks.arms)
    cells = [[row.cells[arm] for arm in range(arms)] for row in marks.rows]
    trace: dict[str, Any] = {
        "type": "heatmap",
        "x": list(range(arms)),
        "y": list(range(len(cells))),
        "z": [[_level(metric, cell) for cell in row] for row in cells],
        "text": [[_cell_text(metric, cell, theme) for cell in row] for row in cells],
        "texttemplate": "%{text}",
        "hovertext": [[_hover_text(marks, metric, row, arm) for arm in range(arms)] for row in marks.rows],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": _link_indices(range(len(cells)), arms, range(arms)),
        "colorscale": _colours(metric, theme),
        "xgap": 2,
        "ygap": 2,
        "colorbar": _scale(metric, marks, theme),
        "hoverongaps": False,
    }
    if (ends := _ends(metric)) is not None:
        trace |= {"zmin": ends[0], "zmax": ends[1]}
    layout = {"annotations": [_explanation(metric, marks, theme)]}
    return [trace, *_symbols_without_score(marks, cells, theme)], [float(arm) for arm in range(arms)], arms, layout


def _explanation(metric: Metric, marks: HeatMarks, theme: Theme) -> dict[str, Any]:
    """Return the explanation of numbers and symbols in the cells."""
    present = {outcome for row in marks.rows for cell in row.cells for outcome in cell.outcomes}
    first = f"2/3: 2 of 3 scored answers {marks.good}" if metric.kind == "binary" else "Number: mean of the answers"
    signs = [f"{look.glyph} {_outcome(marks, one)}" for one, look in theme.outcomes.items() if one in present & LACKING]
    return {
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 0,
        "xanchor": "left",
        "yanchor": "top",
        "showarrow": False,
        "yshift": -6,
        "text": "; ".join([first, *signs]),
        "font": {"color": theme.muted, "size": 12},
    }


def _symbols_without_score(marks: HeatMarks, cells: list[list[HeatCell]], theme: Theme) -> list[dict[str, Any]]:
    """Return the symbols of cells without a score, which have no color."""
    every = ((arm, row_index, cell) for row_index, row in enumerate(cells) for arm, cell in enumerate(row))
    empty = [(arm, row_index, theme.outcomes[_first(cell)].glyph) for arm, row_index, cell in every if cell.lacks_score]
    if not empty:
        return []
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": [arm for arm, _, _ in empty],
            "y": [row for _, row, _ in empty],
            "text": [glyph for _, _, glyph in empty],
            "textfont": {"color": theme.muted},
            "customdata": [row * len(marks.arms) + arm for arm, row, _ in empty],
            "hovertext": [_hover_text(marks, None, marks.rows[row], arm) for arm, row, _ in empty],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }
    ]


def _by_replicate(marks: HeatMarks, theme: Theme) -> _Drawn:
    """Draw one column per replicate, with a gap between arms."""
    codes = {outcome: code for code, outcome in enumerate(theme.outcomes)}
    traces, middles, start = [], [], 0.0
    for arm, numbers in enumerate(marks.replicates):
        traces.append(_arm_trace(marks, arm, [start + at for at in range(len(numbers))], codes, theme))
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


def _arm_trace(
    marks: HeatMarks, arm: int, columns: list[float], codes: dict[Outcome | None, int], theme: Theme
) -> dict[str, Any]:
    outcomes = [row.cells[arm].outcomes for row in marks.rows]
    gap = [None] * len(columns)
    wide, first = (sum(map(len, numbers)) for numbers in (marks.replicates, marks.replicates[:arm]))
    texts = [[_hover_text(marks, None, row, arm, at) for at in range(len(columns))] for row in marks.rows]
    return {
        "type": "heatmap",
        "x": columns,
        "y": list(range(len(marks.rows))),
        "z": [[codes[one] for one in of_row] or gap for of_row in outcomes],
        "zmin": -0.5,
        "zmax": len(codes) - 0.5,
        "text": [[_symbol(one, theme) for one in of_row] or [""] * len(columns) for of_row in outcomes],
        "texttemplate": "%{text}",
        "textfont": {"size": 14},
        "hovertext": texts,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": _link_indices(range(len(marks.rows)), wide, range(first, first + len(columns))),
        "colorscale": _outcome_colours(theme),
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hoverongaps": False,
    }


def _symbol(outcome: Outcome | None, theme: Theme) -> str:
    """Return the symbol of an outcome in a color that is legible on the outcome’s own."""
    look = theme.outcomes[outcome]
    return f'<b style="color:{ink_on(look.colour)}">{look.glyph}</b>'


def _link_indices(rows: range, wide: int, columns: range) -> list[list[int]]:
    """Return the index of the link of each cell; `wide`: links in a row of the whole figure."""
    return [[row * wide + column for column in columns] for row in rows]


def _outcome_colours(theme: Theme) -> list[list[Any]]:
    """Return a color scale with one step for each outcome."""
    number = len(theme.outcomes)
    return [
        [end / number, look.colour] for code, look in enumerate(theme.outcomes.values()) for end in (code, code + 1)
    ]


def _entry(text: str, colour: str) -> dict[str, Any]:
    """Return a legend entry."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [None],
        "y": [None],
        "name": text,
        "hoverinfo": "skip",
        "marker": {"symbol": "square", "size": 12, "color": colour},
        "showlegend": True,
    }


def _level(metric: Metric, cell: HeatCell) -> float | None:
    if cell.mean is None:
        return None
    return cell.successes / cell.trials if metric.kind == "binary" else cell.mean


def _cell_text(metric: Metric, cell: HeatCell, theme: Theme) -> str:
    """Return the text of a cell: `2/3`, and symbols of answers without a score."""
    if cell.mean is None:
        return ""
    lacking = "".join(look.glyph for one, look in theme.outcomes.items() if one in LACKING & {*cell.outcomes})
    figures = f"{cell.successes}/{cell.trials}" if metric.kind == "binary" else format_number(cell.mean)
    return f"{figures} {lacking}".strip() if cell.trials < len(cell.outcomes) else figures


def _first(cell: HeatCell) -> Outcome | None:
    return next((outcome for outcome in cell.outcomes if outcome is not None), None)


def _hover_text(marks: HeatMarks, metric: Metric | None, row: HeatRow, arm: int, at: int | None = None) -> str:
    """Return the hover text of a cell; `at`: index of a replicate."""
    cell = row.cells[arm]
    lines = [label(row.question, 60, 3), f"<b>{plain(marks.arms[arm])}</b>"]
    if at is not None and cell.outcomes:
        lines.append(f"Replicate {marks.replicates[arm][at]}: {_outcome(marks, cell.outcomes[at])}")
    if metric is not None and metric.kind != "binary" and cell.mean is not None:
        lines.append(f"mean {format_number(cell.mean)} over {cell.trials} of {len(cell.outcomes)} answers")
    else:
        lines.append(f"{cell.successes} {marks.good} of {cell.trials} scored, of {len(cell.outcomes)} answers")
    if cell.flip is not None:
        lines.append(f"flip probability {percent(cell.flip)}")
    return "<br>".join(lines)


def _outcome(marks: HeatMarks, outcome: Outcome | None) -> str:
    return (OUTCOME_NAMES | {"passed": marks.good, "wrong": marks.bad})[outcome]


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
