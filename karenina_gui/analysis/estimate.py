"""Figures with what they rest on, as statistics give them: plain values; None with a reason where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Estimate:
    """One figure with its interval."""

    value: float | None
    low: float | None = None
    """Ends of the interval; None: there is none, `why` says the reason."""
    high: float | None = None
    n: int = 0
    """Units that it rests on: questions, unless `method` says otherwise."""
    error: float | None = None
    """Standard error; None: not known."""
    deviation: float | None = None
    """Standard deviation between the units (n - 1); None: not known."""
    level: float = 0.95
    """Of the interval."""
    method: str = ""
    """How the interval was made, for a reader: `Wilson`, `t interval over questions`, `BCa bootstrap, seed 0`."""
    why: str = ""
    """Why there is no figure or no interval, one sentence; empty: there are both."""
    approximate: bool = False
    """Whether the interval holds the truth less or more often than it says: few questions, or nearly all at one end."""
    clusters: int | None = None
    """Into which the units fall and which the interval is made from; None: each unit stands for itself."""


@dataclass(frozen=True)
class Difference:
    """B minus A, over the questions that both have scores for."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Questions scored in both."""
    dropped: int = 0
    """Questions scored in one of them only."""
    p: float | None = None
    """Two-sided; None: there is no test, `why` says the reason."""
    adjusted: float | None = None
    """The same after correction for the number of comparisons; None: it is the only one."""
    error: float | None = None
    level: float = 0.95
    method: str = ""
    """Of interval and test: `paired t`, `exact McNemar`, `no test: one question`."""
    why: str = ""
    identical: bool = False
    """Whether all questions differ by the same amount, so that there is nothing to test."""
    approximate: bool = False


@dataclass(frozen=True)
class Components:
    """Where the variance of single scores comes from; None: it cannot be told apart with these data, and counts as
    part of the next one above it."""

    question: float | None
    """Between questions."""
    interaction: float | None
    """Between questions, otherwise from arm to arm; None also where there is one arm."""
    answer: float | None
    """Between replicates of one question; with what the judge adds, where `judge` is None."""
    judge: float | None
    """Between judgments of one answer."""
    n: int = 0
    """Questions."""
    why: Mapping[str, str] = field(default_factory=dict)
    """{part: why it is None}."""

    @property
    def total(self) -> float:
        return sum(part or 0.0 for part in (self.question, self.interaction, self.answer, self.judge))


@dataclass(frozen=True)
class Plan:
    """How much more would settle a difference."""

    detectable: float | None
    """Least difference that would be found with the given power, in the metric's unit."""
    questions: int | None = None
    """Questions that would be needed with as many replicates as there are; None: no number is enough, or not asked."""
    replicates: int | None = None
    """Replicates that would be needed with these questions; None: no number is enough, or not asked."""
    power: float = 0.8
    level: float = 0.95
    source: Literal["data", "defaults"] = "data"
    """Whether the variances are those of the data or, below ten questions, Miller's defaults (1/9 and 1/6)."""
    why: str = ""
