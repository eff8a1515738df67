"""What of a run's results is looked at: the verdict, or the scores of one trait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from karenina_gui.analysis.traits import scale_of
from karenina_gui.schemas.job_table import JobTable
from karenina_gui.schemas.outcome import judged
from karenina_gui.schemas.result import TraitScale

MetricKind = Literal["binary", "number"]
"""binary: 0 or 1, whose mean is a rate. number: any score, also the place of a class among the classes of a trait."""


@dataclass(frozen=True)
class Metric:
    """One figure that each job may have."""

    trait: str | None = None
    """As results name it; a field of a form is `trait.field`. None: the verdict of the template."""
    kind: MetricKind = "binary"
    low: float | None = 0.0
    """Least and greatest score; None: it has no such bound."""
    high: float | None = 1.0
    higher_is_better: bool | None = True
    """None: neither end is the better one."""
    classes: tuple[str, ...] = ()
    """Of a trait that picks a class: their names, by score."""

    @property
    def title(self) -> str:
        return "Pass rate" if self.trait is None else self.trait

    @property
    def width(self) -> float | None:
        """From end to end; None: it has not both of them."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def has_order(self) -> bool:
        """Whether its scores can be ranked and averaged: classes of which none is the better one cannot."""
        return not self.classes or self.higher_is_better is not None

    @property
    def worst(self) -> float | None:
        """The score at the worse end; None: there is none, or nobody knows which end that is."""
        return {True: self.low, False: self.high, None: None}[self.higher_is_better]


VERDICT = Metric()


def metrics_of(table: JobTable, scales: Mapping[str, TraitScale]) -> list[Metric]:
    """The verdict, where any template has judged, and then each trait that was scored, in alphabetical order.

    `scales` by trait; without one, a trait of nothing but yes and no is binary, and any other has no bounds.
    """
    different = {id(scores): scores for scores in table.traits}.values()
    kinds: dict[str, set[type]] = {}
    for scores in different:
        for name, score in scores.items():
            kinds.setdefault(name, set()).add(type(score))
    verdict = [VERDICT] if _judged(table) else []
    return [*verdict, *(_metric(name, kinds[name], scale_of(name, scales)) for name in sorted(kinds))]


def _judged(table: JobTable) -> bool:
    ended = Counter(outcome for outcome in table.outcome if outcome is not None)
    return judged(ended) > 0 or not any(table.traits)


def _metric(name: str, kinds: Iterable[type], scale: TraitScale | None) -> Metric:
    better = scale.higher_is_better if scale else None
    if set(kinds) == {bool}:
        return Metric(name, "binary", 0.0, 1.0, better)
    if scale is None:
        return Metric(name, "number", None, None, None)
    if scale.kind == "metric":
        return Metric(name, "number", 0.0, 1.0, True if better is None else better)
    if scale.classes:
        return Metric(name, "number", 0.0, len(scale.classes) - 1.0, better, tuple(scale.classes))
    low, high = (None if end is None else float(end) for end in (scale.min_score, scale.max_score))
    if low is not None and high is not None:
        low, high = min(low, high), max(low, high)  # as judges are asked for it
    return Metric(name, "number", low, high, better)
