"""Metrics of a run: the verdict, or the scores of one trait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from karenina_gui.schemas.outcome import OUTCOMES, judged_count
from karenina_gui.schemas.result import TraitScale, scale_of

if TYPE_CHECKING:
    from karenina_gui.schemas.job_table import JobTable

MetricKind = Literal["binary", "number"]
"""binary: 0 or 1, the mean is a rate. number: any score, including the index of a class."""


@dataclass(frozen=True)
class Metric:
    """Metric of each job: verdict or trait."""

    trait: str | None = None
    """Trait name in results, `trait.field` for a field of a form. None: the verdict of the template."""
    kind: MetricKind = "binary"
    low: float | None = 0.0
    """Bounds of the score; None: unbounded."""
    high: float | None = 1.0
    higher_is_better: bool | None = True
    """None: neither end is better."""
    classes: tuple[str, ...] = ()
    """Names of the classes by score, if the trait chooses a class."""

    @property
    def title(self) -> str:
        return "Pass rate" if self.trait is None else self.trait

    @property
    def width(self) -> float | None:
        """Width of the scale; None: unbounded."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def has_order(self) -> bool:
        """False for classes without a better end, whose scores cannot be ranked or averaged."""
        return not self.classes or self.higher_is_better is not None

    @property
    def worst(self) -> float | None:
        """Score at the worse end; None: unbounded, or neither end is better."""
        return {True: self.low, False: self.high, None: None}[self.higher_is_better]


VERDICT = Metric()


def metrics_of(table: JobTable, scales: Mapping[str, TraitScale]) -> list[Metric]:
    """Return the verdict if any template has judged, then all scored traits in alphabetical order.

    `scales` by trait. A trait without a scale is binary if all scores are booleans, otherwise unbounded.
    """
    kinds: dict[str, set[type]] = {}
    for scores in table.scores:
        for name, score in scores.items():
            kinds.setdefault(name, set()).add(type(score))
    verdict = [VERDICT] if _has_verdicts(table) else []
    return [*verdict, *(_metric(name, kinds[name], scale_of(name, scales)) for name in sorted(kinds))]


def _has_verdicts(table: JobTable) -> bool:
    numbers = Counter(table.outcome.tolist())
    return judged_count({name: numbers[code] for code, name in enumerate(OUTCOMES)}) > 0 or not any(table.scores)


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
    return Metric(name, "number", *_bounds(scale), better)


def _bounds(scale: TraitScale) -> tuple[float | None, float | None]:
    """Return the declared bounds in ascending order, as judges are asked for them."""
    low, high = (None if end is None else float(end) for end in (scale.min_score, scale.max_score))
    return (low, high) if low is None or high is None else (min(low, high), max(low, high))
