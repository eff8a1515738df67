"""Marks of the judge chart: agreement of groups of judgments."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.thresholds import (
    MAX_ALPHA_LOW_BY_PREVALENCE,
    MIN_AGREEMENT_SHARE_HIGH,
    SIGNIFICANCE_LEVEL,
)


@dataclass(frozen=True)
class Leaning:
    """Direction in which two judges differ. Rare disagreement can still be systematic."""

    first: str
    second: str
    above: tuple[int, int]
    """(answers that the first judge rates higher, answers that the second rates higher)."""
    questions: tuple[int, int]
    """The same by question. Each question counts once, for the judge that is higher on more of its answers."""
    p: float | None
    """Exact two-sided sign test over `questions`; None: they differ on no question."""

    @property
    def number(self) -> int:
        return sum(self.above)

    @property
    def one_sided(self) -> bool:
        return self.p is not None and self.p <= SIGNIFICANCE_LEVEL


@dataclass(frozen=True)
class Agreement:
    """Agreement of several judgments of the same answers."""

    label: str
    judgments: int
    same: Estimate
    """Raw agreement; n is answers."""
    alpha: Estimate
    kappa: Estimate
    """Cohen's kappa of two judgments, Fleiss' of more."""
    icc: Estimate
    """ICC(A,1) of scores and grades, over answers with all of these judgments; not of classes."""
    questions: int
    """Questions of these answers. Intervals are clustered by question."""
    judge: str | None = None
    """Judge of all these judgments; None: several judges, or no judge is named."""
    leaning: Leaning | None = None
    """Only for two judges and ratings with an order."""

    @property
    def has_approximate_interval(self) -> bool:
        return self.alpha.approximate and self.alpha.low is not None

    @property
    def is_low_by_prevalence(self) -> bool:
        """Return True if alpha is low despite high raw agreement (Feinstein & Cicchetti 1990)."""
        return (
            (self.same.value or 0) >= MIN_AGREEMENT_SHARE_HIGH
            and self.alpha.value is not None
            and self.alpha.value < MAX_ALPHA_LOW_BY_PREVALENCE
        )


@dataclass(frozen=True)
class Confusion:
    """Contingency table of two judgments of the same answers."""

    first: str
    second: str
    row: int
    """Index of the group's row in the table."""
    ratings: tuple[str, ...]
    """Labels of rows and columns, in ascending order."""
    counts: tuple[tuple[int, ...], ...]
    """Rows: first judgment; columns: second judgment."""

    @property
    def number(self) -> int:
        return sum(map(sum, self.counts))


@dataclass(frozen=True)
class JudgeMarks:
    groups: tuple[Agreement, ...]
    confusion: Confusion | None
    """Confusion of the first two judges, or of two judgments by one; None: no common answers, or too many ratings."""
