"""Marks of the convergence chart: curve of each mean, and samples needed for a target."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.formatting import with_unit
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.thresholds import (
    MAX_REPORTED_NUMBER,
    MIN_QUESTIONS_FOR_VARIANCE,
)
from karenina_gui.text import quantity


@dataclass(frozen=True)
class RequiredSamples:
    """Replicates or questions needed for the target half width; each with the other unchanged."""

    reached: bool
    """True if the half width already meets the target."""
    replicates: int | None
    """Total replicates; None: no number is enough, or unknown."""
    questions: int
    predicted: tuple[float, ...] = ()
    """Half widths with each further replicate, up to `replicates`; empty above `MAX_REPLICATES_PREDICTED`."""
    uncertain: bool = False
    """True if the data do not show whether any number of replicates is enough."""


@dataclass(frozen=True)
class ConvergenceCurve:
    """Means of one arm over its first k replicates, for k = 1, 2, …"""

    label: str
    arm: int
    style_index: int
    """Index of the arm among all arms of the run."""
    row: int
    """Index of its first row in the table."""
    points: tuple[Estimate, ...]
    limit: float | None
    """Half width with unlimited replicates of the same questions; None: unknown."""
    limit_most: float | None
    """Upper limit of `limit`: with few questions, the variance between them is uncertain."""
    need: RequiredSamples | None
    """None: no target is set, or the figure has no interval."""

    @property
    def halves(self) -> tuple[float | None, ...]:
        """Half width of each interval; None: no interval."""
        return tuple(half_width(point) for point in self.points)

    @property
    def last(self) -> Estimate:
        """Mean over all replicates."""
        return self.points[-1]

    @property
    def width(self) -> float:
        """Half width of the last interval; 0: no interval."""
        return self.halves[-1] or 0.0

    @property
    def need_is_hint(self) -> bool:
        """Return True if there are too few questions for a reliable number of those needed."""
        return self.lacks > 0 and self.last.n < MIN_QUESTIONS_FOR_VARIANCE

    @property
    def has_late_questions(self) -> bool:
        """Return True if some questions have no answer in the first replicates."""
        return len({point.n for point in self.points}) > 1

    @property
    def lacks(self) -> int:
        """Return the questions needed for the target; 0: no target is set, or it is met."""
        return 0 if self.need is None or self.need.reached else self.need.questions


def half_width(point: Estimate) -> float | None:
    """Return (high - low) / 2, although the interval need not be symmetric; None: no interval."""
    if point.value is None or point.low is None or point.high is None:
        return None
    return (point.high - point.low) / 2


@dataclass(frozen=True)
class ConvergenceMarks:
    curves: tuple[ConvergenceCurve, ...]
    """Curves of the arms with a score."""
    replicates: int
    target: float | None
    """Target half width in the metric's unit."""


def format_target(half: float, metric: Metric) -> str:
    """Format the target as the user entered it: `12.5 percentage points`, `0.25`."""
    if metric.kind != "binary":
        return f"{half:.10g}"
    return with_unit(f"{100 * half:.10g}", metric)


def needed_text(curve: ConvergenceCurve) -> str:
    """Return `7 replicates or 98 questions`; empty if no target is set or nothing is known."""
    need = curve.need
    if need is None:
        return ""
    if need.reached:
        return "reached"
    ways = [] if need.replicates is None else [about_number(need.replicates, "replicate")]
    return " or ".join([*ways, about_number(need.questions, "question")])


def about_number(number: int, noun: str) -> str:
    return (
        f"more than {quantity(MAX_REPORTED_NUMBER, noun)}"
        if number > MAX_REPORTED_NUMBER
        else f"about {quantity(number, noun)}"
    )
