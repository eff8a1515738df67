"""Scores of traits over a run: how often yes, or mean and spread, in the direction that the trait itself gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean, stdev

from karenina_gui.schemas.condition import named
from karenina_gui.schemas.result import TraitScale
from karenina_gui.schemas.summaries import RunCounts

Score = bool | int | float
_Typed = tuple[type, Score]


@dataclass(frozen=True)
class TraitFigures:
    """One trait in one run."""

    name: str
    """A field of a form: `trait.field`; a figure of what was counted: `trait.figure`."""
    counts: Mapping[Score, int]
    """How many results have this score."""
    scale: TraitScale | None = None
    """None: the results do not say what the scores mean."""
    parts: Mapping[str, TraitFigures] = field(default_factory=dict)
    """Of each answering model under each condition, over its judges; empty where there is but one. One without any
    score is there, too."""

    @property
    def number(self) -> int:
        return sum(self.counts.values())

    @property
    def is_boolean(self) -> bool:
        return all(isinstance(score, bool) for score in self.counts)

    @property
    def yes(self) -> int:
        return self.counts.get(True, 0)

    @property
    def mean(self) -> float:
        return fmean(self._each())

    @property
    def deviation(self) -> float | None:
        """Standard deviation of the sample (n - 1); None: one score has none."""
        return stdev(map(float, self._each())) if self.number > 1 else None

    @property
    def place(self) -> float | None:
        """Of the mean between the ends of the scale, 0 to 1; of yes and no the share of yes. None: it has no ends."""
        if self.is_boolean:
            return self.yes / self.number
        low, high = _ends(self.scale)
        if low is None or high is None or low == high:
            return None
        return min(1.0, max(0.0, (self.mean - low) / (high - low)))

    def _each(self) -> list[Score]:
        return [score for score, times in self.counts.items() for _ in range(times)]


def trait_figures(counts: RunCounts, scales: Mapping[str, TraitScale]) -> list[TraitFigures]:
    """In alphabetical order. `scales` by trait; a field of a form has that of its trait."""
    found: dict[str, dict[str, Counter[_Typed]]] = {}
    for of, scores, times in counts.traits:
        for name, score in scores.items():
            arms = found.setdefault(name, {})
            # True and 1 are the same key of a dictionary; here they are not.
            arms.setdefault(named(of.answering, of.condition), Counter())[type(score), score] += times
    asked = dict.fromkeys(named(of.answering, of.condition) for of, *_ in counts.verdicts or counts.traits)
    return [
        _figures(name, {each: arms.get(each, Counter()) for each in asked}, scale_of(name, scales))
        for name, arms in sorted(found.items())
    ]


def _figures(name: str, arms: Mapping[str, Counter[_Typed]], scale: TraitScale | None) -> TraitFigures:
    total: Counter[_Typed] = Counter()
    for scored in arms.values():
        total.update(scored)
    booleans = all(kind is bool for kind, _ in total)
    parts = {arm: TraitFigures(arm, _plain(scored, booleans=booleans), scale) for arm, scored in arms.items()}
    return TraitFigures(name, _plain(total, booleans=booleans), scale, parts if len(parts) > 1 else {})


def leading(names: Iterable[str], scales: Mapping[str, TraitScale]) -> str | None:
    """The trait that stands for a result where no template judges: the first whose scores have a range, else one of yes
    and no, else one of which nothing is known. Classes have no mean. None: there is no such trait."""
    ranks = {name: rank for name in names if (rank := _rank(scale_of(name, scales))) is not None}
    return min(ranks, key=ranks.__getitem__, default=None)


def _rank(scale: TraitScale | None) -> int | None:
    if scale is not None and (scale.classes or scale.kind == "literal"):
        return None
    if scale is None or scale.kind == "template":
        return 2
    return 1 if scale.kind == "boolean" else 0


def scale_of(name: str, scales: Mapping[str, TraitScale]) -> TraitScale | None:
    """That of the field, where a form says so of it, else that of the trait; None: nobody knows."""
    trait, _, field = name.partition(".")
    scale = scales.get(name) or scales.get(trait)
    return (scale.fields or {}).get(field, scale) if scale else None


def _ends(scale: TraitScale | None) -> tuple[int | None, int | None]:
    if scale is None:
        return None, None
    return (0, 1) if scale.kind == "metric" else (scale.min_score, scale.max_score)


def _plain(scored: Mapping[_Typed, int], *, booleans: bool) -> dict[Score, int]:
    """Yes and no as they are; where figures are among those of the trait, all as figures."""
    plain: Counter[Score] = Counter()
    for (_, score), times in scored.items():
        plain[score if booleans else score + 0] += times
    return dict(plain)
