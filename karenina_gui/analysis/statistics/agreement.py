"""Inter-rater agreement: chance-corrected coefficients (alpha, kappa) and raw agreement.

A unit is a judged answer. `clusters` holds the question of each unit, in the order of the ratings; None: each unit is
its own cluster. Answers to one question are correlated, so the jackknife leaves out whole clusters. Leaving out single
units makes intervals too narrow (see `tests/benchmarks/coverage.py`).
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
from karenina_gui.analysis.statistics.constants import Floats, Integers, all_close
from karenina_gui.analysis.statistics.jackknife import (
    ONE_CLUSTER,
    cluster_composition,
    clusters_of,
    distinct,
    interval_method,
    with_interval,
)
from karenina_gui.analysis.statistics.means import clustered_mean, score_mean
from karenina_gui.analysis.statistics.rates import wilson
from karenina_gui.analysis.thresholds import MAX_RATINGS_COUNTED, MAX_RATINGS_WITH_INTERVAL

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]
Again = Callable[[Integers, Floats], Floats]
"""Vectorized coefficient: (distinct units, selections × multiplicity of each) → coefficients. NaN: undefined."""
Clusters = Sequence[int] | Integers | None


def krippendorff_alpha(ratings: Floats, level: Level, *, clusters: Clusters = None) -> Estimate:
    """Krippendorff's alpha = 1 - D_observed / D_expected, with a jackknife interval (see `jackknife`).

    Krippendorff 2011, Computing Krippendorff's Alpha-Reliability. `ratings`: judges × units; NaN: no rating. `level`:
    nominal for yes/no and classes, ordinal for grades, interval for scores. `n` counts the units with two or more
    ratings; other units carry no information. The value is None if all ratings are equal, because D_expected is 0.
    """
    matrix, cluster_of_unit = _matrix(ratings, clusters)
    method = interval_method(f"Krippendorff’s alpha ({level})", cluster_of_unit)
    if (undefined := _undefined_estimate(matrix, method)) is not None:
        return undefined
    domain = np.unique(matrix[~np.isnan(matrix)])
    if len(domain) > MAX_RATINGS_COUNTED:
        return _alpha_from_squares(matrix, level, method)
    counts = (matrix.T[:, :, None] == domain).sum(axis=1)
    value = float(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level))
    return _with_interval(value, counts, cluster_of_unit, len(domain), method, partial(alphas, domain, level))


def fleiss_kappa(counts: Any, *, clusters: Clusters = None) -> Estimate:
    """Fleiss' kappa (1971) = (P_observed - P_chance) / (1 - P_chance), with a jackknife interval.

    `counts`: ratings by units × categories. The value is None if units have different numbers of ratings.
    """
    table = np.asarray(counts, dtype=np.int64)
    cluster_of_unit = clusters_of(len(table), clusters)
    method = interval_method("Fleiss’ kappa", cluster_of_unit)
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
    return _with_interval(float(kappa_of_fleiss(table)), table, cluster_of_unit, table.shape[1], method, _kappas)


def cohen_kappa(
    a: Floats | Sequence[float],
    b: Floats | Sequence[float],
    *,
    weights: Weights | None = None,
    clusters: Clusters = None,
) -> Estimate:
    """Cohen's kappa (1960) of two judges = 1 - Σ w·observed / Σ w·expected, with a jackknife interval.

    `a`, `b`: ratings of the same units; NaN: no rating. `weights` (Cohen 1968): w = |a - b| for linear and (a - b)² for
    quadratic, by the distance between the grades. None: w = 1 for each disagreement.
    """
    matrix, cluster_of_unit = _matrix(
        np.stack([np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)]), clusters
    )
    method = interval_method(f"Cohen’s kappa, {weights} weights" if weights else "Cohen’s kappa", cluster_of_unit)
    if (undefined := _undefined_estimate(matrix, method)) is not None:
        return undefined
    domain, codes = np.unique(matrix, return_inverse=True)
    if len(domain) > MAX_RATINGS_COUNTED:
        return Estimate(None, n=matrix.shape[1], method=method, why=TOO_MANY_FOR_KAPPA)
    pairs = codes.reshape(matrix.shape).T
    table = np.zeros((len(domain), len(domain)))
    np.add.at(table, (pairs[:, 0], pairs[:, 1]), 1)
    distances = domain if weights else None  # statsmodels takes distances without a weight for linear weights
    value = float(cohens_kappa(table, weights=distances, wt=weights, return_results=False))
    distance = np.abs(domain[:, None] - domain)
    disagreement = distance ** {"linear": 1, "quadratic": 2}[weights] if weights else np.sign(distance)
    return _with_interval(value, pairs, cluster_of_unit, len(domain), method, partial(_weighted_kappas, disagreement))


def raw_agreement(ratings: Floats, *, clusters: Clusters = None) -> Estimate:
    """Share of judge pairs with equal ratings: the mean over units of (equal pairs / all pairs).

    `ratings`: judges × units; NaN: no rating. Units with fewer than two ratings are dropped. Chance-corrected
    coefficients are low if nearly all ratings are equal, even with high raw agreement, so charts report both. If every
    unit has share 0, or every unit has share 1, the interval is Wilson's with n = clusters.
    """
    matrix, cluster_of_unit = _matrix(ratings, clusters)
    if not matrix.shape[1]:
        return Estimate(None, method="share of equal pairs", why=TOO_FEW)
    has_rating = ~np.isnan(matrix)
    pairs = list(combinations(range(len(matrix)), 2))
    pair_count = sum((has_rating[one] & has_rating[other]).astype(float) for one, other in pairs)
    agreement = np.asarray(sum((matrix[one] == matrix[other]).astype(float) for one, other in pairs) / pair_count)
    # A mean without variance has no t interval. Wilson's interval has a width there too.
    if all_close(agreement) and agreement[0] in (0.0, 1.0):
        cluster_count = int(cluster_of_unit.max()) + 1
        estimate = wilson(cluster_count * int(agreement[0]), cluster_count)
        return (
            replace(estimate, n=len(agreement), clusters=cluster_count)
            if _has_shared_clusters(cluster_of_unit)
            else estimate
        )
    if _has_shared_clusters(cluster_of_unit):
        mean = clustered_mean(agreement, cluster_of_unit.tolist(), low=0.0, high=1.0)
        # The clusters of a mean may hold several questions; here, a cluster is a question.
        return replace(mean, why=ONE_CLUSTER) if cluster_of_unit.max() == 0 else mean
    return score_mean(agreement, low=0.0, high=1.0, unit="answer")


TOO_FEW = "No answer has been rated by two judges."
ALL_ALIKE = "All ratings are the same: the judges agree on 100% of answers, but agreement beyond chance is undefined."


NO_INTERVAL = f"There is no interval for more than {MAX_RATINGS_WITH_INTERVAL} different ratings."
TOO_MANY_FOR_KAPPA = (
    f"There are more than {MAX_RATINGS_COUNTED} different ratings. Kappa is for classes and grades; use Krippendorff’s "
    "alpha for numbers with equal steps."
)
TOO_MANY_FOR_ALPHA = f"There are more than {MAX_RATINGS_COUNTED} different ratings, too many for Krippendorff’s alpha."


def _matrix(ratings: Floats, clusters: Clusters) -> tuple[Floats, Integers]:
    """Return judges × units for units with two or more ratings, and the cluster index of each unit."""
    matrix = np.atleast_2d(np.asarray(ratings, dtype=np.float64))
    rated = (~np.isnan(matrix)).sum(axis=0) > 1
    used = None if clusters is None else np.asarray(clusters, dtype=np.int64)[rated]
    return matrix[:, rated], clusters_of(int(rated.sum()), used)


def _has_shared_clusters(cluster_of_unit: Integers) -> bool:
    """Return True if at least one cluster has several units."""
    return bool(len(cluster_of_unit)) and int(cluster_of_unit.max()) + 1 < len(cluster_of_unit)


def _undefined_estimate(matrix: Floats, method: str) -> Estimate | None:
    """Return an estimate without a value if there are too few ratings or no variation. None: computable."""
    n = matrix.shape[1]
    if not n:
        return Estimate(None, method=method, why=TOO_FEW)
    return Estimate(None, n=n, method=method, why=ALL_ALIKE) if all_close(matrix[~np.isnan(matrix)]) else None


def _with_interval(
    value: float, units: Integers, cluster_of_unit: Integers, categories: int, method: str, recompute: Again
) -> Estimate:
    """Add the jackknife interval to `value`.

    `units`: one row per unit. `categories`: number of distinct ratings. `recompute` computes the coefficient for each
    selection of units.
    """
    if categories > MAX_RATINGS_WITH_INTERVAL:
        return Estimate(value, n=len(units), method=method, why=NO_INTERVAL)
    # Units with equal ratings, and clusters with equal units, give equal replicates: compute each only once.
    different, kinds = distinct(units)
    clusters, times = cluster_composition(kinds, cluster_of_unit)
    # Dropping the only disagreement leaves 0 / 0, which `with_interval` reports.
    with np.errstate(invalid="ignore", divide="ignore"):
        without = recompute(different, times @ clusters - clusters)
    return with_interval(value, without, times, n=len(units), method=method)


def _alpha_from_squares(matrix: Floats, level: Level, method: str) -> Estimate:
    """Krippendorff's alpha from sums of squares, in O(ratings) memory. No interval.

    D_observed = Σ_u n_u/(n_u - 1)·SS_within(u); D_expected = n/(n - 1)·SS_total, for interval scores, or for their
    ranks if `level` is ordinal.
    """
    n = matrix.shape[1]
    # Nominal and ratio distances are not squared differences, so that sums of squares cannot replace the counts.
    if level in ("nominal", "ratio"):
        return Estimate(None, n=n, method=method, why=TOO_MANY_FOR_ALPHA)
    position = (
        stats.rankdata(matrix, nan_policy="omit", axis=None).reshape(matrix.shape) if level == "ordinal" else matrix
    )
    position = position - np.nanmean(position)
    judges = (~np.isnan(position)).sum(axis=0)
    within = np.nansum((position - np.nanmean(position, axis=0)) ** 2, axis=0)
    observed = float((within * judges / (judges - 1)).sum())
    expected = float(np.nansum(position**2)) * judges.sum() / (judges.sum() - 1)
    return Estimate(float(1 - observed / expected), n=n, method=method, why=NO_INTERVAL)


def alphas(domain: Floats, level: Level, counts: Integers, chosen: Floats) -> Floats:
    """Krippendorff's alpha of each selection, vectorized: 1 - D_observed / D_expected.

    Gives the same values as `krippendorff.alpha`, which computes one selection per call. `chosen`: selections ×
    multiplicity of each row of `counts`.
    """
    units, categories = counts.shape
    judges = counts.sum(axis=1)
    # Coincidence matrix of each unit: pairs of ratings by different judges, divided by (judges - 1).
    pairs = (counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(categories)) / (judges - 1)[
        :, None, None
    ]
    coincidences = (chosen @ pairs.reshape(units, -1)).reshape(-1, categories, categories)
    marginals = chosen @ counts
    distances = _distances(marginals, domain, level)
    observed = (coincidences * distances).sum(axis=(1, 2))
    by_chance = marginals[:, :, None] * marginals[:, None, :] * distances
    return _chance_corrected(observed, by_chance.sum(axis=(1, 2)) / (marginals.sum(axis=1) - 1))


def _distances(marginals: Floats, domain: Floats, level: Level) -> Floats:
    """Return squared distances between ratings: selections × categories × categories."""
    if level == "nominal":
        return 1 - np.eye(len(domain))[None]
    # Ordinal distances are differences of mean ranks, which depend on the selected units.
    position = np.cumsum(marginals, axis=1) - marginals / 2 if level == "ordinal" else domain[None]
    difference = position[:, :, None] - position[:, None, :]
    if level == "ratio":
        total = np.abs(position[:, :, None] + position[:, None, :])
        difference = difference / np.where(total == 0, 1, total)
    return np.asarray(difference**2, dtype=np.float64)


def _kappas(counts: Integers, chosen: Floats) -> Floats:
    """Fleiss' kappa of each selection = 1 - (1 - P_observed) / (1 - P_chance)."""
    judges, units = counts[0].sum(), chosen.sum(axis=1)
    equal = (counts * (counts - 1)).sum(axis=1) / (judges * (judges - 1))
    shares = (chosen @ counts) / (units * judges)[:, None]
    return _chance_corrected(1 - chosen @ equal / units, 1 - (shares**2).sum(axis=1))


def _weighted_kappas(disagreement: Floats, pairs: Integers, chosen: Floats) -> Floats:
    """Cohen's kappa of each selection.

    `disagreement`: weight of each pair of categories. `pairs`: category indices of both judges per unit.
    """
    first, second = pairs.T
    one_each = np.eye(len(disagreement))
    expected = ((chosen @ one_each[first] @ disagreement) * (chosen @ one_each[second])).sum(axis=1)
    return _chance_corrected(chosen @ disagreement[first, second], expected / chosen.sum(axis=1))


def _chance_corrected(observed: Floats, expected: Floats) -> Floats:
    """Return 1 - observed / expected, NaN if the expected disagreement is 0 (all ratings are equal)."""
    is_defined = expected > 1e-12
    return np.where(is_defined, 1 - observed / np.where(is_defined, expected, 1), np.nan)
