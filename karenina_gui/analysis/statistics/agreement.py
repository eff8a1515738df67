"""Whether judges agree: beyond chance (alpha, kappa), and simply how often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import krippendorff
import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa as kappa_of_fleiss

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.caution import FEW_QUESTIONS, LEVEL, Floats, Integers, alike
from karenina_gui.analysis.statistics.means import mean_of_questions
from karenina_gui.analysis.statistics.rates import wilson

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]
Again = Callable[[Integers, Floats], Floats]
"""(different units × categories, draws × how often each of these is drawn) → coefficients, NaN where there is none."""

DRAWS = 1999
"""Draws of units for the interval of a coefficient."""
DIFFERENT = 20
"""Different ratings up to which there is one: beyond, the draws take more memory than they are worth."""


def krippendorff_alpha(ratings: Floats, level: Level, *, seed: int = 0) -> Estimate:
    """Krippendorff's alpha of ratings (judges × units, NaN where a judge has none), with a bootstrap interval.

    `n` is the number of units that two judges or more have rated; others say nothing. `level`: nominal for yes and no
    and for classes, ordinal for grades, interval for scores. Without an alpha where all ratings are alike: no chance
    is left to agree beyond.
    """
    matrix = _matrix(ratings)
    method = f"Krippendorff's alpha ({level}), percentile bootstrap over units, seed {seed}"
    if (lacking := _lacking(matrix, method)) is not None:
        return lacking
    domain = np.unique(matrix[~np.isnan(matrix)])
    counts = (matrix.T[:, :, None] == domain).sum(axis=1)
    value = float(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level))
    return _with_interval(value, counts, method, seed, lambda units, drawn: _alphas(units, drawn, domain, level))


def fleiss_kappa(counts: Any, *, seed: int = 0) -> Estimate:
    """Kappa of Fleiss 1971: `counts` of ratings (units × categories), of the same number of judges for each unit."""
    table = np.asarray(counts, dtype=np.int64)
    method = f"Fleiss' kappa, percentile bootstrap over units, seed {seed}"
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
    return _with_interval(float(kappa_of_fleiss(table)), table, method, seed, _kappas)


def cohen_kappa(a: Floats, b: Floats, *, weights: Weights | None = None) -> Estimate:
    """Kappa of Cohen 1960 for two judges on the same units, NaN where one has no rating.

    `weights`: quadratic for grades of 1 to 5, by the distance between the grades themselves; None: each disagreement
    counts alike. The interval is that of large samples (Fleiss, Cohen and Everitt 1969).
    """
    matrix = _matrix(np.stack([np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)]))
    name = f"Cohen's kappa, {weights} weights" if weights else "Cohen's kappa"
    method = f"{name}, interval of large samples"
    if (lacking := _lacking(matrix, method)) is not None:
        return lacking
    domain, codes = np.unique(matrix, return_inverse=True)
    first, second = codes.reshape(matrix.shape)
    table = np.zeros((len(domain), len(domain)))
    np.add.at(table, (first, second), 1)
    weighing = {"weights": domain, "wt": weights} if weights else {}
    with np.errstate(invalid="ignore", divide="ignore"):
        found = cohens_kappa(table, **weighing)
    value, n = float(found.kappa), matrix.shape[1]
    variance = float(found.var_kappa)
    if not variance > 1e-12:
        return Estimate(value, n=n, method=method, why=_no_variation(n))
    error = float(np.sqrt(variance))
    return Estimate(
        value, max(-1.0, float(found.kappa_low)), min(1.0, float(found.kappa_upp)), n, error, None, LEVEL, method,
        approximate=n < FEW_QUESTIONS,
    )  # fmt: skip


def raw_agreement(ratings: Floats) -> Estimate:
    """Share of pairs of judges who give the same rating, over units that two or more have rated (judges × units).

    It stands beside every coefficient: those are low where nearly all ratings are alike, however often judges agree.
    """
    matrix = _matrix(ratings)
    if not matrix.shape[1]:
        return Estimate(None, method="share of equal pairs", why=TOO_FEW)
    domain = np.unique(matrix[~np.isnan(matrix)])
    counts = (matrix.T[:, :, None] == domain).sum(axis=1)
    judges = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) / (judges * (judges - 1))
    if np.isin(same, (0.0, 1.0)).all():
        return wilson(int(same.sum()), len(same))
    found = mean_of_questions(same, low=0.0, high=1.0)
    return replace(found, method=found.method.replace("questions", "units"), why=found.why.replace("question", "unit"))


TOO_FEW = "No unit has been rated by two judges."
ALL_ALIKE = (
    "All ratings are the same, so that agreement beyond chance is undefined: judges agree in 100 % of cases, "
    "but would also by chance."
)


def _no_variation(n: int) -> str:
    return f"No variation seen: on all {n} units judges agree to the same degree. Others may differ."


def _matrix(ratings: Floats) -> Floats:
    """Judges × units, of the units with two ratings or more."""
    matrix = np.atleast_2d(np.asarray(ratings, dtype=np.float64))
    return matrix[:, (~np.isnan(matrix)).sum(axis=0) > 1]


def _lacking(matrix: Floats, method: str) -> Estimate | None:
    """What there is to say where no coefficient can be computed; None: it can."""
    n = matrix.shape[1]
    if not n:
        return Estimate(None, method=method, why=TOO_FEW)
    return Estimate(None, n=n, method=method, why=ALL_ALIKE) if alike(matrix[~np.isnan(matrix)]) else None


def _with_interval(value: float, counts: Integers, method: str, seed: int, again: Again) -> Estimate:
    """`counts` of ratings (units × categories); `again` computes the coefficient of many draws of units."""
    n, categories = counts.shape
    if n == 1:
        return Estimate(value, n=1, method=method, why="One unit alone shows no variation, so there is no interval.")
    if categories > DIFFERENT:
        return Estimate(value, n=n, method=method, why=f"Above {DIFFERENT} different ratings no interval is made.")
    different, times = np.unique(counts, axis=0, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(n, times / n, size=DRAWS).astype(np.float64)
    found = again(different, drawn)
    found = found[~np.isnan(found)]
    if len(found) < DRAWS / 2 or alike(found):
        return Estimate(value, n=n, method=method, why=_no_variation(n))
    low, high = (float(end) for end in np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    error = float(found.std(ddof=1))
    return Estimate(value, low, high, n, error, None, LEVEL, method, approximate=n < FEW_QUESTIONS)


def _alphas(counts: Integers, drawn: Floats, domain: Floats, level: Level) -> Floats:
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


def _beyond(observed: Floats, expected: Floats) -> Floats:
    """NaN where nothing is expected: all that was drawn is alike."""
    there = expected > 1e-12
    return np.where(there, 1 - observed / np.where(there, expected, 1), np.nan)
