"""Power analysis: questions and replicates needed to detect a difference, before and after a run.

Miller 2024 (Adding Error Bars to Evals, arXiv:2411.00640, section 5):

n = (z_{α/2} + z_β)²·(ω² + σ²_A / K_A + σ²_B / K_B) / δ²

ω² is the variance between questions of the true difference of two arms, σ² the variance of single answers to one
question, K the number of replicates, δ the difference of means. Defaults are Miller's for questions of uniformly
distributed difficulty and scores from 0 to 1: ω² = 1/9, σ² = 1/6.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import chndtrinc, ndtri

from karenina_gui.analysis.estimate import PowerPlan
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.scores import Floats, Integers, Scores
from karenina_gui.analysis.statistics.constants import NORMAL_QUANTILE
from karenina_gui.analysis.statistics.means import half_width
from karenina_gui.analysis.thresholds import CONFIDENCE_LEVEL, MIN_QUESTIONS_FOR_VARIANCE, PLANNED_POWER

OMEGA2, SIGMA2 = 1 / 9, 1 / 6
MOST = 2**31
"""Cap for reported numbers of questions and replicates."""


def detectable_difference(
    questions: int,
    replicates: float,
    *,
    omega2: float = OMEGA2,
    sigma2: float = SIGMA2,
    power: float = PLANNED_POWER,
    level: float = CONFIDENCE_LEVEL,
) -> float:
    """Minimum detectable difference δ = (z_{α/2} + z_β)·√((ω² + 2σ² / K) / n) of two arms' means.

    `replicates`: K in each arm; `math.inf`: question means are known exactly. Infinite without questions or answers.
    """
    if questions < 1 or replicates <= 0:
        return math.inf
    return _z_sum(power, level) * math.sqrt((omega2 + 2 * sigma2 / replicates) / questions)


def questions_needed(
    delta: float,
    replicates: float,
    *,
    omega2: float = OMEGA2,
    sigma2: float = SIGMA2,
    power: float = PLANNED_POWER,
    level: float = CONFIDENCE_LEVEL,
) -> int | None:
    """Total questions n = (z_{α/2} + z_β)²·(ω² + 2σ² / K) / δ² to detect `delta`, at most `MOST`.

    None: `delta` is 0, or there are no answers.
    """
    if not delta or replicates <= 0:
        return None
    deviation = _z_sum(power, level) * math.sqrt(omega2 + 2 * sigma2 / replicates)
    return _round_up(min(deviation / abs(delta), MOST) ** 2)


def replicates_needed(
    delta: float,
    questions: int,
    *,
    omega2: float = OMEGA2,
    sigma2: float = SIGMA2,
    power: float = PLANNED_POWER,
    level: float = CONFIDENCE_LEVEL,
) -> int | None:
    """Replicates per arm K = 2σ² / (n·δ² / (z_{α/2} + z_β)² - ω²) to detect `delta`, at most `MOST`.

    None: no number is enough; only more questions help.
    """
    sampling_variance = questions * delta**2 / _z_sum(power, level) ** 2 - omega2
    # Without noise within questions, replicates add nothing: one is enough or none is.
    if sigma2 <= 0:
        return 1 if sampling_variance >= 0 and delta else None
    return _round_up(2 * sigma2 / sampling_variance) if sampling_variance > 0 else None


def questions_for_rate(half_width: float) -> int:
    """Total questions for which Wilson's interval at an end of the scale has half width ≤ `half_width`.

    All questions score 0 or all 1: half width = z² / (2(n + z²)), so n = z²·(1 / (2·half_width) - 1). `half_width`:
    share of the scale, above 0.
    """
    return max(1, _round_up(NORMAL_QUANTILE**2 * (1 / (2 * half_width) - 1)))


@dataclass(frozen=True)
class WidthForecast:
    """Half width of a mean's interval (`score_mean`) for other numbers of questions and replicates.

    Mean and variances stay as estimated: s² = `between` + `noise`·(K / K_new).
    """

    mean: float
    questions: int
    """2 or more."""
    replicates: int
    """Requested replicates per question. The share of failed answers is assumed to stay the same."""
    between: float
    """Variance between questions, which replicates do not reduce."""
    noise: float
    """Sampling variance of the question means."""
    low: float | None = None
    """Bounds of the score; None: unbounded."""
    high: float | None = None

    def half(self, *, questions: int | None = None, replicates: float | None = None) -> float:
        """Half width in the metric's unit. None: the current number; `math.inf` replicates: no sampling noise."""
        share = 1.0 if replicates is None else self.replicates / replicates
        deviation = math.sqrt(self.between + self.noise * share)
        return half_width(self.mean, deviation, questions or self.questions, low=self.low, high=self.high)

    def questions_for(self, half_width: float) -> int:
        """Total questions, at least 2, for a half width ≤ `half_width` (above 0) with the current replicates."""
        # The tolerance keeps rounding from adding one question where the half width is exactly the wanted one.
        return _least_enough(2, lambda number: self.half(questions=number) <= half_width * (1 + 1e-9))

    @property
    def at_worst(self) -> WidthForecast:
        """Return a copy with the upper confidence limit of `between`.

        (n - 1)·s² / `noise` is noncentral chi-squared with n - 1 df and noncentrality λ = (n - 1)·`between` / `noise`.
        The limit is the λ under which so small an s² has probability 1 - `CONFIDENCE_LEVEL`.
        """
        if not self.noise:
            return self
        df = self.questions - 1
        statistic = df * (self.between + self.noise) / self.noise
        noncentrality = float(chndtrinc(statistic, df, 1 - CONFIDENCE_LEVEL))
        return (
            self
            if math.isnan(noncentrality)
            else replace(self, between=max(self.between, self.noise * noncentrality / df))
        )

    def replicates_for(self, half_width: float) -> int | None:
        """Replicates per question for a half width ≤ `half_width`. None: no number is enough."""
        if self.half(replicates=math.inf) >= half_width * (1 - 1e-9):
            return None
        return _least_enough(1, lambda number: self.half(replicates=number) <= half_width * (1 + 1e-9))


