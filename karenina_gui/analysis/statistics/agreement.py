"""Whether judges agree: beyond chance (alpha, kappa), and simply how often.

Units are what is judged: answers. Those to one question go together, as some questions are easier to judge than others,
so that intervals are made from whole questions (`clusters`: one label for each unit, in the order of the ratings; None:
each unit stands for itself). Units that are drawn one by one would make intervals that are too narrow:
with 12 answers to each of 30 questions, 95 % intervals of alpha hold the truth in 93 to 94 % of 2,000 simulated
benchmarks, and in 64 to 67 % where answers are drawn one by one (`tests/benchmarks/coverage.py`).
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
from karenina_gui.analysis.statistics.caution import LEVEL, Floats, Integers, alike
from karenina_gui.analysis.statistics.means import clustered_mean, mean_of_questions
from karenina_gui.analysis.statistics.rates import wilson

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]
Again = Callable[[Integers, Floats], Floats]
"""(different units, draws × how often each of these is drawn) → coefficients, NaN where there is none."""
Clusters = Sequence[int] | Integers | None

FEW_UNITS = 50
"""Below so many, or so many clusters of them, intervals of coefficients hold the truth less often than they say
(`tests/benchmarks/coverage.py`)."""
DRAWS = 1999
"""Draws of units, or of clusters of them, for the interval of a coefficient."""
DIFFERENT = 20
"""Different ratings up to which there is one: beyond, the draws take more memory than they are worth."""
MOST_DIFFERENT = 50
"""Different ratings up to which they are counted one by one, with memory for units × ratings²."""


def krippendorff_alpha(ratings: Floats, level: Level, *, clusters: Clusters = None, seed: int = 0) -> Estimate:
    """Krippendorff's alpha of ratings (judges × units, NaN where a judge has none), with a bootstrap interval.

    `n` is the number of units that two judges or more have rated; others say nothing. `level`: nominal for yes and no
    and for classes, ordinal for grades, interval for scores. Without an alpha where all ratings are alike: no chance
    is left to agree beyond.
    """
    matrix, together = _matrix(ratings, clusters)
    method = f"Krippendorff's alpha ({level}), {_bootstrap(seed, together)}"
    if (lacking := _lacking(matrix, method)) is not None:
        return lacking
    domain = np.unique(matrix[~np.isnan(matrix)])
    if len(domain) > MOST_DIFFERENT:
        return _of_many_ratings(matrix, level, method)
    counts = (matrix.T[:, :, None] == domain).sum(axis=1)
    value = float(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level))
    return _with_interval(value, counts, together, len(domain), method, seed, partial(alphas, domain, level))


def fleiss_kappa(counts: Any, *, clusters: Clusters = None, seed: int = 0) -> Estimate:
    """Kappa of Fleiss 1971: `counts` of ratings (units × categories), of the same number of judges for each unit."""
    table = np.asarray(counts, dtype=np.int64)
    together = _together(len(table), clusters)
    method = f"Fleiss' kappa, {_bootstrap(seed, together)}"
    judges = table.sum(axis=1) if table.size else np.zeros(0, dtype=np.int64)
    if not judges.any():
        return Estimate(None, method=method, why="Nothing has been rated.")
    n = len(table)
    if judges.min() != judges.max():
        why = "Units have different numbers of ratings; Krippendorff's alpha allows that, this kappa does not."
        return Estimate(None, n=n, method=method, why=why)
    if judges[0] < 2:
        return Estimate(None, n=n, method=method, why="There is one judge only.")
    if np.count_nonzero(table.any(axis=0)) == 1:
        return Estimate(None, n=n, method=method, why=ALL_ALIKE)
    return _with_interval(float(kappa_of_fleiss(table)), table, together, table.shape[1], method, seed, _kappas)


def cohen_kappa(
    a: Floats, b: Floats, *, weights: Weights | None = None, clusters: Clusters = None, seed: int = 0
) -> Estimate:
    """Kappa of Cohen 1960 for two judges on the same units, NaN where one has no rating.

    `weights`: quadratic for grades of 1 to 5, by the distance between the grades themselves; None: each disagreement
    counts alike. The interval is that of large samples (Fleiss, Cohen and Everitt 1969); with weights, where that is
    too narrow on a few dozen units, and where units come in clusters, a bootstrap.
    """
    matrix, together = _matrix(np.stack([np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)]), clusters)
    drawn = bool(weights) or _several(together)
    name = f"Cohen's kappa, {weights} weights" if weights else "Cohen's kappa"
    method = f"{name}, {_bootstrap(seed, together) if drawn else 'interval of large samples'}"
    if (lacking := _lacking(matrix, method)) is not None:
        return lacking
    domain, codes = np.unique(matrix, return_inverse=True)
    if len(domain) > MOST_DIFFERENT:
        return Estimate(None, n=matrix.shape[1], method=method, why=TOO_MANY)
    pairs = codes.reshape(matrix.shape).T
    table = np.zeros((len(domain), len(domain)))
    np.add.at(table, (pairs[:, 0], pairs[:, 1]), 1)
    if drawn:
        value = float(cohens_kappa(table, weights=domain, wt=weights, return_results=False))
        far = np.abs(domain[:, None] - domain)
        apart = far ** {"linear": 1, "quadratic": 2}[weights] if weights else np.sign(far)
        return _with_interval(value, pairs, together, len(domain), method, seed, partial(_weighted_kappas, apart))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = cohens_kappa(table)
    value, variance, n = float(found.kappa), float(found.var_kappa), len(pairs)
    if not variance > 1e-12:
        return Estimate(value, n=n, method=method, why=_no_variation(n))
    low, high = max(-1.0, float(found.kappa_low)), min(1.0, float(found.kappa_upp))
    error, approximate = float(np.sqrt(variance)), n < FEW_UNITS
    return Estimate(value, low, high, n, error, None, LEVEL, method, approximate=approximate)


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
    if np.isin(same, (0.0, 1.0)).all():
        return wilson(int(same.sum()), len(same))
    found = mean_of_questions(same, low=0.0, high=1.0)
    return replace(found, method=found.method.replace("questions", "units"), why=found.why.replace("question", "unit"))


TOO_FEW = "No unit has been rated by two judges."
ALL_ALIKE = (
    "All ratings are the same, so that agreement beyond chance is undefined: judges agree in 100 % of cases, "
    "but would also by chance."
)


NO_INTERVAL = f"Above {DIFFERENT} different ratings no interval is made."
TOO_MANY = (
    f"There are more than {MOST_DIFFERENT} different ratings. This coefficient is for classes and grades; "
    "Krippendorff's alpha for intervals fits such scores."
)


ONE_CLUSTER = "All that was judged belongs to one cluster, such as one question, so that there is no interval."


def _bootstrap(seed: int, together: Integers) -> str:
    return f"percentile bootstrap over {'clusters of units' if _several(together) else 'units'}, seed {seed}"


def _no_variation(n: int) -> str:
    return f"No variation seen: on all {n} units judges agree to the same degree. Others may differ."


def _matrix(ratings: Floats, clusters: Clusters) -> tuple[Floats, Integers]:
    """Judges × units, of the units with two ratings or more, and the cluster of each of these."""
    matrix = np.atleast_2d(np.asarray(ratings, dtype=np.float64))
    rated = (~np.isnan(matrix)).sum(axis=0) > 1
    used = None if clusters is None else np.asarray(clusters, dtype=np.int64)[rated]
    return matrix[:, rated], _together(int(rated.sum()), used)


def _together(units: int, clusters: Clusters) -> Integers:
    """The place of each unit's cluster, from 0 on."""
    if clusters is None:
        return np.arange(units)
    return np.unique(np.asarray(clusters, dtype=np.int64), return_inverse=True)[1].astype(np.int64)


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
    value: float, units: Integers, together: Integers, categories: int, method: str, seed: int, again: Again
) -> Estimate:
    """`units`: one row for each; `categories`: different ratings; `again` computes the coefficient of many draws."""
    n, number = len(units), int(together.max()) + 1
    if number == 1:
        why = "One unit alone shows no variation, so there is no interval." if n == 1 else ONE_CLUSTER
        return Estimate(value, n=n, method=method, why=why)
    if categories > DIFFERENT:
        return Estimate(value, n=n, method=method, why=NO_INTERVAL)
    different, kind = np.unique(units, axis=0, return_inverse=True)
    drawn = _draws(kind.ravel(), together, seed)
    found = again(different, drawn)
    found = found[~np.isnan(found)]
    if len(found) < DRAWS / 2 or alike(found):
        return Estimate(value, n=n, method=method, why=_no_variation(n))
    low, high = (float(end) for end in np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    error = float(found.std(ddof=1))
    return Estimate(value, low, high, n, error, None, LEVEL, method, approximate=number < FEW_UNITS)


def _draws(kind: Integers, together: Integers, seed: int) -> Floats:
    """How often each kind of unit comes when as many clusters are drawn as there are: draws × kinds.

    Clusters with the same units are one and the same for a draw, which keeps it small.
    """
    if not _several(together):
        times = np.bincount(kind)
        drawn = np.random.default_rng(seed).multinomial(len(kind), times / len(kind), size=DRAWS)
        return drawn.astype(np.float64)
    holds = np.zeros((int(together.max()) + 1, int(kind.max()) + 1))
    np.add.at(holds, (together, kind), 1)
    different, times = np.unique(holds, axis=0, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(times.sum(), times / times.sum(), size=DRAWS)
    return np.asarray(drawn @ different, dtype=np.float64)


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


def alphas(domain: Floats, level: Level, counts: Integers, drawn: Floats) -> Floats:
    """Alpha of each draw, as Krippendorff's library computes it of one: 1 - observed / expected disagreement.

    `drawn`: draws × how often each row of `counts` is drawn.
    """
    units, categories = counts.shape
    judges = counts.sum(axis=1)
    pairs = (counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(categories)) / (judges - 1)[
        :, None, None
    ]
    coincidences = (drawn @ pairs.reshape(units, -1)).reshape(-1, categories, categories)
    used = drawn @ counts
    distances = _distances(used, domain, level)
    observed = (coincidences * distances).sum(axis=(1, 2))
    by_chance = used[:, :, None] * used[:, None, :] * distances
    return _beyond(observed, by_chance.sum(axis=(1, 2)) / (used.sum(axis=1) - 1))


def _distances(used: Floats, domain: Floats, level: Level) -> Floats:
    """Between ratings, for each draw: draws × categories × categories. For ranks they depend on what is drawn."""
    if level == "nominal":
        return 1 - np.eye(len(domain))[None]
    place = np.cumsum(used, axis=1) - used / 2 if level == "ordinal" else domain[None]
    apart = place[:, :, None] - place[:, None, :]
    if level == "ratio":
        total = np.abs(place[:, :, None] + place[:, None, :])
        apart = apart / np.where(total == 0, 1, total)
    return np.asarray(apart**2, dtype=np.float64)


def _kappas(counts: Integers, drawn: Floats) -> Floats:
    """Fleiss' kappa of each draw, as 1 - observed / expected disagreement."""
    judges, units = counts[0].sum(), drawn.sum(axis=1)
    equal = (counts * (counts - 1)).sum(axis=1) / (judges * (judges - 1))
    shares = (drawn @ counts) / (units * judges)[:, None]
    return _beyond(1 - drawn @ equal / units, 1 - (shares**2).sum(axis=1))


def _weighted_kappas(apart: Floats, pairs: Integers, drawn: Floats) -> Floats:
    """Cohen's kappa of each draw; `apart`: between categories, `pairs`: places of both judges' ratings."""
    first, second = pairs.T
    one_each = np.eye(len(apart))
    expected = ((drawn @ one_each[first] @ apart) * (drawn @ one_each[second])).sum(axis=1)
    return _beyond(drawn @ apart[first, second], expected / drawn.sum(axis=1))


def _beyond(observed: Floats, expected: Floats) -> Floats:
    """NaN where nothing is expected: all that was drawn is alike."""
    there = expected > 1e-12
    return np.where(there, 1 - observed / np.where(there, expected, 1), np.nan)
