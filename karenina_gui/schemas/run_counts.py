"""Counts and means of a run's results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from karenina_gui.schemas.outcome import Outcome, Reason


class ComparisonKey(NamedTuple):
    """Model, judge and condition by which the results of a run are compared."""

    answering: str
    """Name of the model in the run."""
    judge: str | None = None
    """None: the run has none."""
    condition: str | None = None
    """None: the run has none."""


class QuestionMeans(NamedTuple):
    """Mean over questions with equal weight, as sum and count, which can be added for several groups of questions.

    The judgments of an answer are averaged first, then the answers to a question. Missing scores are left out.
    """

    total: float = 0.0
    """Sum of the questions' means."""
    questions: int = 0
    """Number of questions with a score."""

    @property
    def mean(self) -> float | None:
        """Mean of the questions; None if no question has a score."""
        return self.total / self.questions if self.questions else None


class OfArm(NamedTuple):
    """Model, condition and trait of a mean."""

    answering: str
    condition: str | None
    trait: str | None = None
    """None: the verdict."""


@dataclass(frozen=True, slots=True)
class RunMeans:
    """Means over questions (see `QuestionMeans`) of verdicts and scores."""

    arms: dict[OfArm, QuestionMeans] = field(default_factory=dict)
    """Verdicts by model and condition, and scores of traits."""
    conditions: dict[str, QuestionMeans] = field(default_factory=dict)
    """Verdicts by condition, over all models."""
    judges: dict[str, QuestionMeans] = field(default_factory=dict)
    """Verdicts by judge, over all models."""
    keywords: dict[tuple[str, ...], QuestionMeans] = field(default_factory=dict)
    """Verdicts of questions with exactly these keywords, over all models."""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Counts of all results of a run."""

    verdicts: list[tuple[ComparisonKey, Outcome, int]] = field(default_factory=list)
    """Model, outcome and count, in the order of first occurrence."""
    reasons: list[tuple[Outcome, Reason, int]] = field(default_factory=list)
    """Outcome, reason and count; the most frequent first."""
    keywords: list[tuple[tuple[str, ...], Outcome, int]] = field(default_factory=list)
    """Keywords of a question, outcome and count."""
    traits: list[tuple[ComparisonKey, dict[str, bool | int | float], int]] = field(default_factory=list)
    """Model, scores, and number of results with exactly these, in the order of first occurrence."""
    judgments: int = 1
    """Largest number of judgments of an answer by one judge."""
    extractions: list[tuple[str, str, int]] = field(default_factory=list)
    """Judge, method of structured output (`schema, text`), and number of results; the most frequent first."""
    means: RunMeans = field(default_factory=RunMeans)
    requested: dict[OfArm, int] = field(default_factory=dict)
    """Number of results that were to have a score of this trait; see `JobTable.requested`."""
    out_of_scale: dict[OfArm, int] = field(default_factory=dict)
    """Number of results with a score of this trait that is out of its scale."""
    last: int = 0
    """Largest id of a counted result: all up to it are counted, and no later one."""
