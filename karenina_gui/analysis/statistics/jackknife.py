"""Delete-one (cluster) jackknife intervals for agreement coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.statistics.constants import Floats, Integers, all_close, t_quantile
from karenina_gui.analysis.thresholds import CONFIDENCE_LEVEL, MIN_QUESTIONS_FOR_NORMAL

ONE_CLUSTER = "All answers belong to one question, so there is no interval."
ONE_UNIT = "No interval can be computed from a single answer."


def clusters_of(units: int, labels: object) -> Integers:
    """Return the 0-based cluster index of each unit; `labels` None: each unit is its own cluster."""
    if labels is None:
        return np.arange(units)
    return np.unique(np.asarray(labels, dtype=np.int64), return_inverse=True)[1].astype(np.int64)


def distinct(rows: NDArray[Any]) -> tuple[NDArray[Any], Integers]:
    """Return the distinct rows, and for each row its index among them."""
    packed = np.ascontiguousarray(rows)
    keys = packed.view(np.dtype((np.void, packed.dtype.itemsize * packed.shape[1]))).ravel()
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    return packed[first], index.astype(np.int64)


def cluster_composition(kinds: Integers, together: Integers) -> tuple[Floats, Integers]:
    """Return the distinct clusters as counts of units by kind, and the multiplicity of each.

    `kinds`: kind of each unit; units with equal ratings are of one kind. `together`: cluster index of each unit.
    """
    holds = np.zeros((int(together.max()) + 1, int(kinds.max()) + 1))
    np.add.at(holds, (together, kinds), 1)
    different, index = distinct(holds)
    return different, np.bincount(index)


def interval_method(coefficient: str, together: Integers) -> str:
    """Return the name of the interval's method for `Estimate.method`."""
    cluster_count = int(together.max(initial=-1)) + 1
    return f"{coefficient}, jackknife over {_cluster_name(cluster_count, len(together))}"


def _cluster_name(clusters: int, units: int) -> str:
    """Return the name of the clusters that are left out: all callers cluster answers by question, or not at all."""
    return "answers" if clusters == units else "questions"


def with_interval(value: float, without: Floats, times: Integers, *, n: int, method: str) -> Estimate:
    """Estimate of a coefficient ≤ 1 with its delete-one jackknife interval.

    With C clusters and c_(i) the coefficient without cluster i: SE² = (C - 1) / C · Σ (c_(i) - mean)² (Tukey 1958;
    Efron & Stein 1981), on g(c) = log(1 - c); the interval is 1 - (1 - c)·exp(±t_{C-1}·SE). 1 - c is the ratio of
    observed to expected disagreement.

    `without`: the coefficient without each distinct cluster; NaN: undefined. `times`: multiplicity of each distinct
    cluster. `n`: units.
    """
    cluster_count = int(times.sum())
    if cluster_count == 1:
        return Estimate(value, n=n, method=method, why=ONE_UNIT if n == 1 else ONE_CLUSTER)
    if value > 1 - 1e-9:
        why = f"No interval can be computed: the judges agree to the same degree on all {n} answers."
        return Estimate(value, n=n, method=method, why=why)
    units = _cluster_name(cluster_count, n)
    if np.isnan(without).any():
        why = f"Without one of the {cluster_count} {units}, this figure would be undefined, so there is no interval."
        return Estimate(value, n=n, method=method, why=why)
    if all_close(without):
        why = f"Leaving out any one of the {cluster_count} {units} gives the same figure, so there is no interval."
        return Estimate(value, n=n, method=method, why=why)
    error, t = _error(without, times), t_quantile(cluster_count - 1)
    # The sampling distribution of c is skewed near 1, that of log(1 - c) much less.
    if without.max() < 1 - 1e-9:
        half_width = t * _error(np.log(1 - without), times)
        low, high = 1 - (1 - value) * np.exp([half_width, -half_width])
    else:
        # Without the only cluster with a disagreement c is 1, and log(1 - c) has no value.
        low, high = value - t * error, min(1.0, value + t * error)
    # ICC can be below -1: clip at -1 only if the estimate itself is not below.
    clipped_low = max(min(-1.0, value), float(low))
    return Estimate(
        value,
        clipped_low,
        float(high),
        n,
        error,
        None,
        CONFIDENCE_LEVEL,
        method,
        approximate=cluster_count < MIN_QUESTIONS_FOR_NORMAL,
    )


def _error(without: Floats, times: Integers) -> float:
    """Jackknife standard error: SE² = (C - 1) / C · Σ (c_(i) - mean)²."""
    cluster_count = times.sum()
    deviations = without - times @ without / cluster_count
    return float(np.sqrt((cluster_count - 1) / cluster_count * (times @ deviations**2)))
