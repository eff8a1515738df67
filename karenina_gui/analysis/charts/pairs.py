"""Selection of the pairs of arms to compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from karenina_gui.analysis.charts.chart_request import EACH_OTHER
from karenina_gui.analysis.thresholds import (
    MAX_ARMS_FOR_ALL_PAIRS,
)

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Arm

Changed = Literal["condition", "model", "both"]


@dataclass(frozen=True)
class Pair:
    """Indices of two arms; the difference is `arm` - `baseline`."""

    baseline: int
    arm: int
    changed: Changed
    """Difference between the two configurations."""


@dataclass(frozen=True)
class Pairs:
    pairs: tuple[Pair, ...]
    common: int | None
    """Common baseline; None: the pairs have different ones."""
    remark: str = ""
    """Reason for a selection other than the requested one; empty: as requested."""


def pairs_of(arms: Sequence[Arm], against: str | None) -> Pairs:
    """Return the pairs to compare; `against`: as in `ChartRequest`; `arms`: in the order of the run."""
    if against == EACH_OTHER:
        if len(arms) <= MAX_ARMS_FOR_ALL_PAIRS:
            return _with_baseline([_pair(arms, one, other) for one, other in combinations(range(len(arms)), 2)])
        number = len(arms) * (len(arms) - 1) // 2
        # The correction for many pairs would leave little power, and the figure would be unreadable.
        why = f"All pairs would be {number:,} comparisons. Select at most {MAX_ARMS_FOR_ALL_PAIRS} configurations."
        return _one_at_a_time(arms, why)
    if against is None:
        return _one_at_a_time(arms)
    index = next((index for index, arm in enumerate(arms) if arm.label == against), None)
    if index is None:
        return _one_at_a_time(arms, f"“{against}” is filtered out, so nothing is compared with it.")
    return _with_baseline([_pair(arms, index, other) for other in range(len(arms)) if other != index])


def _one_at_a_time(arms: Sequence[Arm], remark: str = "") -> Pairs:
    """Compare conditions with the first of each model, and models with the first of each condition."""
    pairs = []
    for same in (0, 1):
        groups: dict[str | None, list[int]] = {}
        for index, arm in enumerate(arms):
            groups.setdefault(arm[same], []).append(index)
        pairs += [_pair(arms, first, other) for first, *others in groups.values() for other in others]
    return _with_baseline(pairs, remark)


def _with_baseline(pairs: list[Pair], remark: str = "") -> Pairs:
    baselines = {pair.baseline for pair in pairs}
    return Pairs(tuple(pairs), baselines.pop() if len(baselines) == 1 else None, remark)


def _pair(arms: Sequence[Arm], baseline: int, arm: int) -> Pair:
    one, other = arms[baseline], arms[arm]
    same_model, same_condition = one.answering == other.answering, one.condition == other.condition
    return Pair(baseline, arm, "condition" if same_model else "model" if same_condition else "both")


def title(arms: Sequence[Arm], pair: Pair) -> str:
    """Return `with tools vs. baseline (gpt)`: the difference, then the common part."""
    one, other = arms[pair.baseline], arms[pair.arm]
    if pair.changed == "condition" and one.condition and other.condition:
        return f"{other.condition} vs. {one.condition} ({one.answering})"
    if pair.changed == "model" and one.condition:
        return f"{other.answering} vs. {one.answering} ({one.condition})"
    return f"{other.label} vs. {one.label}"
