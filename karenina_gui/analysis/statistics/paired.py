"""Comparison of two arms on the same questions: differences question by question, their tests, and many of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from scipy import optimize, special, stats
from statsmodels.stats.contingency_tables import mcnemar

from karenina_gui.analysis.estimate import Difference
from karenina_gui.analysis.statistics.caution import (
    FEW_QUESTIONS,
    LEVEL,
    NORMAL_QUANTILE,
    RESAMPLES,
    Floats,
    alike,
    cleared,
    near_an_end,
    t_quantile,
    within,
)

TRIED = 17
"""Differences up to which a permutation test tries all signs, whatever their sizes."""
COMMON = 5040
"""Means of up to ten answers are multiples of 1/5040, so that their sums are counted and not tried one by one."""
MOST_COUNTED = 50_000_000
"""Additions that counting them may take."""
SEED = 0
EXACT, DRAWN = "exact sign permutation", f"sign permutation, {RESAMPLES:,} draws (seed {SEED})"
"""How p came about; the interval of both is Student's."""


def paired_difference(
    before: Floats,
    after: Floats,
    *,
    binary: bool,
    single: bool,
    by_signs: bool = False,
    low: float | None = None,
    high: float | None = None,
) -> Difference:
    """`after` minus `before`, means of the same questions in the same order; NaN: the arm has no score for it.

    `binary`: scores are yes or no. `single`: each question has one answer in each arm. Both: the exact test of McNemar
    with the score interval of Tango; else Student's t over the differences. `by_signs`: p is that of `permutation_p`
    there, which needs neither many questions nor steps of equal size; the interval is Student's all the same. `low`,
    `high`: least and greatest score that there can be; 0 and 1 where they are binary.
    """
    if binary:
        low, high = 0.0, 1.0
    first, second = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    has_first, has_second = ~np.isnan(first), ~np.isnan(second)
    both = has_first & has_second
    first, second = first[both], second[both]
    dropped = int(np.count_nonzero(has_first ^ has_second))
    if not len(first):
        return Difference(None, dropped=dropped, why="No question has scores in both.")
    yes_or_no = bool(np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all())
    if binary and single and yes_or_no:
        found = _of_verdicts(first, second)
    else:
        found = _of_means(first, second, None if low is None or high is None else high - low, by_signs)
    ends = any(near_an_end(float(side.mean()), low, high) for side in (first, second))
    return replace(found, dropped=dropped, approximate=found.low is not None and (found.n < FEW_QUESTIONS or ends))


def _of_means(before: Floats, after: Floats, widest: float | None, by_signs: bool) -> Difference:
    differences = after - before
    value, n, method = cleared(float(differences.mean()), before, after), len(differences), "paired t"
    if n == 1:
        why = "There is only one question, so there is no interval and no test."
        return Difference(value, n=1, method="no test: one question", why=why)
    if alike(differences):
        same = "has the same score in both" if alike(np.append(differences, 0.0)) else "differs by the same amount"
        why = f"{_each(n)} {same}, so there is nothing to test."
        return Difference(value, n=n, method="no test: all questions alike", why=why, identical=True)
    error = float(differences.std(ddof=1)) / sqrt(n)
    half = t_quantile(n - 1) * error
    if by_signs:
        p, how = permutation_p(differences)
        method = f"{how}, t interval"
    else:
        p = 2 * float(special.stdtr(n - 1, -abs(value) / error))
    least = None if widest is None else -widest
    start, end, cut = within(value - half, value + half, least, widest)
    return Difference(value, start, end, n, p=p, error=error, level=LEVEL, method=method + cut)


def _of_verdicts(before: Floats, after: Floats) -> Difference:
    n = len(before)
    gained, lost = int(np.count_nonzero(after > before)), int(np.count_nonzero(after < before))
    value = (gained - lost) / n
    low, high = _tango(gained, lost, n)
    error = sqrt(gained + lost - (gained - lost) ** 2 / n) / n or None
    p = mcnemar_p([[0, gained], [lost, 0]]) if gained + lost else 1.0
    return Difference(
        value, low, high, n, p=p, error=error, level=LEVEL, method="exact McNemar, Tango’s score interval",
        identical=not gained + lost,
        why="" if gained + lost else f"{_each(n)} has the same verdict in both.",
    )  # fmt: skip


def _each(n: int) -> str:
    return f"Each of the {n:,} questions" if n > 1 else "The one question"


@lru_cache(maxsize=4096)
def _tango(gained: int, lost: int, n: int) -> tuple[float, float]:
    """Score interval of a difference of paired proportions, Tango 1998 (Stat Med 17:891), as Wilson's of one.

    All differences that a score test at 5% does not reject; it has a width also where no pair is discordant.
    """
    value, z2 = (gained - lost) / n, NORMAL_QUANTILE**2

    def too_far(difference: float) -> float:
        """Above 0 where the test rejects it."""
        linear = -gained - lost + (2 * n - gained + lost) * difference
        constant = -lost * difference * (1 - difference)
        restricted = (sqrt(max(0.0, linear**2 - 8 * n * constant)) - linear) / (4 * n)
        variance = max(0.0, n * (2 * restricted + difference * (1 - difference)))
        return (gained - lost - n * difference) ** 2 - z2 * variance

    # The difference itself has no variance where all pairs are alike, so that the search begins beside it.
    beside = 1e-9
    low = -1.0 if value - beside <= -1 else float(optimize.brentq(too_far, -1.0, value - beside))
    high = 1.0 if value + beside >= 1 else float(optimize.brentq(too_far, value + beside, 1.0))
    return low, high


