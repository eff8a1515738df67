"""Paired comparison of two arms on the same questions: differences, tests, and multiple testing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from scipy import optimize, special, stats
from statsmodels.stats.contingency_tables import mcnemar

from karenina_gui.analysis.estimate import PairedDifference
from karenina_gui.analysis.statistics.constants import (
    NORMAL_QUANTILE,
    Floats,
    all_close,
    clip_interval,
    is_near_boundary,
    t_quantile,
    zero_if_rounding,
)
from karenina_gui.analysis.thresholds import (
    CONFIDENCE_LEVEL,
    MAX_ADDITIONS_COUNTED,
    MAX_DIFFERENCES_ENUMERATED,
    MIN_QUESTIONS_FOR_NORMAL,
    RESAMPLES,
)

COMMON_DENOMINATOR = 5040
"""Means of up to ten answers are multiples of 1/5040."""
SEED = 0
EXACT, DRAWN = "exact permutation test", f"permutation test, {RESAMPLES:,} draws (seed {SEED})"
"""Methods of p for `Difference.method`. The interval is Student's in both cases."""


@dataclass(frozen=True)
class PairedDesign:
    """Properties of paired scores that decide the test and the bounds of the interval."""

    binary: bool
    """True if scores are yes/no."""
    single: bool
    """True if there is one answer per question in each arm."""
    by_signs: bool = False
    """True: p of `permutation_p` instead of the paired t test."""
    low: float | None = None
    """Bounds of the score, 0 and 1 if `binary`; None: unbounded."""
    high: float | None = None

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        return (0.0, 1.0) if self.binary else (self.low, self.high)

    @property
    def widest(self) -> float | None:
        """Largest difference of two scores; None: unbounded."""
        low, high = self.bounds
        return None if low is None or high is None else high - low


def paired_difference(before: Floats, after: Floats, design: PairedDesign) -> PairedDifference:
    """Mean of `after` - `before` with interval and test; means by question, in the same order.

    NaN: the arm has no score for the question. One yes/no answer per question in each arm: exact McNemar test with
    Tango's score interval. Otherwise d ± t_{n-1}·SE with SE = s_d / √n, and p of the paired t test, or of
    `permutation_p` if `design.by_signs`.
    """
    first, second = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    has_first, has_second = ~np.isnan(first), ~np.isnan(second)
    both = has_first & has_second
    first, second = first[both], second[both]
    dropped = int(np.count_nonzero(has_first ^ has_second))
    if not len(first):
        return PairedDifference(None, dropped=dropped, why="No question has scores in both.")
    # Judges that disagree make a question's mean 0.5. McNemar's table needs 0 or 1.
    yes_or_no = bool(np.isin((first, second), (0.0, 1.0)).all())
    if design.binary and design.single and yes_or_no:
        difference = _difference_of_verdicts(first, second)
    else:
        difference = _difference_of_means(first, second, design.widest, design.by_signs)
    is_near_an_end = any(is_near_boundary(float(side.mean()), *design.bounds) for side in (first, second))
    return replace(
        difference,
        dropped=dropped,
        approximate=difference.low is not None and (difference.n < MIN_QUESTIONS_FOR_NORMAL or is_near_an_end),
    )


def _difference_of_means(before: Floats, after: Floats, widest: float | None, by_signs: bool) -> PairedDifference:
    differences = after - before
    value, n = zero_if_rounding(float(differences.mean()), before, after), len(differences)
    if n == 1:
        why = "There is only one question, so there is no interval and no test."
        return PairedDifference(value, n=1, method="no test: one question", why=why)
    if all_close(differences):
        same = "has the same score in both" if all_close(np.append(differences, 0.0)) else "differs by the same amount"
        why = f"{_each_question(n)} {same}, so there is nothing to test."
        return PairedDifference(value, n=n, method="no test: all questions alike", why=why, identical=True)
    error = float(differences.std(ddof=1)) / sqrt(n)
    half_width = t_quantile(n - 1) * error
    if by_signs:
        p, test = permutation_p(differences)
    else:
        p, test = 2 * float(special.stdtr(n - 1, -abs(value) / error)), "paired t-test"
    # A difference of two scores is at most the width of the scale.
    lower_bound = None if widest is None else -widest
    start, end, cut = clip_interval(value - half_width, value + half_width, lower_bound, widest)
    return PairedDifference(
        value, start, end, n, p=p, error=error, level=CONFIDENCE_LEVEL, method=f"{test}, t interval{cut}"
    )


