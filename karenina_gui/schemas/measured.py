"""One metric over the questions of a run, as files report it. None: the figure cannot be given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from karenina_gui.schemas.result import VerificationResult


@dataclass(frozen=True)
class Measured:
    mean: float | None
    """Of the questions' means."""
    reported: float | None = None
    """Arithmetic mean of the questions' standard deviations between replicates."""
    pooled: float | None = None
    """√ of the mean of their variances."""
    between: float | None = None
    """Standard deviation between the questions' means."""
    error: float | None = None
    """Standard error of the mean; never 0."""
    low: float | None = None
    high: float | None = None
    """Ends of the interval."""
    level: float = 0.95
    method: str = ""
    """How the interval was made."""
    questions: int = 0
    """With a score."""


class Measure(Protocol):
    def __call__(self, answers: Sequence[Sequence[float]], low: float | None, high: float | None) -> Measured:
        """`answers`: for each question the scores of its replicates; `low`, `high`: ends of the scale."""
        ...


@dataclass(frozen=True)
class Figures:
    """What files hold beyond the results themselves."""

    measure: Measure
    cost: Callable[[VerificationResult], float | None]
    """US dollars of the answer, without its judgment; None: nobody knows."""
