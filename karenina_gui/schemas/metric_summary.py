"""Summary of one metric over the questions of a run, for reports. None: the figure is not available."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from karenina_gui.schemas.result import VerificationResult


@dataclass(frozen=True)
class MetricSummary:
    mean: float | None
    """Mean of the questions' means."""
    reported: float | None = None
    """Arithmetic mean of the questions' standard deviations between replicates."""
    pooled: float | None = None
    """Square root of the mean of the questions' variances between replicates."""
    between: float | None = None
    """Standard deviation between the questions' means."""
    error: float | None = None
    """Standard error of the mean; never 0."""
    low: float | None = None
    high: float | None = None
    """Ends of the confidence interval."""
    level: float = 0.95
    method: str = ""
    """Method of the interval."""
    questions: int = 0
    """Number of questions with a score."""


class SummaryFunction(Protocol):
    def __call__(self, answers: Sequence[Sequence[float]], low: float | None, high: float | None) -> MetricSummary:
        """`answers`: scores of the replicates by question; `low`, `high`: ends of the scale."""
        ...


@dataclass(frozen=True)
class ReportStats:
    """Computed figures that files contain in addition to the results."""

    measure: SummaryFunction
    cost: Callable[[VerificationResult], float | None]
    """Cost of the answer in US dollars, without its judgment; None: unknown."""
