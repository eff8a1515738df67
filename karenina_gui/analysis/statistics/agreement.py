"""Whether judges agree: beyond chance (alpha, kappa), and simply how often.

Units are what is judged: answers. Those to one question go together, as some questions are easier to judge than others,
so that intervals are made from whole questions (`clusters`: one label for each unit, in the order of the ratings; None:
each unit stands for itself). Units that are left out one by one would make intervals that are too narrow: see
`tests/benchmarks/coverage.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Literal

import krippendorff
import numpy as np
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa as kappa_of_fleiss

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.caution import Floats, Integers, alike
from karenina_gui.analysis.statistics.jackknife import clusters_of, distinct, held, named, with_interval
from karenina_gui.analysis.statistics.means import clustered_mean, score_mean
from karenina_gui.analysis.statistics.rates import wilson

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]
Again = Callable[[Integers, Floats], Floats]
"""(different units, selections × how many there are of each) → coefficients, NaN where there is none."""
Clusters = Sequence[int] | Integers | None

DIFFERENT = 20
"""Different ratings up to which there is an interval: beyond, it takes more memory than it is worth."""
MOST_DIFFERENT = 50
"""Different ratings up to which they are counted one by one, with memory for units × ratings²."""


def krippendorff_alpha(ratings: Floats, level: Level, *, clusters: Clusters = None) -> Estimate:
    """Krippendorff's alpha of ratings (judges × units, NaN where a judge has none), with the interval of `jackknife`.

    `n` is the number of units that two judges or more have rated; others say nothing. `level`: nominal for yes and no
    and for classes, ordinal for grades, interval for scores. Without an alpha where all ratings are alike: no chance
    is left to agree beyond.
    """
    matrix, together = _matrix(ratings, clusters)
    method = named(f"Krippendorff’s alpha ({level})", together)
    if (lacking := _lacking(matrix, method)) is not None:
        return lacking
    domain = np.unique(matrix[~np.isnan(matrix)])
    if len(domain) > MOST_DIFFERENT:
        return _of_many_ratings(matrix, level, method)
    counts = (matrix.T[:, :, None] == domain).sum(axis=1)
    value = float(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level))
    return _with_interval(value, counts, together, len(domain), method, partial(alphas, domain, level))


def fleiss_kappa(counts: Any, *, clusters: Clusters = None) -> Estimate:
    """Kappa of Fleiss 1971: `counts` of ratings (units × categories), of the same number of judges for each unit."""
    table = np.asarray(counts, dtype=np.int64)
    together = clusters_of(len(table), clusters)
    method = named("Fleiss’ kappa", together)
    judges = table.sum(axis=1) if table.size else np.zeros(0, dtype=np.int64)
    if not judges.any():
        return Estimate(None, method=method, why="There are no ratings.")
    n = len(table)
    if judges.min() != judges.max():
        why = "Answers have different numbers of ratings. Krippendorff’s alpha allows that, this kappa does not."
        return Estimate(None, n=n, method=method, why=why)
    if judges[0] < 2:
        return Estimate(None, n=n, method=method, why="There is only one judge.")
    if np.count_nonzero(table.any(axis=0)) == 1:
        return Estimate(None, n=n, method=method, why=ALL_ALIKE)
    return _with_interval(float(kappa_of_fleiss(table)), table, together, table.shape[1], method, _kappas)


def cohen_kappa(a: Floats, b: Floats, *, weights: Weights | None = None, clusters: Clusters = None) -> Estimate:
    """Kappa of Cohen 1960 for two judges on the same units, NaN where one has no rating.

    `weights`: quadratic for grades of 1 to 5, by the distance between the grades themselves; None: each disagreement
    counts alike.
    """
    matrix, together = _matrix(np.stack([np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)]), clusters)
    method = named(f"Cohen’s kappa, {weights} weights" if weights else "Cohen’s kappa", together)
    if (lacking := _lacking(matrix, method)) is not None:
        return lacking
    domain, codes = np.unique(matrix, return_inverse=True)
    if len(domain) > MOST_DIFFERENT:
        return Estimate(None, n=matrix.shape[1], method=method, why=TOO_MANY)
    pairs = codes.reshape(matrix.shape).T
    table = np.zeros((len(domain), len(domain)))
    np.add.at(table, (pairs[:, 0], pairs[:, 1]), 1)
    distances = domain if weights else None  # statsmodels takes distances without a weight for linear weights
    value = float(cohens_kappa(table, weights=distances, wt=weights, return_results=False))
    far = np.abs(domain[:, None] - domain)
    apart = far ** {"linear": 1, "quadratic": 2}[weights] if weights else np.sign(far)
    return _with_interval(value, pairs, together, len(domain), method, partial(_weighted_kappas, apart))


def raw_agreement(ratings: Floats, *, clusters: Clusters = None) -> Estimate:
    """Share of pairs of judges who give the same rating, over units that two or more have rated (judges × units).

    It stands beside every coefficient: those are low where nearly all ratings are alike, however often judges agree.
    Where they do so always, or never, the interval is Wilson's of as many units as there are clusters.
    """
    matrix, together = _matrix(ratings, clusters)
    if not matrix.shape[1]:
        return Estimate(None, method="share of equal pairs", why=TOO_FEW)
    there = ~np.isnan(matrix)
    pairs = list(combinations(range(len(matrix)), 2))
    both = sum((there[one] & there[other]).astype(float) for one, other in pairs)
    same = np.asarray(sum((matrix[one] == matrix[other]).astype(float) for one, other in pairs) / both)
    if alike(same) and same[0] in (0.0, 1.0):
        number = int(together.max()) + 1
        found = wilson(number * int(same[0]), number)
        return replace(found, n=len(same), clusters=number) if _several(together) else found
    if _several(together):
        return clustered_mean(same, together.tolist(), low=0.0, high=1.0)
    return score_mean(same, low=0.0, high=1.0, unit="unit")


TOO_FEW = "No answer has been rated by two judges."
ALL_ALIKE = "All ratings are the same: the judges agree on 100% of answers, but agreement beyond chance is undefined."


NO_INTERVAL = f"There is no interval for more than {DIFFERENT} different ratings."
TOO_MANY = (
    f"There are more than {MOST_DIFFERENT} different ratings. This coefficient is for classes and grades; use "
    "Krippendorff’s alpha for interval scores."
)


def _matrix(ratings: Floats, clusters: Clusters) -> tuple[Floats, Integers]:
    """Judges × units, of the units with two ratings or more, and the cluster of each of these."""
    matrix = np.atleast_2d(np.asarray(ratings, dtype=np.float64))
    rated = (~np.isnan(matrix)).sum(axis=0) > 1
    used = None if clusters is None else np.asarray(clusters, dtype=np.int64)[rated]
    return matrix[:, rated], clusters_of(int(rated.sum()), used)


def _several(together: Integers) -> bool:
    """Whether a cluster has several units."""
    return bool(len(together)) and int(together.max()) + 1 < len(together)


def _lacking(matrix: Floats, method: str) -> Estimate | None:
    """What there is to say where no coefficient can be computed; None: it can."""
    n = matrix.shape[1]
    if not n:
        return Estimate(None, method=method, why=TOO_FEW)
    return Estimate(None, n=n, method=method, why=ALL_ALIKE) if alike(matrix[~np.isnan(matrix)]) else None


def _with_interval(
    value: float, units: Integers, together: Integers, categories: int, method: str, again: Again
) -> Estimate:
    """`units`: one row for each; `categories`: different ratings; `again` computes the coefficient without some."""
    if categories > DIFFERENT:
        return Estimate(value, n=len(units), method=method, why=NO_INTERVAL)
    different, kinds = distinct(units)
    clusters, times = held(kinds, together)
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing is left without the only one
        without = again(different, times @ clusters - clusters)
    return with_interval(value, without, times, n=len(units), method=method)


def _of_many_ratings(matrix: Floats, level: Level, method: str) -> Estimate:
    """Alpha from squared distances of scores or of their ranks, for which nobody needs to count each rating."""
    n = matrix.shape[1]
    if level in ("nominal", "ratio"):
        return Estimate(None, n=n, method=method, why=TOO_MANY)
    place = stats.rankdata(matrix, nan_policy="omit", axis=None).reshape(matrix.shape) if level == "ordinal" else matrix
    place = place - np.nanmean(place)
    judges = (~np.isnan(place)).sum(axis=0)
    within = np.nansum((place - np.nanmean(place, axis=0)) ** 2, axis=0)
    observed = float((within * judges / (judges - 1)).sum())
    expected = float(np.nansum(place**2)) * judges.sum() / (judges.sum() - 1)
    return Estimate(float(1 - observed / expected), n=n, method=method, why=NO_INTERVAL)


def alphas(domain: Floats, level: Level, counts: Integers, chosen: Floats) -> Floats:
    """Alpha of each selection, as Krippendorff's library computes it of one: 1 - observed / expected disagreement.

    `chosen`: selections × how many there are of each row of `counts`.
    """
    units, categories = counts.shape
    judges = counts.sum(axis=1)
    pairs = (counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(categories)) / (judges - 1)[
        :, None, None
    ]
    coincidences = (chosen @ pairs.reshape(units, -1)).reshape(-1, categories, categories)
    used = chosen @ counts
    distances = _distances(used, domain, level)
    observed = (coincidences * distances).sum(axis=(1, 2))
    by_chance = used[:, :, None] * used[:, None, :] * distances
    return _beyond(observed, by_chance.sum(axis=(1, 2)) / (used.sum(axis=1) - 1))


def _distances(used: Floats, domain: Floats, level: Level) -> Floats:
    """Between ratings: selections × categories × categories. For ranks they depend on what is selected."""
    if level == "nominal":
        return 1 - np.eye(len(domain))[None]
    place = np.cumsum(used, axis=1) - used / 2 if level == "ordinal" else domain[None]
    apart = place[:, :, None] - place[:, None, :]
    if level == "ratio":
        total = np.abs(place[:, :, None] + place[:, None, :])
        apart = apart / np.where(total == 0, 1, total)
    return np.asarray(apart**2, dtype=np.float64)


def _kappas(counts: Integers, chosen: Floats) -> Floats:
    """Fleiss' kappa of each selection, as 1 - observed / expected disagreement."""
    judges, units = counts[0].sum(), chosen.sum(axis=1)
    equal = (counts * (counts - 1)).sum(axis=1) / (judges * (judges - 1))
    shares = (chosen @ counts) / (units * judges)[:, None]
    return _beyond(1 - chosen @ equal / units, 1 - (shares**2).sum(axis=1))


def _weighted_kappas(apart: Floats, pairs: Integers, chosen: Floats) -> Floats:
    """Cohen's kappa of each selection; `apart`: between categories, `pairs`: places of both judges' ratings."""
    first, second = pairs.T
    one_each = np.eye(len(apart))
    expected = ((chosen @ one_each[first] @ apart) * (chosen @ one_each[second])).sum(axis=1)
    return _beyond(chosen @ apart[first, second], expected / chosen.sum(axis=1))


def _beyond(observed: Floats, expected: Floats) -> Floats:
    """NaN where nothing is expected: all that was selected is alike."""
    there = expected > 1e-12
    return np.where(there, 1 - observed / np.where(there, expected, 1), np.nan)
