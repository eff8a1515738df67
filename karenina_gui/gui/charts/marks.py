"""Small pieces that figures are made of."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import ceil
from textwrap import wrap

from karenina_gui.analysis.metrics import Metric

LABEL = 38
"""Signs of a line of a label."""
IN_A_ROW, ENTRY = 4, 30
"""Entries of a legend that have room in a row above a plot; signs of a line of one beside it."""
SIGN, STEP = 7, 30
"""Pixels of a wide sign, and those by which the room for names grows."""


def plain(text: str) -> str:
    """Words as plotly shall show them: it reads a little HTML."""
    return escape(text, quote=False)


def label(text: str, width: int = LABEL, lines: int = 2) -> str:
    """Of an axis: broken into lines, but not at hyphens, and cut where there are more."""
    found = wrap(text, width, max_lines=lines, placeholder="…", break_on_hyphens=False)
    return "<br>".join(map(plain, found)) or " "


def entry(text: str, entries: int) -> str:
    """One of so many of a legend."""
    return plain(text) if entries <= IN_A_ROW else label(text, ENTRY)


def side(names: Iterable[str]) -> int:
    """Pixels for names beside their rows, nearly always enough: a figure that finds too little is drawn twice."""
    longest = max((len(line) for name in names for line in name.split("<br>")), default=0)
    return STEP * ceil((SIGN * longest + 20) / STEP)


def scale(metric: Metric) -> dict[str, object]:
    """What an axis of scores has: a rate in percent and from end to end, classes by their names."""
    if metric.classes:
        places = list(range(len(metric.classes)))
        return {"tickvals": places, "ticktext": [plain(name) for name in metric.classes]}
    if metric.kind == "binary":
        return {"tickformat": ".0%", "range": [-0.03, 1.03]}
    if metric.low is not None and metric.high is not None:
        room = 0.03 * (metric.high - metric.low)
        return {"range": [metric.low - room, metric.high + room]}
    return {}