def _least_enough(least: int, is_enough: Callable[[int], bool]) -> int:
    """Return the least number from `least` to `MOST` for which `is_enough`, which must be monotonic."""
    # Doubling finds an upper end, and bisection the number: about 2·log₂(n) evaluations.
    upper = least
    while upper < MOST and not is_enough(upper):
        upper = min(2 * upper, MOST)
    return least + bisect_left(range(least, upper), True, key=is_enough)


def plan(
    scores: Scores,
    arm_a: int,
    arm_b: int,
    difference: float | None,
    *,
    power: float = PLANNED_POWER,
    level: float = CONFIDENCE_LEVEL,
) -> PowerPlan:
    """Plan of a comparison: the detectable difference, and what would settle `difference`.

    Variances are estimated from the shared questions: ω² = max(0, var(differences) - noise of both means). Below
    `MIN_QUESTIONS_FOR_VARIANCE` questions they are the defaults, scaled to the metric's bounds. `difference`: observed
    difference of means; None or 0: nothing to settle. Reported numbers are totals.
    """
    pair = _Pair.of(scores, arm_a, arm_b)
    if pair is None:
        return PowerPlan(None, power=power, level=level, why=NO_QUESTION)
    source: Literal["data", "defaults"] = "data"
    if pair.questions < MIN_QUESTIONS_FOR_VARIANCE:
        source = "defaults"
        pair = pair.with_defaults(scores.metric)
        if pair is None:
            return PowerPlan(None, power=power, level=level, source=source, why=NO_BOUNDS)
    if pair.variance <= 0:
        return PowerPlan(None, power=power, level=level, source=source, why=NO_VARIATION)
    exact_means = {"omega2": pair.variance, "sigma2": 0.0, "power": power, "level": level}
    detectable = detectable_difference(pair.questions, math.inf, **exact_means)
    if not difference:
        return PowerPlan(detectable, power=power, level=level, source=source)
    questions = questions_needed(difference, math.inf, **exact_means)
    replicates, why = None, ONE_ANSWER
    if pair.single is not None:
        parameters = {"omega2": pair.between, "sigma2": pair.single, "power": power, "level": level}
        replicates = replicates_needed(abs(difference), pair.questions, **parameters)
        why = "" if replicates else TOO_FEW_QUESTIONS
    return PowerPlan(detectable, questions, replicates, power, level, source, why)


