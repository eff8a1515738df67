"""Marks of the reliability chart: questions by kind, and the meaning of the kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from karenina_gui.analysis.charts.chart_text import format_number
from karenina_gui.analysis.charts.replicate_counts import bad_label, good_label
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.thresholds import (
    MAX_CONSISTENT_SHARE_OF_SCALE,
)

Kind = Literal["always", "sometimes", "never", "same"]
"""`same`: always or never, if the metric has no better end."""


@dataclass(frozen=True)
class QuestionPoint:
    """One question in one arm."""

    question: str
    """Text of the question."""
    question_id: str
    arm: int
    mean: float | None
    """Mean over answers, each the mean of its judgments."""
    spread: float | None
    """Flip probability for yes/no metrics, otherwise the standard deviation; None: fewer than two scored answers."""
    good: int | None
    """Answers at the better end by majority of judgments; None: not a yes/no metric."""
    answers: int
    """Answers with a score."""
    planned: int
    tokens: float | None
    """Mean tokens of an answer including judgments; None: no provider reported them."""
    kind: Kind | None
    """None: unknown."""

    @property
    def share(self) -> float | None:
        """Share of good answers among scored ones; None: no scores, or not a yes/no metric."""
        return None if self.good is None or not self.answers else self.good / self.answers

    @property
    def level(self) -> float | None:
        """Share of good answers for yes/no metrics, otherwise the mean."""
        return self.mean if self.good is None else self.share


@dataclass(frozen=True)
class ReliabilityMarks:
    points: tuple[QuestionPoint, ...]
    """Points with a spread, the flakiest first; a sample if there are many (see `sample_groups`)."""
    arms: tuple[str, ...]
    """Labels of the arms."""
    style_indices: tuple[int, ...]
    """Index of each arm among all arms of the run."""
    kinds: Mapping[Kind, int]
    """Number of points of each kind, including those not drawn."""
    limit: float | None
    """Standard deviation above which a question is called flaky; None: not defined."""
    middle: float | None
    """Middle of the scale, between always and never; None: not defined."""
    by_arm: tuple[int, ...]
    """Number of points with a spread by arm, including those not drawn."""

    @property
    def number(self) -> int:
        """Number of points with a spread, including those not drawn."""
        return sum(self.by_arm)


def _range(metric: Metric) -> tuple[float, float] | None:
    if metric.low is None or metric.high is None or metric.high <= metric.low:
        return None
    return metric.low, metric.high


def deviation_limit(metric: Metric) -> float | None:
    ends = _range(metric)
    return None if metric.kind == "binary" or ends is None else MAX_CONSISTENT_SHARE_OF_SCALE * (ends[1] - ends[0])


def scale_middle(metric: Metric) -> float | None:
    ends = _range(metric)
    return None if metric.kind == "binary" or ends is None or metric.higher_is_better is None else sum(ends) / 2


def kind_of(metric: Metric, level: float | None, spread: float | None) -> Kind | None:
    """Classify a question: yes/no metrics by share of good answers, others by deviation and mean."""
    if level is None or spread is None:
        return None
    if metric.kind == "binary":
        if spread:
            return "sometimes"
        return "same" if metric.higher_is_better is None else "always" if level else "never"
    limit = deviation_limit(metric)
    if limit is None:
        return None
    # A deviation that equals the limit up to rounding is not flaky.
    return "sometimes" if spread > limit * (1 + 1e-9) else _consistent_kind(metric, level)


def _consistent_kind(metric: Metric, level: float) -> Kind:
    """Classify a consistent question by the half of the scale in which its mean is."""
    middle = scale_middle(metric)
    if middle is None:
        return "same"
    return "always" if (level >= middle) == (metric.higher_is_better is True) or level == middle else "never"


def names_of(metric: Metric) -> dict[Kind, str]:
    """Return the name of each kind."""
    if metric.trait is None:
        return {
            "always": "always passed",
            "sometimes": "flaky",
            "never": "never passed",
            "same": "consistent",
        }
    return {"always": "consistently good", "sometimes": "flaky", "never": "consistently bad", "same": "consistent"}


def kinds_in_words(metric: Metric) -> dict[Kind, str]:
    """Return the meaning of each kind for this metric."""
    if metric.kind == "binary":
        return {
            "always": f"{good_label(metric)} each time",
            "sometimes": f"sometimes {good_label(metric)}, sometimes {bad_label(metric)}",
            "never": f"{bad_label(metric)} each time",
            "same": "the same each time",
        }
    limit = "" if (most := deviation_limit(metric)) is None else format_number(most)
    return {
        "always": "in the better half of the scale",
        "sometimes": f"standard deviation over {limit}",
        "never": "in the worse half of the scale",
        "same": f"standard deviation up to {limit}",
    }
