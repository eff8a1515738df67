"""Order of two arms: it follows from the paired test on their shared questions, never from their separate intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart_text import format_p
from karenina_gui.analysis.estimate import PairedDifference
from karenina_gui.analysis.report_text import shows_difference
from karenina_gui.analysis.thresholds import MAX_COMPARISONS_FOR_HOLM, MIN_QUESTIONS_FOR_NORMAL

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats


@dataclass(frozen=True)
class OrderDoubt:
    """Reason why an order is uncertain."""

    reason: Literal["unproven", "reversed", "missing"]
    p: float | None = None

    def sentence(self, by: str) -> str:
        """`by`: what is ordered by, such as ` by cost`."""
        reason = {
            "unproven": f"a paired test finds no significant difference ({p_text(self.p)})",
            "reversed": f"a paired test on the shared questions finds the opposite ({p_text(self.p)})",
            "missing": "these data allow no paired test",
        }[self.reason]
        return f" The order{by} is uncertain, because {reason}."


def p_text(p: float | None) -> str:
    """`p = 0.03`, `p < 0.001`; empty: no test."""
    if p is None:
        return ""
    text = format_p(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def doubt_of(differences: Sequence[PairedDifference]) -> OrderDoubt | None:
    """Reason why a difference may not be more than 0; None: all are. A failed test tells more than a missing one."""
    doubts = [doubt for difference in differences if (doubt := _doubt(difference)) is not None]
    return max(doubts, key=lambda doubt: (doubt.reason != "missing", doubt.p or 0.0), default=None)


def order_caution(differences: Sequence[PairedDifference], by: str) -> str:
    """Sentence about an order that may be another; empty: all differences are more than 0. `by`: as in `OrderDoubt`."""
    doubt = doubt_of(differences)
    return doubt.sentence(by) if doubt else ""


def _doubt(difference: PairedDifference) -> OrderDoubt | None:
    value, p = difference.value, difference.decisive_p
    if value is None or (p is None and not difference.identical):
        return OrderDoubt("missing")
    if value > 0 and (difference.identical or shows_difference(difference)):
        return None
    return OrderDoubt("reversed" if value < 0 and shows_difference(difference) else "unproven", 1.0 if p is None else p)


def paired_differences(
    values: Floats, others: Sequence[Floats], *, high: float | None = None
) -> list[PairedDifference]:
    """Mean of `values` minus that of each of `others`, question by question, corrected for their number.

    NaN: no value for the question. `high`: largest value; None: unbounded; the smallest is 0.
    """
    import numpy as np

    from karenina_gui.analysis.statistics.paired import PairedDesign, adjust_p_values, paired_difference

    differences = []
    for other in others:
        shared = int((~np.isnan(values) & ~np.isnan(other)).sum())
        design = PairedDesign(
            binary=False, single=False, by_signs=shared < MIN_QUESTIONS_FOR_NORMAL, low=0.0, high=high
        )
        differences.append(paired_difference(other, values, design))
    if len(differences) < 2:
        return differences
    many = len(differences) > MAX_COMPARISONS_FOR_HOLM
    adjusted = adjust_p_values([difference.p for difference in differences], many=many)
    return [replace(difference, adjusted=p) for difference, p in zip(differences, adjusted, strict=True)]
