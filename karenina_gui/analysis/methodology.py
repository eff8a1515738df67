"""Mean and spread of a metric as the methodology reports them, each kind of spread under its own name.

One question under one arm: mean and standard deviation over its replicates. One arm: the mean of its questions' means.
Deviations are those of samples (n - 1); one replicate has none, which is not the same as a deviation of zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from karenina_gui.analysis.costs import cost_of_answer
from karenina_gui.schemas.metric_summary import MetricSummary, ReportStats, SummaryFunction
from karenina_gui.schemas.prices import Price

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Arm, Scores


@dataclass(frozen=True)
class QuestionSpread:
    """One question in one arm."""

    question: str
    mean: float | None
    """None: no scored answer."""
    deviation: float | None
    """Between its replicates; None: fewer than two have a score."""
    scored: int
    """Answers with a score."""
    planned: int


@dataclass(frozen=True)
class ArmSpread:
    """One arm over its questions. None: too few scores."""

    arm: Arm
    questions: tuple[QuestionSpread, ...]
    mean: float | None
    """Mean of the question means."""
    reported: float | None
    """Arithmetic mean of the questions' deviations, which k-eval reports as ±. Neither a standard error nor pooled."""
    pooled: float | None
    """Deviation between replicates of one question: √mean(s²) over the questions."""
    between: float | None
    """Deviation between the questions' means."""
    error: float | None
    """Standard error = `between` / √questions; None also if `between` is 0."""

    @property
    def scored(self) -> int:
        """Questions with a score."""
        return sum(question.mean is not None for question in self.questions)

    @property
    def planned(self) -> int:
        return len(self.questions)


def spreads(scores: Scores) -> list[ArmSpread]:
    """Return one entry per arm, in the order of the arms."""
    return [_arm(scores, arm) for arm in range(len(scores.arms))]


def summarize_metric(answers: Sequence[Sequence[float]], low: float | None, high: float | None) -> MetricSummary:
    """Mean, interval and spreads of one arm, for a file; see `SummaryFunction`.

    The interval is that of `score_mean` over the means of questions. It loads the libraries of statistics.
    """
    import numpy as np

    from karenina_gui.analysis.statistics.means import score_mean

    scored = [answer for answer in answers if answer]
    estimate = score_mean(np.array([fmean(values) for values in scored], dtype=float), low=low, high=high)
    spread = _spread([fmean(values) for values in scored], [stdev(values) for values in scored if len(values) > 1])
    return MetricSummary(
        estimate.value,
        **spread,
        low=estimate.low,
        high=estimate.high,
        level=estimate.level,
        method=estimate.method,
        questions=len(scored),
    )


def figures(prices: Mapping[str, Price], measure: SummaryFunction = summarize_metric) -> ReportStats:
    """Compute the figures for exported files.

    `prices` by model. `measure`: `measured`, possibly in another process.
    """
    return ReportStats(measure, lambda result: cost_of_answer(result, prices))


def spread_of(arm: Arm, questions: tuple[QuestionSpread, ...]) -> ArmSpread:
    means = [question.mean for question in questions if question.mean is not None]
    deviations = [question.deviation for question in questions if question.deviation is not None]
    return ArmSpread(arm, questions, mean=fmean(means) if means else None, **_spread(means, deviations))


def _spread(means: Sequence[float], deviations: Sequence[float]) -> dict[str, float | None]:
    """The spreads by their names, see `ArmSpread`."""
    between = stdev(means) if len(means) > 1 else None
    if between is not None:
        between = _without_rounding(between, max(means, key=abs))
    return {
        "reported": fmean(deviations) if deviations else None,
        "pooled": sqrt(fmean(deviation**2 for deviation in deviations)) if deviations else None,
        "between": between,
        "error": between / sqrt(len(means)) if between else None,
    }


def _arm(scores: Scores, index: int) -> ArmSpread:
    cells = scores.cells
    mean, deviation, scored, planned = (
        column[:, index].tolist() for column in (cells.mean, cells.deviation, cells.scored, cells.planned)
    )
    questions = tuple(
        QuestionSpread(
            question,
            _none_if_nan(mean[at]),
            _none_if_nan(_without_rounding(deviation[at], mean[at])),
            scored[at],
            planned[at],
        )
        for at, question in enumerate(scores.questions)
        if planned[at]
    )
    return spread_of(scores.arms[index], questions)


def _without_rounding(deviation: float, mean: float) -> float:
    """Return the deviation, or 0 if it is only rounding error."""
    return 0.0 if deviation <= 1e-9 * max(1.0, abs(mean)) else deviation


def _none_if_nan(value: float) -> float | None:
    return None if isnan(value) else value
