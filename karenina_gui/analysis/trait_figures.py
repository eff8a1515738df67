"""Trait scores of a run: share of yes, or mean and deviation, in the direction that the trait defines.

Means and shares are over questions with equal weight, as in charts and exports (`QuestionMeans`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt

from karenina_gui.schemas.condition import combined_name
from karenina_gui.schemas.figure import NOT_SCORED, QUESTIONS_EQUAL, Figure
from karenina_gui.schemas.result import TraitScale, scale_of
from karenina_gui.schemas.run_counts import OfArm, QuestionMeans, RunCounts

TRAIT_MEAN = Figure(
    "trait-mean",
    "Mean of a trait, or share of yes",
    "Mean score of the trait; yes is 1, and no is 0. Classes without an order are counted instead.",
    NOT_SCORED,
    QUESTIONS_EQUAL,
    "95% CI in the chart “Scores by configuration”; none on the run’s page.",
    ("Mean",),
)
TRAIT_RESULTS = Figure(
    "trait-results",
    "Results with a score (n)",
    "Results with a score for the trait, and how many of them are yes.",
    NOT_SCORED,
)
TRAIT_MISSING = Figure(
    "trait-missing",
    "Without a score",
    "Results without a score for the trait, of all that should have one. A score out of scale counts as missing.",
    "Results of questions whose rubric does not have the trait.",
)
SINGLE_SPREAD = Figure(
    "single-spread",
    "SD of single judgments",
    "Standard deviation of the trait’s scores in all single judgments, over all questions and answers. "
    "It does not show the precision of the mean.",
    NOT_SCORED,
)

Score = bool | int | float
_Typed = tuple[type, Score]
_Scored = dict[OfArm, Counter[_Typed]]
"""How often an arm got each score."""
NO_QUESTION = QuestionMeans()


@dataclass(frozen=True)
class TraitFigures:
    """One trait in one run."""

    name: str
    """Trait name, `trait.field` for a field of a form, `trait.figure` for a counted figure."""
    counts: Mapping[Score, int]
    """Number of results by score."""
    scale: TraitScale | None = None
    """None: the results do not define the scores."""
    parts: Mapping[str, TraitFigures] = field(default_factory=dict)
    """Figures of each answering model and condition, over its judges; empty: only one. Includes those without scores.
    """
    of_questions: QuestionMeans = NO_QUESTION
    """`NO_QUESTION` for several arms together, each of which has its own mean."""
    requested: int = 0
    """Results that were to have a score."""
    out_of_scale: int = 0
    """Results whose score is outside of the scale; they are among `missing`."""

    @property
    def number(self) -> int:
        """Results with a score."""
        return sum(self.counts.values())

    @property
    def missing(self) -> int:
        """Results that were to have a score but have none: no answer, or no valid score from the judge."""
        return max(0, self.requested - self.number)

    @property
    def is_boolean(self) -> bool:
        return all(isinstance(score, bool) for score in self.counts)

    @property
    def yes(self) -> int:
        return self.counts.get(True, 0)

    @property
    def mean(self) -> float | None:
        """Mean over questions; None: no scores, or several arms."""
        return self.of_questions.mean

    @property
    def deviation(self) -> float | None:
        """Standard deviation of single scores (n - 1). None: fewer than two scores."""
        if self.number < 2:
            return None
        mean = sum(score * times for score, times in self.counts.items()) / self.number
        return sqrt(sum((score - mean) ** 2 * times for score, times in self.counts.items()) / (self.number - 1))

    @property
    def scale_position(self) -> float | None:
        """Position of the mean on the scale, 0 to 1; share of yes for booleans. None: unbounded, or no mean."""
        low, high = (0, 1) if self.is_boolean else _ends(self.scale)
        if self.mean is None or low is None or high is None or low == high:
            return None
        return min(1.0, max(0.0, (self.mean - low) / (high - low)))


def trait_figures(counts: RunCounts, scales: Mapping[str, TraitScale]) -> list[TraitFigures]:
    """Return all requested traits in alphabetical order, including those never scored.

    `scales` by trait; a field of a form has the scale of its trait.
    """
    return [
        _figures(trait, _requested_arms(trait, scored, counts), scale_of(trait, scales), counts)
        for trait, scored in sorted(_scores_by_trait(counts).items())
    ]


def _scores_by_trait(counts: RunCounts) -> dict[str, _Scored]:
    """Return how often each score occurs, by trait and arm; a requested trait without scores has no arms."""
    scores_by_trait: dict[str, _Scored] = {of.trait: {} for of in counts.requested if of.trait is not None}
    for of, scores, times in counts.traits:
        for trait, score in scores.items():
            arm = OfArm(of.answering, of.condition, trait)
            # True and 1 are the same key of a dictionary; here they are not.
            scores_by_trait.setdefault(trait, {}).setdefault(arm, Counter())[type(score), score] += times
    return scores_by_trait


def _requested_arms(trait: str, scored: _Scored, counts: RunCounts) -> _Scored:
    """Return the scores of all arms that were to be scored, in the order of the run; some have none."""
    arms = dict.fromkeys(OfArm(of.answering, of.condition, trait) for of, *_ in counts.verdicts or counts.traits)
    requested = [arm for arm in arms if arm in scored or not counts.requested or counts.requested.get(arm)]
    return {arm: scored.get(arm, Counter()) for arm in requested}


def _figures(name: str, arms: _Scored, scale: TraitScale | None, counts: RunCounts) -> TraitFigures:
    total: Counter[_Typed] = Counter()
    for scored in arms.values():
        total.update(scored)
    booleans = all(kind is bool for kind, _ in total)
    parts = {
        combined_name(arm.answering, arm.condition): TraitFigures(
            combined_name(arm.answering, arm.condition),
            _plain(scored, booleans=booleans),
            scale,
            of_questions=counts.means.arms.get(arm, NO_QUESTION),
            requested=counts.requested.get(arm, scored.total()),
            out_of_scale=counts.out_of_scale.get(arm, 0),
        )
        for arm, scored in arms.items()
    }
    alone = next(iter(parts.values())).of_questions if len(parts) == 1 else NO_QUESTION
    return TraitFigures(
        name,
        _plain(total, booleans=booleans),
        scale,
        parts if len(parts) > 1 else {},
        alone,
        sum(part.requested for part in parts.values()),
        sum(part.out_of_scale for part in parts.values()),
    )


def leading_trait(names: Iterable[str], scales: Mapping[str, TraitScale]) -> str | None:
    """Return the trait that represents results without a template.

    Prefers bounded scores, then yes/no, then any other. Classes have no mean. None: no such trait.
    """
    ranks = {name: rank for name in names if (rank := _rank(scale_of(name, scales))) is not None}
    return min(ranks, key=ranks.__getitem__, default=None)


def _rank(scale: TraitScale | None) -> int | None:
    if scale is not None and (scale.classes or scale.kind == "literal"):
        return None
    if scale is None or scale.kind == "template":
        return 2
    return 1 if scale.kind == "boolean" else 0


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
