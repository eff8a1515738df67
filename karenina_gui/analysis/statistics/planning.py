"""How many questions, and how many answers to each, it takes to see a difference; before a run and after it.

Miller 2024 (Adding Error Bars to Evals, arXiv 2411.00640, section 5): n = (z_{α/2} + z_β)² (ω² + σ²_A / K_A + σ²_B /
K_B) / δ², where ω² is the variance between questions of what two arms truly differ by, σ² that of single answers to one
question, K the replicates, δ the difference of means. The defaults are his for questions of evenly spread difficulty:
ω² = 1/9, σ² = 1/6 for scores from 0 to 1.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import chndtrinc, ndtri

from karenina_gui.analysis.estimate import Plan
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.scores import Floats, Integers, Scores
from karenina_gui.analysis.statistics.caution import NORMAL_QUANTILE
from karenina_gui.analysis.statistics.means import half_width

OMEGA2, SIGMA2 = 1 / 9, 1 / 6
POWER, LEVEL = 0.8, 0.95
FEWEST = 10
"""Questions below which variances are not taken from the data."""
MOST = 2**31
"""Questions, or replicates, beyond which nobody counts."""


def detectable_difference(
    questions: int,
    replicates: float,
    *,
    omega2: float = OMEGA2,
    sigma2: float = SIGMA2,
    power: float = POWER,
    level: float = LEVEL,
) -> float:
    """Least difference of two arms' means that a run finds with this power; infinite without questions or answers.

    `replicates` in each arm; `math.inf`: each question's mean is known.
    """
    if questions < 1 or replicates <= 0:
        return math.inf
    return _reach(power, level) * math.sqrt((omega2 + 2 * sigma2 / replicates) / questions)


def questions_needed(
    delta: float,
    replicates: float,
    *,
    omega2: float = OMEGA2,
    sigma2: float = SIGMA2,
    power: float = POWER,
    level: float = LEVEL,
) -> int | None:
    """In all, to find a difference of `delta`; `MOST` at most. None: there is no difference to find, or no answers."""
    if not delta or replicates <= 0:
        return None
    deviation = _reach(power, level) * math.sqrt(omega2 + 2 * sigma2 / replicates)
    return _up(min(deviation / abs(delta), MOST) ** 2)


def replicates_needed(
    delta: float,
    questions: int,
    *,
    omega2: float = OMEGA2,
    sigma2: float = SIGMA2,
    power: float = POWER,
    level: float = LEVEL,
) -> int | None:
    """In each arm, to find a difference of `delta`; `MOST` at most. None: no number is enough, only more questions."""
    room = questions * delta**2 / _reach(power, level) ** 2 - omega2
    if sigma2 <= 0:
        return 1 if room >= 0 and delta else None
    return _up(2 * sigma2 / room) if room > 0 else None


def questions_for_rate(wanted: float) -> int:
    """In all, for Wilson's interval of questions that all come out at one end of the scale to have half the width
    `wanted` (above 0) or less: half of z²/(n + z²), as a part of the scale."""
    return max(1, _up(NORMAL_QUANTILE**2 * (1 / (2 * wanted) - 1)))


@dataclass(frozen=True)
class Outlook:
    """Half the width of a mean's interval, as `score_mean` makes it, with other numbers of questions and replicates;
    the mean and the variances stay as they are."""

    mean: float
    questions: int
    """2 or more."""
    replicates: int
    """Asked for of each question; of further ones as many are taken to fail as of these."""
    between: float
    """Variance between questions, which no replicate takes away."""
    noise: float
    """What sampling adds to the variance of the questions' means."""
    low: float | None = None
    """Least and greatest score that there can be; None: there is no such end."""
    high: float | None = None

    def half(self, *, questions: int | None = None, replicates: float | None = None) -> float:
        """In the metric's unit; None: as many as there are. `math.inf` replicates: each question's mean is known."""
        share = 1.0 if replicates is None else self.replicates / replicates
        deviation = math.sqrt(self.between + self.noise * share)
        return half_width(self.mean, deviation, questions or self.questions, low=self.low, high=self.high)

    def questions_for(self, wanted: float) -> int:
        """In all, with as many replicates, for a half width of `wanted` (above 0) at most; at least 2."""
        return _first(2, lambda number: self.half(questions=number) <= wanted * (1 + 1e-9))

    @property
    def at_worst(self) -> Outlook:
        """The same with as large a variance between these questions as the data allow.

        The variance of their means is `noise` times a noncentral chi-squared variable by its degrees of freedom, whose
        noncentrality is theirs; the greatest under which so small a variance is seen in 1 - `LEVEL` of runs.
        """
        if not self.noise:
            return self
        freedom = self.questions - 1
        seen = freedom * (self.between + self.noise) / self.noise
        apart = float(chndtrinc(seen, freedom, 1 - LEVEL))
        return self if math.isnan(apart) else replace(self, between=max(self.between, self.noise * apart / freedom))

    def replicates_for(self, wanted: float) -> int | None:
        """Of each of these questions, for the same. None: no number is enough."""
        if self.half(replicates=math.inf) >= wanted * (1 - 1e-9):
            return None
        return _first(1, lambda number: self.half(replicates=number) <= wanted * (1 + 1e-9))


