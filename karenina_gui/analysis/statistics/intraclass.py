"""How much of what scores vary by lies between the things that are scored: intraclass correlations."""

from __future__ import annotations

import numpy as np

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.agreement import Clusters
from karenina_gui.analysis.statistics.caution import Floats, Integers
from karenina_gui.analysis.statistics.jackknife import clusters_of, distinct, named, with_interval

COEFFICIENTS = ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)")
"""In the order of Shrout & Fleiss 1979: (1,1) (2,1) (3,1) (1,k) (2,k) (3,k); A: absolute agreement, C: consistency."""
NO_FIGURE = "The coefficient is undefined: neither answers nor judges differ consistently."


def icc(matrix: Floats) -> dict[str, float | None]:
    """The six intraclass correlations (Shrout & Fleiss 1979) by `COEFFICIENTS`; `matrix`: targets × raters.

    As estimated, which may be negative. All None where `no_icc` says why; one is None where its denominator is 0.
    """
    if no_icc(matrix):
        return dict.fromkeys(COEFFICIENTS)
    n, k = matrix.shape
    rows, columns = matrix.mean(axis=1), matrix.mean(axis=0)
    between = k * float(rows.var(ddof=1))
    raters = n * float(columns.var(ddof=1))
    within = float(((matrix - rows[:, None]) ** 2).sum()) / (n * (k - 1))
    rest = float(((matrix - rows[:, None] - columns + matrix.mean()) ** 2).sum()) / ((n - 1) * (k - 1))
    one, both = between - within, between - rest
    ratios = (
        (one, between + (k - 1) * within),
        (both, between + (k - 1) * rest + k * (raters - rest) / n),
        (both, between + (k - 1) * rest),
        (one, between),
        (both, between + (raters - rest) / n),
        (both, between),
    )
    smallest = 1e-12 * float(matrix.var())
    found = (top / bottom if bottom > smallest else None for top, bottom in ratios)
    return dict(zip(COEFFICIENTS, found, strict=True))


def no_icc(matrix: Floats) -> str:
    """Why there is no intraclass correlation, one sentence; empty: there is."""
    if matrix.ndim != 2 or min(matrix.shape) < 2:
        return "At least two answers must have two scores."
    missing = int(np.isnan(matrix).any(axis=1).sum())
    if missing:
        return f"{missing} of {len(matrix)} rows lack a score; the coefficients need all of them."
    if np.ptp(matrix) == 0:
        return "All scores are the same."
    return ""


def absolute_agreement(ratings: Floats, *, clusters: Clusters = None, seed: int = 0) -> Estimate:
    """ICC(A,1) of ratings (judges × units, NaN where there is none): the share of the variance of single ratings that
    lies between units, where a judge who is stricter than another counts against it.

    Over the units that all judges have rated, of which `n` says the number. `clusters`: as in `agreement`.
    """
    matrix = np.atleast_2d(np.asarray(ratings, dtype=np.float64))
    whole = ~np.isnan(matrix).any(axis=0)
    rated, n = matrix[:, whole].T, int(whole.sum())
    together = clusters_of(n, None if clusters is None else np.asarray(clusters, dtype=np.int64)[whole])
    method = named("ICC(A,1)", together)
    if why := no_icc(rated):
        return Estimate(None, n=n, method=method, why=why)
    value = icc(rated)["ICC(A,1)"]
    if value is None:
        return Estimate(None, n=n, method=method, why=NO_FIGURE)
    sums, place = distinct(_sums(rated, together))
    times = np.bincount(place)
    return with_interval(value, _of_sums(times @ sums - sums, rated.shape[1]), times, n=n, method=method)


def _sums(rated: Floats, together: Integers) -> Floats:
    """Of each cluster: units, their means, the squares of these, the squares of all ratings, the ratings by judge."""
    centred = rated - rated.mean()
    means = centred.mean(axis=1)
    columns = [np.ones(len(rated)), means, means**2, (centred**2).sum(axis=1), *centred.T]
    return np.stack([np.bincount(together, weights=column) for column in columns], axis=1)


def _of_sums(chosen: Floats, judges: int) -> Floats:
    """ICC(A,1) of each selection of clusters (row: sum of their `_sums`), NaN where it is not defined."""
    n, total, squares, every = chosen[:, :4].T
    k = judges
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = k * (squares - total**2 / n)
        columns = (chosen[:, 4:] ** 2).sum(axis=1) / n - k * total**2 / n
        rest = every - k * total**2 / n - rows - columns
        between, raters, within = rows / (n - 1), columns / (k - 1), rest / ((n - 1) * (k - 1))
        bottom = between + (k - 1) * within + k * (raters - within) / n
        return np.where(bottom > 1e-12 * every / (n * k), (between - within) / bottom, np.nan)
