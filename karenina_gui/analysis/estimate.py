"""Result types of statistics: plain values, or None with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from karenina_gui.analysis.thresholds import (
    CONFIDENCE_LEVEL,
    PLANNED_POWER,
)


@dataclass(frozen=True)
class Estimate:
    """Value with its confidence interval."""

    value: float | None
    low: float | None = None
    """Ends of the interval; None: no interval, see `why`."""
    high: float | None = None
    n: int = 0
    """Sample size: questions, unless `method` says otherwise."""
    error: float | None = None
    """Standard error; None: not known."""
    deviation: float | None = None
    """Standard deviation between the units (n - 1); None: not known."""
    level: float = CONFIDENCE_LEVEL
    """Confidence level of the interval."""
    method: str = ""
    """Method of the interval, for users: `Wilson`, `t interval over questions`, `BCa bootstrap over questions`."""
    why: str = ""
    """Reason for a missing value or interval, one sentence; empty: both exist."""
    approximate: bool = False
    """True if coverage can differ from `level`: few questions, or a mean near an end of the scale."""
    clusters: int | None = None
    """Number of clusters that the interval is based on; None: units are independent."""


@dataclass(frozen=True)
class PairedDifference:
    """B minus A over their shared questions."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Questions scored in both."""
    dropped: int = 0
    """Questions with scores in only one of the two."""
    p: float | None = None
    """Two-sided p; None: no test, see `why`."""
    adjusted: float | None = None
    """p corrected for the number of comparisons; None: only one comparison."""
    error: float | None = None
    level: float = CONFIDENCE_LEVEL
    method: str = ""
    """Method of interval and test: `paired t-test, t interval`, `exact McNemar`, `no test: one question`."""
    why: str = ""
    identical: bool = False
    """True if all questions differ by the same amount, so that there is nothing to test."""
    approximate: bool = False

    @property
    def decisive_p(self) -> float | None:
        """p that decides about significance: corrected if there are several comparisons. None: no test."""
        return self.p if self.adjusted is None else self.adjusted


@dataclass(frozen=True)
class VarianceComponents:
    """Variance components of single scores. None: not separable, and included in the next one above."""

    question: float | None
    """Variance between questions."""
    interaction: float | None
    """Question × arm interaction; also None if there is only one arm."""
    answer: float | None
    """Variance between replicates of one question; includes that of judgments if `judge` is None."""
    judge: float | None
    """Variance between judgments of one answer."""
    n: int = 0
    """Questions."""
    why: Mapping[str, str] = field(default_factory=dict)
    """{part: why it is None}."""

    @property
    def total(self) -> float:
        return sum(part or 0.0 for part in (self.question, self.interaction, self.answer, self.judge))


@dataclass(frozen=True)
class PowerPlan:
    """Sample sizes that would settle a difference."""

    detectable: float | None
    """Minimum detectable difference with the given power, in the metric's unit."""
    questions: int | None = None
    """Total questions needed with the current replicates; None: no number is enough, or not computed."""
    replicates: int | None = None
    """Replicates needed with the current questions; None: no number is enough, or not computed."""
    power: float = PLANNED_POWER
    level: float = CONFIDENCE_LEVEL
    source: Literal["data", "defaults"] = "data"
    """Source of the variances: the data, or Miller's defaults (1/9 and 1/6) below ten questions."""
    why: str = ""
