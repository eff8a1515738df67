"""Proportions, with one yes/no answer per question."""

from __future__ import annotations

from math import sqrt

from statsmodels.stats.proportion import proportion_confint

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.constants import is_near_boundary
from karenina_gui.analysis.thresholds import CONFIDENCE_LEVEL, MIN_QUESTIONS_FOR_NORMAL


def wilson(successes: int, trials: int) -> Estimate:
    """Proportion p = x / n of independent trials with Wilson's score interval (1927).

    (p + z²/2n ± z·√(p(1 - p)/n + z²/4n²)) / (1 + z²/n). Stays within 0 and 1, and has a width even if all trials are
    equal (5 of 5: .566 to 1). Never for pooled replicates, which are not independent. Raises `ValueError` unless 0 ≤
    `successes` ≤ `trials`.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials cannot be")
    if trials == 0:
        return Estimate(None, method="Wilson", why="No question has a score.")
    value = successes / trials
    low, high = proportion_confint(successes, trials, alpha=1 - CONFIDENCE_LEVEL, method="wilson")
    spread = trials * value * (1 - value)
    return Estimate(
        value=value,
        low=max(0.0, min(value, float(low))),
        high=min(1.0, max(value, float(high))),
        n=trials,
        error=sqrt(spread) / trials if spread else None,
        deviation=sqrt(spread / (trials - 1)) if trials > 1 else None,
        method="Wilson",
        approximate=trials < MIN_QUESTIONS_FOR_NORMAL or is_near_boundary(value, 0.0, 1.0),
    )
