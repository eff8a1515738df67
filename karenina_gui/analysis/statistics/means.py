"""Means with confidence intervals. The question is the unit: one value each; NaN: no score.

Miller 2024 (arXiv:2411.00640): standard errors over questions, clustered where questions are related.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.scores import Scores
from karenina_gui.analysis.statistics.constants import (
    NORMAL_QUANTILE,
    Floats,
    all_close,
    clip_interval,
    drop_missing,
    is_near_boundary,
    t_quantile,
)
from karenina_gui.analysis.statistics.rates import wilson
from karenina_gui.analysis.thresholds import (
    CONFIDENCE_LEVEL,
    MAX_VALUES_RESAMPLED_AT_ONCE,
    MIN_CLUSTERS_FOR_NORMAL,
    MIN_QUESTIONS_FOR_ACCURATE_BOOTSTRAP,
    MIN_QUESTIONS_FOR_BOOTSTRAP,
    MIN_QUESTIONS_FOR_NORMAL,
    RESAMPLES,
)

EFFECTIVE = "Wilson interval of the effective number of answers"
"""Followed by `by` and the unit that counts as independent."""


def arm_mean(scores: Scores, arm: int, clusters: Mapping[str, str] | None = None) -> Estimate:
    """Mean of an arm with each question weighted equally, as in `score_mean`.

    `clusters`: {question: cluster}; then as in `clustered_mean`. None: questions are independent.
    """
    metric, means = scores.metric, scores.cells.mean[:, arm]
    if clusters is None:
        return score_mean(means, low=metric.low, high=metric.high)
    groups = [clusters.get(question, question) for question in scores.questions]
    return clustered_mean(means, groups, low=metric.low, high=metric.high)


def score_mean(values: Floats, *, low: float | None, high: float | None, unit: str = "question") -> Estimate:
    """Mean of questions with a Wilson-type score interval, accurate near the ends of the scale.

    With p = (mean - low) / (high - low), the interval is Wilson's (1927) for p with n_eff = p(1 - p) / (SE·t/z)², where
    t is Student's quantile with n - 1 df and z the normal quantile (Korn & Graubard 1998; compared by Dean & Pagano
    2015). If each value is at one end of the scale, n_eff is n.

    `low`, `high`: bounds of the score. None: unbounded, and the interval is that of `mean_of_questions`. `unit`: name
    of the unit in `method`.

    Coverage in 2,000 simulated benchmarks (`tests/benchmarks/coverage.py`): near the ends of the scale, 95% for rates
    of 30 questions × 3 replicates (t interval: 90%), and 87 to 98% for grades with 2, 5 or 10% of the worst and 30 to
    100 questions (t interval: 57 to 93%).
    """
    scored = drop_missing(values)
    mean = mean_of_questions(scored, low=low, high=high, unit=unit)
    # One yes or no each: the t interval would have no width where all values are equal. A single question has no
    # interval, whether its answers agree or not.
    if low is not None and high is not None and low < high and len(scored) > 1 and np.isin(scored, (low, high)).all():
        return _on_scale(wilson(int((scored == high).sum()), len(scored)), low, high)
    if mean.value is None or mean.error is None:
        return mean
    ends = _score_interval(mean.value, mean.error, mean.n - 1, low, high)
    if ends is None:
        return mean
    return replace(mean, low=ends[0], high=ends[1], method=f"{EFFECTIVE} by {unit}")


def half_width(value: float, deviation: float, n: int, *, low: float | None, high: float | None) -> float:
    """Half width of the interval of `score_mean`, which is asymmetric near an end of the scale.

    `deviation`: standard deviation between questions. `n`: questions, 2 or more.
    """
    error = deviation / math.sqrt(n)
    margin = t_quantile(n - 1) * error
    ends = _score_interval(value, error, n - 1, low, high) if error else None
    start, end = ends or clip_interval(value - margin, value + margin, low, high, value)[:2]
    return (end - start) / 2


def mean_of_questions(
    values: Floats, *, low: float | None = None, high: float | None = None, unit: str = "question"
) -> Estimate:
    """Mean with its t interval: mean ± t_{n-1}·SE, SE = s / √n with s the sample deviation (n - 1).

    `low`, `high`: bounds of the score, at which the interval is clipped. None: unbounded.
    """
    scored, method = drop_missing(values), f"t interval over {unit}s"
    if (degenerate := _estimate_without_variation(scored, method, unit)) is not None:
        return degenerate
    value, deviation, n = float(scored.mean()), float(scored.std(ddof=1)), len(scored)
    error = deviation / float(np.sqrt(n))
    margin = t_quantile(n - 1) * error
    start, end, cut = clip_interval(value - margin, value + margin, low, high, value)
    approximate = n < MIN_QUESTIONS_FOR_NORMAL or is_near_boundary(value, low, high)
    return Estimate(value, start, end, n, error, deviation, CONFIDENCE_LEVEL, method + cut, approximate=approximate)


def clustered_mean(
    values: Floats, groups: Sequence[Any], *, low: float | None = None, high: float | None = None
) -> Estimate:
    """Mean of clustered scores, such as questions on one subject or answers to one question.

    SE² = C / (C - 1) · Σ_c (Σ_{i∈c} (s_i - mean))² / n² for C clusters (Miller 2024, appendix A). The interval is that
    of `score_mean` with C - 1 df, or mean ± t_{C-1}·SE on an unbounded scale. `groups`: cluster label of each value.
    """
    everything = np.asarray(values, dtype=np.float64).ravel()
    has_score = ~np.isnan(everything)
    labels: dict[Any, int] = {}
    places = np.array([labels.setdefault(label, len(labels)) for label in groups], dtype=np.int64)
    scored, cluster_of_value = everything[has_score], np.unique(places[has_score], return_inverse=True)[1]
    method, cluster_count = "t interval over clusters", int(cluster_of_value.max(initial=-1)) + 1
    if (degenerate := _estimate_without_variation(scored, method, "question")) is not None:
        return _clusters_without_variation(degenerate, cluster_count, low, high)
    value, deviation = float(scored.mean()), float(scored.std(ddof=1))
    if (why := _why_no_clustered_interval(scored - value, cluster_of_value, cluster_count)) is not None:
        return Estimate(value, n=len(scored), deviation=deviation, method=method, why=why, clusters=cluster_count)
    model = OLS(scored, np.ones(len(scored)))
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": cluster_of_value}, use_t=True)
    error = float(fitted.bse[0])
    approximate = (
        cluster_count < MIN_CLUSTERS_FOR_NORMAL
        or len(scored) < MIN_QUESTIONS_FOR_NORMAL
        or is_near_boundary(value, low, high)
    )
    if (ends := _score_interval(value, error, cluster_count - 1, low, high)) is not None:
        start, end, method = *ends, f"{EFFECTIVE} by cluster"
    else:
        margin = t_quantile(cluster_count - 1) * error
        start, end, cut = clip_interval(value - margin, value + margin, low, high, value)
        method += cut
    return Estimate(
        value,
        start,
        end,
        len(scored),
        error,
        deviation,
        CONFIDENCE_LEVEL,
        method,
        approximate=approximate,
        clusters=cluster_count,
    )


def _clusters_without_variation(
    estimate: Estimate, cluster_count: int, low: float | None, high: float | None
) -> Estimate:
    """Return the estimate of equal values in clusters, with Wilson's interval at an end of the scale."""
    if cluster_count < 2 or low is None or high is None or estimate.value not in (low, high):
        return replace(estimate, clusters=cluster_count)
    # All values at one end of the scale: related questions are fewer independent trials, so that n is the clusters.
    alone = _on_scale(wilson(cluster_count if estimate.value == high else 0, cluster_count), low, high)
    return replace(alone, n=estimate.n, deviation=0.0, clusters=cluster_count)