def mcnemar_p(table: Sequence[Sequence[int]] | Any) -> float | None:
    """Exact p of McNemar 1947 for pairs [[both, first only], [second only, neither]]; None: there are no pairs.

    1 where no pair is discordant. Never the chi-squared form, which is 0 there.
    """
    counts = np.asarray(table)
    return min(1.0, float(mcnemar(counts, exact=True).pvalue)) if counts.sum() else None


def permutation_p(differences: Floats) -> tuple[float | None, str]:
    """Two-sided p of the mean when the sign of each difference is left to chance, and how it came about.

    All ways to sign them count, up to 17 questions in any case, and any number of them that is met in practice where
    the differences are those of counts or grades (`COMMON`). Else `RESAMPLES` ways are drawn.

    It asks how often a mean as far from 0 comes about if it made no difference which side is which (Fisher 1935), and
    so holds for grades and for few questions; with 5 or fewer it cannot come below .05. None: there is no difference.
    1 where all are 0, and for one question.
    """
    found = _known(differences)
    if not len(found):
        return None, EXACT
    if len(found) == 1 or not _there(found).any():
        return 1.0, EXACT
    if (exact := _exact_p(found)) is not None:
        return exact, EXACT
    sizes, times = np.unique(np.abs(_there(found)), return_counts=True)
    # Equal sizes are one and the same for a draw, which keeps it small for any number of questions.
    plus = np.random.default_rng(SEED).binomial(times, 0.5, size=(RESAMPLES, len(times)))
    far = np.count_nonzero(np.abs((2 * plus - times) @ sizes) >= abs(found.sum()) - _rounding(found))
    return float((far + 1) / (RESAMPLES + 1)), DRAWN


def _exact_p(found: Floats) -> float | None:
    """None: there are too many ways."""
    steps = np.round(found * COMMON)
    if np.allclose(steps, found * COMMON, rtol=0, atol=1e-5):
        sizes = np.abs(steps[steps != 0]).astype(np.int64)
        unit = int(np.gcd.reduce(sizes))
        if len(sizes) * int(sizes.sum() // unit) <= MOST_COUNTED:
            return _counted(sizes // unit, abs(int(steps.sum())) // unit)
    if len(found) > TRIED:
        return None
    sums = np.zeros(1)
    for size in found:
        sums = np.concatenate([sums + size, sums - size])
    return float(np.mean(np.abs(sums) >= abs(found.sum()) - _rounding(found)))


def _counted(sizes: Any, seen: int) -> float:
    """Chance that whole numbers of these sizes, each with either sign, add up to `seen` or more, on either side."""
    chances = np.ones(1)
    for size in sizes.tolist():
        further = np.zeros(len(chances) + 2 * size)
        further[: len(chances)] += chances / 2
        further[2 * size :] += chances / 2
        chances = further
    sums = np.arange(len(chances)) - int(sizes.sum())
    return min(1.0, float(chances[np.abs(sums) >= seen].sum()))


def _rounding(found: Floats) -> float:
    """Sums of thirds and sixths that are equal but for rounding count as equal, or p would come out too small."""
    return float(1e-9 * (len(found) + np.abs(found).sum()))


def wilcoxon_p(differences: Floats) -> float | None:
    """Two-sided p of the signed ranks (Wilcoxon 1945), without differences of 0; None: there is no difference.

    1 where all are 0.
    """
    found = _there(differences)
    if not len(found):
        return None
    return min(1.0, float(stats.wilcoxon(found).pvalue)) if found.any() else 1.0


def adjusted(ps: Sequence[float | None], *, many: bool = False) -> list[float | None]:
    """p values after correction for their number: Holm 1979, or `many`: Benjamini and Hochberg 1995.

    None, where there was no test, stays None and does not count.
    """
    tested = [p for p in ps if p is not None]
    if not tested:
        return [None] * len(ps)
    corrected = stats.false_discovery_control(tested) if many else _holm(np.array(tested))
    rest = iter(corrected)
    return [None if p is None else float(next(rest)) for p in ps]


def _holm(ps: Floats) -> Floats:
    """Smallest first, each times the number of those not yet done; `multipletests` collects garbage at every call."""
    order = np.argsort(ps)
    stepped = np.maximum.accumulate(ps[order] * np.arange(len(ps), 0, -1))
    corrected = np.empty_like(ps)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def _known(differences: Floats) -> Floats:
    """Without those that are missing."""
    found = np.asarray(differences, dtype=np.float64).ravel()
    return found[~np.isnan(found)]


def _there(differences: Floats) -> Floats:
    """Without those that are missing; equal but for rounding means equal, so that they get the same rank."""
    return np.asarray(np.round(_known(differences), 9) + 0.0, dtype=np.float64)