def _difference_of_verdicts(before: Floats, after: Floats) -> PairedDifference:
    n = len(before)
    gained, lost = int(np.count_nonzero(after > before)), int(np.count_nonzero(after < before))
    value = (gained - lost) / n
    low, high = _tango(gained, lost, n)
    error = sqrt(gained + lost - (gained - lost) ** 2 / n) / n or None
    p = mcnemar_p([[0, gained], [lost, 0]]) if gained + lost else 1.0
    return PairedDifference(
        value,
        low,
        high,
        n,
        p=p,
        error=error,
        level=CONFIDENCE_LEVEL,
        method="exact McNemar, Tango’s score interval",
        identical=not gained + lost,
        why="" if gained + lost else f"{_each_question(n)} has the same verdict in both.",
    )


def _each_question(n: int) -> str:
    return f"Each of the {n:,} questions" if n > 1 else "The one question"


@lru_cache(maxsize=4096)
def _tango(gained: int, lost: int, n: int) -> tuple[float, float]:
    """Score interval of a difference of paired proportions (Tango 1998, Stat Med 17:891).

    Contains all differences δ with (b - c - nδ)² ≤ z²·n·(2·q(δ) + δ(1 - δ)), where b = `gained`, c = `lost` and q(δ) is
    the restricted maximum-likelihood estimate of P(lost). Has a width even if no pair is discordant.
    """
    value, z2 = (gained - lost) / n, NORMAL_QUANTILE**2

    def excess(difference: float) -> float:
        """Return the score statistic minus z²·variance; positive if the test rejects this difference."""
        linear = -gained - lost + (2 * n - gained + lost) * difference
        constant = -lost * difference * (1 - difference)
        restricted = (sqrt(max(0.0, linear**2 - 8 * n * constant)) - linear) / (4 * n)
        variance = max(0.0, n * (2 * restricted + difference * (1 - difference)))
        return (gained - lost - n * difference) ** 2 - z2 * variance

    # The difference itself has no variance where all pairs are alike, so that the search begins beside it.
    offset = 1e-9
    low = -1.0 if value - offset <= -1 else float(optimize.brentq(excess, -1.0, value - offset))
    high = 1.0 if value + offset >= 1 else float(optimize.brentq(excess, value + offset, 1.0))
    return low, high


def mcnemar_p(table: Sequence[Sequence[int]] | Any) -> float | None:
    """Exact p of McNemar 1947 for pairs [[both, first only], [second only, neither]].

    p = 2·P(X ≤ min(b, c)), X ~ Binomial(b + c, 1/2), at most 1. 1: no pair is discordant. None: no pairs.
    """
    # The chi-squared form is 0 / 0 without discordant pairs, and inaccurate with few.
    counts = np.asarray(table)
    return min(1.0, float(mcnemar(counts, exact=True).pvalue)) if counts.sum() else None


def permutation_p(differences: Floats) -> tuple[float | None, str]:
    """Two-sided p of the permutation test (Fisher 1935), and the method that computed it.

    p = share of sign patterns with |Σ ±d_i| ≥ |Σ d_i|. All 2ⁿ patterns count for up to `MAX_DIFFERENCES_ENUMERATED`
    differences, and for any practical number if the differences are of counts or grades (`COMMON_DENOMINATOR`).
    Otherwise p = (k + 1) / (B + 1) for B = `RESAMPLES` random patterns with k extreme ones (Davison & Hinkley 1997). p
    cannot be below .05 with 5 or fewer differences. None: no differences. 1: all differences are 0, or there is only
    one.
    """
    present = _without_missing(differences)
    if not len(present):
        return None, EXACT
    if len(present) == 1 or not _rounded_without_missing(present).any():
        return 1.0, EXACT
    if (exact := _exact_p(present)) is not None:
        return exact, EXACT
    sizes, times = np.unique(np.abs(_rounded_without_missing(present)), return_counts=True)
    # Equal sizes are one and the same for a draw, which keeps it small for any number of questions.
    positive_counts = np.random.default_rng(SEED).binomial(times, 0.5, size=(RESAMPLES, len(times)))
    extreme_count = np.count_nonzero(
        np.abs((2 * positive_counts - times) @ sizes) >= abs(present.sum()) - _rounding(present)
    )
    return float((extreme_count + 1) / (RESAMPLES + 1)), DRAWN


