"""Helpers that build a `Finding` with the job counts of its scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karenina_gui.analysis.charts.chart import ChartTable, Finding
from karenina_gui.analysis.charts.chart_request import ChartData
from karenina_gui.text import quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores


def style_index(scores: Scores, data: ChartData, arm: int) -> int:
    """Return the index of an arm among all arms of the run, which determines its color and symbol."""
    return data.places.get(scores.arms[arm], arm)


def make_finding(
    scores: Scores,
    sentence: str,
    table: ChartTable,
    marks: Any,
    cautions: Iterable[str] = (),
    mark_links: Sequence[Mapping[str, str]] = (),
) -> Finding:
    return Finding(
        metric=scores.metric,
        sentence=sentence,
        table=table,
        scored=scores.scored,
        planned=scores.planned,
        lacking=scores.lacking,
        cautions=tuple(dict.fromkeys(cautions)),
        marks=marks,
        mark_links=mark_links,
    )


def empty_finding(scores: Scores, why: str, table: ChartTable) -> Finding:
    """Return a finding without marks; `why`: the reason and the remedy, for the user."""
    have = verb(scores.scored, "has", "have")
    basis = f"{scores.scored:,} of {quantity(scores.planned, 'job')} {have} a score."
    return Finding(
        metric=scores.metric,
        sentence=f"Not available: {why} {basis}",
        table=table,
        scored=scores.scored,
        planned=scores.planned,
        lacking=scores.lacking,
        empty_reason=why,
    )