def _why_no_clustered_interval(deviations: Floats, cluster_of_value: Any, cluster_count: int) -> str | None:
    """Return the reason for a missing interval. None: there is one. `deviations`: from the mean."""
    if cluster_count == 1:
        return "All scores belong to one cluster, so there is no interval."
    # Deviations that cancel within each cluster give SE = 0, which would claim certainty.
    if all_close(np.asarray(np.bincount(cluster_of_value, weights=deviations), dtype=np.float64)):
        return "The clusters do not differ, so there is no interval."
    return None


def bootstrap(
    values: Floats,
    statistic: Callable[..., Any] = np.mean,
    *,
    seed: int = 0,
    draws: int = RESAMPLES,
) -> Estimate:
    """BCa bootstrap interval (Efron 1987) of any statistic of question values, for unbounded figures.

    `statistic` takes an array and the keyword `axis`. Coverage in 2,000 simulated benchmarks with exponential scores:
    91% with 20 questions, 92% with 50, 93.5% with 100, 94% with 1,000 (`tests/benchmarks/coverage.py`); approximate
    below 100 questions.
    """
    means, method = drop_missing(values), "BCa bootstrap over questions"
    if (degenerate := _estimate_without_variation(means, method, "question")) is not None:
        return degenerate if degenerate.value is None else replace(degenerate, value=float(statistic(means, axis=-1)))
    if len(means) < MIN_QUESTIONS_FOR_BOOTSTRAP:
        why = f"With fewer than {MIN_QUESTIONS_FOR_BOOTSTRAP} questions, there is no bootstrap interval."
        return Estimate(
            float(statistic(means, axis=-1)), n=len(means), deviation=float(means.std(ddof=1)), method=method, why=why
        )
    value, deviation, n = float(statistic(means, axis=-1)), float(means.std(ddof=1)), len(means)
    drawn = _resample(means, statistic, draws, seed)
    start, end = (float(limit) for limit in drawn.confidence_interval)
    if np.isnan(start) or np.isnan(end):
        why = "Resampling these questions hardly changes the figure, so there is no interval."
        return Estimate(value, n=n, deviation=deviation, method=method, why=why)
    error = float(drawn.standard_error)
    return Estimate(
        value,
        start,
        end,
        n,
        error,
        deviation,
        CONFIDENCE_LEVEL,
        method,
        approximate=n < MIN_QUESTIONS_FOR_ACCURATE_BOOTSTRAP,
    )