def _exact_p(differences: Floats) -> float | None:
    """Exact p by counting or enumeration. None: too many sign patterns."""
    steps = np.round(differences * COMMON_DENOMINATOR)
    if np.allclose(steps, differences * COMMON_DENOMINATOR, rtol=0, atol=1e-5):
        sizes = np.abs(steps[steps != 0]).astype(np.int64)
        unit = int(np.gcd.reduce(sizes))
        # Integer differences have few distinct sums: counting takes n·Σ|d| additions in place of 2ⁿ sums.
        if len(sizes) * int(sizes.sum() // unit) <= MAX_ADDITIONS_COUNTED:
            return _counted_p(sizes // unit, abs(int(steps.sum())) // unit)
    if len(differences) > MAX_DIFFERENCES_ENUMERATED:
        return None
    sums = np.zeros(1)
    for size in differences:
        sums = np.concatenate([sums + size, sums - size])
    return float(np.mean(np.abs(sums) >= abs(differences.sum()) - _rounding(differences)))


def _counted_p(sizes: Any, seen: int) -> float:
    """P(|Σ ±sizes| ≥ seen) with random signs, by convolution of the distributions of the summands."""
    probabilities = np.ones(1)
    for size in sizes.tolist():
        longer = np.zeros(len(probabilities) + 2 * size)
        longer[: len(probabilities)] += probabilities / 2
        longer[2 * size :] += probabilities / 2
        probabilities = longer
    sums = np.arange(len(probabilities)) - int(sizes.sum())
    return min(1.0, float(probabilities[np.abs(sums) >= seen].sum()))


def _rounding(differences: Floats) -> float:
    """Tolerance for sums that are equal up to rounding."""
    # Thirds and sixths do not add up exactly. Sums that miss the observed one by a bit would make p too small.
    return float(1e-9 * (len(differences) + np.abs(differences).sum()))


def wilcoxon_p(differences: Floats) -> float | None:
    """Two-sided p of the signed-rank test (Wilcoxon 1945), without zero differences.

    None: no differences. 1: all differences are 0.
    """
    rounded = _rounded_without_missing(differences)
    if not len(rounded):
        return None
    return min(1.0, float(stats.wilcoxon(rounded).pvalue)) if rounded.any() else 1.0


def adjust_p_values(ps: Sequence[float | None], *, many: bool = False) -> list[float | None]:
    """Correct p values for multiple testing: Holm 1979, or Benjamini & Hochberg 1995 if `many`.

    Holm: p_(i)' = max_{j≤i} min(1, (m - j + 1)·p_(j)). Benjamini–Hochberg: p_(i)' = min_{j≥i} min(1, m / j · p_(j)).
    None (no test) stays None and does not count.
    """
    tested = [p for p in ps if p is not None]
    if not tested:
        return [None] * len(ps)
    corrected = stats.false_discovery_control(tested) if many else _holm(np.array(tested))
    remaining = iter(corrected)
    return [None if p is None else float(next(remaining)) for p in ps]


def _holm(ps: Floats) -> Floats:
    """Holm's step-down correction."""
    # statsmodels' `multipletests` runs the garbage collector on every call, which takes longer than the correction.
    order = np.argsort(ps)
    stepped = np.maximum.accumulate(ps[order] * np.arange(len(ps), 0, -1))
    corrected = np.empty_like(ps)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def _without_missing(differences: Floats) -> Floats:
    """Return the differences that are not NaN."""
    flat = np.asarray(differences, dtype=np.float64).ravel()
    return flat[~np.isnan(flat)]


def _rounded_without_missing(differences: Floats) -> Floats:
    """Return the differences that are not NaN, rounded to 9 decimals."""
    # Ranks need ties: values that are equal up to rounding must get the same rank.
    return np.asarray(np.round(_without_missing(differences), 9) + 0.0, dtype=np.float64)