def _first(least: int, is_enough: Callable[[int], bool]) -> int:
    """The least number that is enough, of `least` to `MOST`; all above one that is are enough."""
    most = least
    while most < MOST and not is_enough(most):
        most = min(2 * most, MOST)
    return least + bisect_left(range(least, most), True, key=is_enough)


def plan(
    scores: Scores, arm_a: int, arm_b: int, difference: float | None, *, power: float = POWER, level: float = LEVEL
) -> Plan:
    """What these questions and replicates can show of two arms, and what would settle the difference that they have.

    Variances are those of the questions that both have scores for: ω² is the variance of the questions' differences
    less the sampling noise of both means, not below 0. Below `FEWEST` questions they are the defaults, scaled to the
    metric's bounds. `difference`: of the means, as observed; None or 0: there is none to settle. Numbers are in all,
    not in addition to what there is.
    """
    pair = _Pair.of(scores, arm_a, arm_b)
    if pair is None:
        return Plan(None, power=power, level=level, why=NO_QUESTION)
    source: Literal["data", "defaults"] = "data"
    if pair.questions < FEWEST:
        source = "defaults"
        pair = pair.guessed(scores.metric)
        if pair is None:
            return Plan(None, power=power, level=level, source=source, why=NO_BOUNDS)
    if pair.variance <= 0:
        return Plan(None, power=power, level=level, source=source, why=NO_VARIATION)
    whole = {"omega2": pair.variance, "sigma2": 0.0, "power": power, "level": level}
    detectable = detectable_difference(pair.questions, math.inf, **whole)
    if not difference:
        return Plan(detectable, power=power, level=level, source=source)
    questions = questions_needed(difference, math.inf, **whole)
    replicates, why = None, ONE_ANSWER
    if pair.single is not None:
        given = {"omega2": pair.between, "sigma2": pair.single, "power": power, "level": level}
        replicates = replicates_needed(abs(difference), pair.questions, **given)
        why = "" if replicates else TOO_FEW_QUESTIONS
    return Plan(detectable, questions, replicates, power, level, source, why)


NO_QUESTION = "No question has scores in both."
NO_BOUNDS = f"With fewer than {FEWEST} shared questions, a score without bounds cannot be planned."
NO_VARIATION = "All questions differ by the same amount, so there is no variation to plan with."
ONE_ANSWER = "With one answer per question, the effect of more replicates is unknown."
TOO_FEW_QUESTIONS = "No number of replicates is enough with these questions; only more questions help."


class _Pair(NamedTuple):
    """What the difference of two arms varies by."""

    questions: int
    """Scored in both."""
    between: float
    """ω²; all the variance of the differences, where `single` is None."""
    single: float | None
    """σ², of one answer to a question, mean of both arms; None: no question has two answers in each arm."""
    noise: float
    """Of a question's difference, from sampling: the mean of σ²_A / K_A + σ²_B / K_B; 0 where `single` is None."""
    lightness: float
    """1 / K_A + 1 / K_B, mean over questions."""

    @property
    def variance(self) -> float:
        return self.between + self.noise

    @classmethod
    def of(cls, scores: Scores, arm_a: int, arm_b: int) -> _Pair | None:
        """None: they share no scored question."""
        cells = scores.cells
        both = np.flatnonzero((cells.scored[:, [arm_a, arm_b]] > 0).all(axis=1))
        if not len(both):
            return None
        means = cells.mean[both][:, [arm_a, arm_b]]
        rounding = 1e-12 * float((means**2).max())
        spread = _cleared((means[:, 1] - means[:, 0]).var(ddof=1) if len(both) > 1 else 0.0, rounding)
        number = [cells.scored[both, arm] for arm in (arm_a, arm_b)]
        lightness = float(sum((1 / each).mean() for each in number))
        squares = [_filled(cells.deviation[both, arm] ** 2, cells.scored[both, arm]) for arm in (arm_a, arm_b)]
        known = [each for each in squares if each is not None]
        if len(known) < 2:
            return cls(len(both), spread, None, 0.0, lightness)
        noise = _cleared(sum((square / count).mean() for square, count in zip(known, number, strict=True)), rounding)
        single = _cleared(np.mean([square.mean() for square in known]), rounding)
        return cls(len(both), max(0.0, spread - noise), single, noise, lightness)

    def guessed(self, metric: Metric) -> _Pair | None:
        """The same by the defaults; None: the metric has no bounds to scale them to."""
        if metric.low is None or metric.high is None:
            return None
        scale = (metric.high - metric.low) ** 2
        single = SIGMA2 * scale
        return self._replace(between=OMEGA2 * scale, single=single, noise=single * self.lightness)


def _filled(squares: Floats, number: Integers) -> Floats | None:
    """Variances of answers by question; those of a single answer take the mean of the others. None: there are none."""
    known = number > 1
    if not known.any():
        return None
    return np.where(known, squares, np.average(squares[known], weights=number[known] - 1))


def _cleared(variance: float | np.floating, rounding: float) -> float:
    """0 where it is nothing but what rounding adds."""
    return float(variance) if variance > rounding else 0.0


def _reach(power: float, level: float) -> float:
    return float(ndtri(1 - (1 - level) / 2) + ndtri(power))


def _up(number: float) -> int:
    """The next whole number, past what rounding adds; from 1 to `MOST`."""
    return max(1, math.ceil(min(number, MOST) - 1e-9))
