"""Intraclass correlation coefficients (ICC)."""

from __future__ import annotations

import numpy as np

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.agreement import Clusters
from karenina_gui.analysis.statistics.constants import Floats, Integers
from karenina_gui.analysis.statistics.jackknife import clusters_of, distinct, interval_method, with_interval

COEFFICIENTS = ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)")
"""Names in the order of Shrout & Fleiss 1979: (1,1) (2,1) (3,1) (1,k) (2,k) (3,k). A: absolute agreement; C:
consistency."""
NO_FIGURE = "The ICC is undefined: neither answers nor judges differ consistently."


def icc(matrix: Floats) -> dict[str, float | None]:
    """Return the six ICCs of Shrout & Fleiss 1979 by `COEFFICIENTS`; `matrix`: targets × raters.

    With the mean squares BMS (between targets), WMS (within), JMS (raters), EMS (residual), n targets and k raters:

    ICC(1,1) = (BMS - WMS) / (BMS + (k - 1)·WMS)
    ICC(A,1) = (BMS - EMS) / (BMS + (k - 1)·EMS + k·(JMS - EMS) / n)
    ICC(C,1) = (BMS - EMS) / (BMS + (k - 1)·EMS)
    ICC(1,k) = (BMS - WMS) / BMS
    ICC(A,k) = (BMS - EMS) / (BMS + (JMS - EMS) / n)
    ICC(C,k) = (BMS - EMS) / BMS

    Estimates can be negative. A coefficient is None if its denominator is 0; all are None if `no_icc` gives a reason.
    """
    if no_icc(matrix):
        return dict.fromkeys(COEFFICIENTS)
    n, k = matrix.shape
    rows, columns = matrix.mean(axis=1), matrix.mean(axis=0)
    bms = k * float(rows.var(ddof=1))
    jms = n * float(columns.var(ddof=1))
    wms = float(((matrix - rows[:, None]) ** 2).sum()) / (n * (k - 1))
    ems = float(((matrix - rows[:, None] - columns + matrix.mean()) ** 2).sum()) / ((n - 1) * (k - 1))
    between_less_within, between_less_residual = bms - wms, bms - ems
    ratios = (
        (between_less_within, bms + (k - 1) * wms),
        (between_less_residual, bms + (k - 1) * ems + k * (jms - ems) / n),
        (between_less_residual, bms + (k - 1) * ems),
        (between_less_within, bms),
        (between_less_residual, bms + (jms - ems) / n),
        (between_less_residual, bms),
    )
    # Rounding leaves denominators of about 1e-16 instead of 0, and with them coefficients of any size.
    smallest = 1e-12 * float(matrix.var())
    coefficients = (top / bottom if bottom > smallest else None for top, bottom in ratios)
    return dict(zip(COEFFICIENTS, coefficients, strict=True))


def no_icc(matrix: Floats) -> str:
    """Return the reason why no ICC can be computed; empty: it can."""
    if matrix.ndim != 2 or min(matrix.shape) < 2:
        return "At least two answers must have two scores."
    missing = int(np.isnan(matrix).any(axis=1).sum())
    if missing:
        return f"{missing} of {len(matrix)} rows lack a score; the coefficients need all of them."
    if np.ptp(matrix) == 0:
        return "All scores are the same."
    return ""


def absolute_agreement(ratings: Floats, *, clusters: Clusters = None, seed: int = 0) -> Estimate:
    """ICC(A,1) with a jackknife interval: between-unit share of the variance of a single rating.

    Systematic differences between judges count as disagreement. `ratings`: judges × units; NaN: no rating. Uses the
    units rated by all judges; `n` is their number. `clusters`: as in `agreement`.
    """
    matrix = np.atleast_2d(np.asarray(ratings, dtype=np.float64))
    is_complete = ~np.isnan(matrix).any(axis=0)
    rated, n = matrix[:, is_complete].T, int(is_complete.sum())
    cluster_of_unit = clusters_of(n, None if clusters is None else np.asarray(clusters, dtype=np.int64)[is_complete])
    method = interval_method("ICC(A,1)", cluster_of_unit)
    if why := no_icc(rated):
        return Estimate(None, n=n, method=method, why=why)
    value = icc(rated)["ICC(A,1)"]
    if value is None:
        return Estimate(None, n=n, method=method, why=NO_FIGURE)
    # ICC(A,1) is a function of sums over units, so that each jackknife replicate is a subtraction, not a new table.
    sums, index = distinct(_sums(rated, cluster_of_unit))
    times = np.bincount(index)
    return with_interval(value, _icc_from_sums(times @ sums - sums, rated.shape[1]), times, n=n, method=method)


def _sums(rated: Floats, cluster_of_unit: Integers) -> Floats:
    """Return sums per cluster: units, means, squared means, squared ratings, and ratings by judge."""
    # Variances do not change when the mean is subtracted, but their sums of squares lose fewer digits.
    centred = rated - rated.mean()
    means = centred.mean(axis=1)
    columns = [np.ones(len(rated)), means, means**2, (centred**2).sum(axis=1), *centred.T]
    return np.stack([np.bincount(cluster_of_unit, weights=column) for column in columns], axis=1)


def _icc_from_sums(chosen: Floats, judges: int) -> Floats:
    """ICC(A,1) of each selection of clusters (rows: added-up `_sums`); NaN: undefined."""
    n, total, squares, every = chosen[:, :4].T
    k = judges
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = k * (squares - total**2 / n)
        columns = (chosen[:, 4:] ** 2).sum(axis=1) / n - k * total**2 / n
        rest = every - k * total**2 / n - rows - columns
        between, raters, within = rows / (n - 1), columns / (k - 1), rest / ((n - 1) * (k - 1))
        bottom = between + (k - 1) * within + k * (raters - within) / n
        return np.where(bottom > 1e-12 * every / (n * k), (between - within) / bottom, np.nan)