def _resample(scored: Floats, statistic: Callable[..., Any], draws: int, seed: int) -> Any:
    """Return SciPy's BCa bootstrap of a statistic of question values."""
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        # Only questions are resampled. Their values include the variance between answers, and answers resampled with
        # replacement agree more often than the originals.
        return stats.bootstrap(
            (scored,),
            statistic,
            n_resamples=draws,
            batch=max(1, MAX_VALUES_RESAMPLED_AT_ONCE // len(scored)),
            vectorized=True,
            axis=-1,
            confidence_level=CONFIDENCE_LEVEL,
            method="BCa",
            rng=np.random.default_rng(seed),
        )


def _on_scale(rate: Estimate, low: float, high: float) -> Estimate:
    """Map a rate to the mean of scores that are `low` or `high`."""
    scale_width = high - low

    def scale_length(width: float | None) -> float | None:
        return None if width is None else scale_width * width

    def scale_position(share: float | None) -> float | None:
        return None if share is None else low + scale_width * share

    return replace(
        rate,
        value=scale_position(rate.value),
        low=scale_position(rate.low),
        high=scale_position(rate.high),
        error=scale_length(rate.error),
        deviation=scale_length(rate.deviation),
    )


def _score_interval(
    value: float, error: float, df: int, low: float | None, high: float | None
) -> tuple[float, float] | None:
    """Wilson's interval for n_eff = p(1 - p) / (SE·t/z)² trials (see `score_mean`).

    `df`: degrees of freedom. None: the scale is unbounded, or the mean is not strictly inside it.
    """
    # At an end p(1 - p) is 0, and n_eff with it.
    if low is None or high is None or not low < value < high:
        return None
    scale_width = high - low
    # SE is estimated, but Wilson's interval takes it as known: t/z widens it for few questions.
    proportion, t_over_z = (value - low) / scale_width, t_quantile(df) / NORMAL_QUANTILE
    effective_n = proportion * (1 - proportion) / (t_over_z * error / scale_width) ** 2
    start, end = proportion_confint(proportion * effective_n, effective_n, alpha=1 - CONFIDENCE_LEVEL, method="wilson")
    return min(value, low + scale_width * float(start)), max(value, low + scale_width * float(end))


def _estimate_without_variation(scored: Floats, method: str, unit: str) -> Estimate | None:
    """Return the estimate for no value, one value, or equal values. None: there is variation."""
    n = len(scored)
    if n == 0:
        return Estimate(None, method=method, why=f"No {unit} has a score.")
    value = float(scored.mean())
    if n == 1:
        return Estimate(value, n=1, method=method, why=f"There is only one {unit}, so there is no interval.")
    if not all_close(scored):
        return None
    why = f"All {n:,} {unit}s have the same score; other {unit}s may differ."
    return Estimate(value, n=n, deviation=0.0, method=method, why=why)
