"""Helpers for labels, legends and axes of figures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from math import ceil
from textwrap import wrap
from typing import Any

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric

LABEL = 38
"""Characters per line of a label."""
IN_A_ROW, ENTRY = 4, 30
"""Maximum entries of a legend in one row above the plot; characters per line of an entry beside it."""
SIGN, STEP = 7, 30
"""Pixels of a wide character; step of the room for names in pixels."""
_REMARK = re.compile(r"\([^()]{,30}\)$")


def plain(text: str) -> str:
    """Escape a text for plotly, which interprets some HTML."""
    return escape(text, quote=False)


def label(text: str, width: int = LABEL, lines: int = 2) -> str:
    """Return a label of an axis, wrapped and truncated."""
    # A remark in parentheses at the end stays in one line.
    text = _REMARK.sub(lambda remark: remark[0].replace(" ", "\N{NO-BREAK SPACE}"), text)
    # Model names such as gpt-4o-mini become unreadable when broken at hyphens.
    wrapped = wrap(text, width, max_lines=lines, placeholder="…", break_on_hyphens=False)
    return "<br>".join(map(plain, wrapped)) or " "


def entry(text: str, entries: int) -> str:
    """Return a legend entry; `entries`: number of entries."""
    return plain(text) if entries <= IN_A_ROW else label(text, ENTRY)


def side(names: Iterable[str]) -> int:
    """Return the pixels for row names."""
    longest = max((len(line) for name in names for line in name.split("<br>")), default=0)
    # plotly draws a figure twice if it has to widen the margin itself, so that this errs on the wide side.
    return STEP * ceil((SIGN * longest + 20) / STEP)


def scale(metric: Metric) -> dict[str, object]:
    """Return the axis options of a metric: percent for rates, names for classes."""
    if metric.classes:
        places = list(range(len(metric.classes)))
        return {"tickvals": places, "ticktext": [plain(name) for name in metric.classes]}
    if metric.kind == "binary":
        return {"tickformat": ".0%", "range": [-0.03, 1.03]}
    if metric.low is not None and metric.high is not None:
        room = 0.03 * (metric.high - metric.low)
        return {"range": [metric.low - room, metric.high + room]}
    return {}


def error_bar(estimate: Estimate, colour: str, *, thickness: float = 2, width: int = 6) -> dict[str, Any] | None:
    """Return the bar of an interval; None: no interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    return {
        "type": "data",
        "symmetric": False,
        "color": colour,
        "thickness": thickness,
        "width": width,
        "array": [estimate.high - estimate.value],
        "arrayminus": [estimate.value - estimate.low],
    }