NO_QUESTION = "No question has scores in both."
NO_BOUNDS = (
    f"With fewer than {MIN_QUESTIONS_FOR_VARIANCE} shared questions, this cannot be estimated for a score without a "
    "lowest and a highest value."
)
NO_VARIATION = "All questions differ by the same amount, so this cannot be estimated."
ONE_ANSWER = "With one answer per question, the effect of more replicates is unknown."
TOO_FEW_QUESTIONS = "No number of replicates is enough with these questions; only more questions help."


class _Pair(NamedTuple):
    """Variance of the difference between two arms."""

    questions: int
    """Questions scored in both arms."""
    between: float
    """ω². Includes all variance of the differences if `single` is None."""
    single: float | None
    """σ² of one answer to a question, averaged over both arms; None: no question has two answers in each arm."""
    noise: float
    """Sampling variance of a question's difference: mean of σ²_A / K_A + σ²_B / K_B; 0 if `single` is None."""
    lightness: float
    """Mean over questions of 1 / K_A + 1 / K_B."""

    @property
    def variance(self) -> float:
        return self.between + self.noise

    @classmethod
    def of(cls, scores: Scores, arm_a: int, arm_b: int) -> _Pair | None:
        """Estimate the variances of two arms. None: no shared scored question."""
        cells = scores.cells
        both = np.flatnonzero((cells.scored[:, [arm_a, arm_b]] > 0).all(axis=1))
        if not len(both):
            return None
        means = cells.mean[both][:, [arm_a, arm_b]]
        # Squares of equal means differ by rounding only, which must not count as variance.
        rounding = 1e-12 * float((means**2).max())
        spread = _without_rounding((means[:, 1] - means[:, 0]).var(ddof=1) if len(both) > 1 else 0.0, rounding)
        number = [cells.scored[both, arm] for arm in (arm_a, arm_b)]
        lightness = float(sum((1 / counts).mean() for counts in number))
        squares = [
            _variances_by_question(cells.deviation[both, arm] ** 2, cells.scored[both, arm]) for arm in (arm_a, arm_b)
        ]
        variances = [square for square in squares if square is not None]
        if len(variances) < 2:
            return cls(len(both), spread, None, 0.0, lightness)
        noise = _without_rounding(
            sum((square / count).mean() for square, count in zip(variances, number, strict=True)), rounding
        )
        single = _without_rounding(np.mean([square.mean() for square in variances]), rounding)
        return cls(len(both), max(0.0, spread - noise), single, noise, lightness)

    def with_defaults(self, metric: Metric) -> _Pair | None:
        """Return the default variances, scaled to the metric's bounds. None: the metric is unbounded."""
        if metric.low is None or metric.high is None:
            return None
        scale = (metric.high - metric.low) ** 2
        single = SIGMA2 * scale
        return self._replace(between=OMEGA2 * scale, single=single, noise=single * self.lightness)


def _variances_by_question(squares: Floats, number: Integers) -> Floats | None:
    """Variance of answers by question. None: no question has two answers."""
    repeated = number > 1
    if not repeated.any():
        return None
    # One answer has no variance of its own: the pooled variance, weighted by degrees of freedom, takes its place.
    return np.where(repeated, squares, np.average(squares[repeated], weights=number[repeated] - 1))


def _without_rounding(variance: float | np.floating, rounding: float) -> float:
    """Return 0 if the variance is only rounding error."""
    return float(variance) if variance > rounding else 0.0


def _z_sum(power: float, level: float) -> float:
    return float(ndtri(1 - (1 - level) / 2) + ndtri(power))


def _round_up(number: float) -> int:
    """Round up, ignoring rounding error; from 1 to `MOST`."""
    return max(1, math.ceil(min(number, MOST) - 1e-9))
