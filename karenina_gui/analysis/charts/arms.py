"""How good is each condition and model? Means of question means with intervals, and the mean of each replicate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import between, counted, results_of, said
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Arm, Scores

COLUMNS = (
    *("Model", "Condition", "Mean", "Interval from", "Interval to", "Questions", "Scored", "Planned"),
    *("Least mean of a replicate", "Greatest mean of a replicate", "Method"),
)


@dataclass(frozen=True)
class ArmMark:
    """One row of the figure."""

    label: str
    estimate: Estimate
    replicates: tuple[tuple[int, float], ...]
    """Number of each replicate with a score, and the mean of its questions; empty: there is one replicate only."""
    scored: int
    planned: int


@dataclass(frozen=True)
class ArmMarks:
    arms: tuple[ArmMark, ...]
    """In the order of the run: the baseline first."""


def find(scores: Scores, data: ChartData) -> Finding:
    from karenina_gui.analysis.statistics.means import arm_mean

    means = [arm_mean(scores, place) for place in range(len(scores.arms))]
    marks = [_mark(scores, place, mean) for place, mean in enumerate(means)]
    shown = any(mark.estimate.value is not None for mark in marks)
    return Finding(
        metric=scores.metric,
        sentence=sentence(scores.metric, marks),
        table=Table(
            COLUMNS,
            [_row(arm, mark) for arm, mark in zip(scores.arms, marks, strict=True)],
            [results_of(arm) for arm in scores.arms],
        ),
        scored=scores.scored,
        planned=scores.planned,
        lacking=scores.lacking,
        cautions=tuple(cautions(marks)),
        marks=ArmMarks(tuple(marks)) if shown else None,
        nothing="" if shown else "No result has a score yet.",
    )


def _mark(scores: Scores, place: int, mean: Estimate) -> ArmMark:
    answers = scores.answers
    here = answers.arm == place
    return ArmMark(
        label=scores.arms[place].label,
        estimate=mean,
        replicates=_by_replicate(scores, place),
        scored=int(answers.scored[here].sum()),
        planned=int(answers.planned[here].sum()),
    )


def _by_replicate(scores: Scores, place: int) -> tuple[tuple[int, float], ...]:
    import numpy as np

    answers = scores.answers
    here = (answers.arm == place) & ~np.isnan(answers.value)
    numbers = np.unique(answers.replicate[answers.arm == place])
    if len(numbers) < 2:
        return ()
    found = ((int(number), answers.value[here & (answers.replicate == number)]) for number in numbers)
    return tuple((number, float(values.mean())) for number, values in found if len(values))


def sentence(metric: Metric, marks: list[ArmMark]) -> str:
    """Of one arm its mean and what the data allow; of several the ends of the order, and whether they overlap."""
    known = [mark for mark in marks if mark.estimate.value is not None]
    if not known:
        return "Nothing can be said yet: no result has a score."
    if len(known) == 1:
        return _alone(metric, known[0])
    ordered = sorted(known, key=_value, reverse=metric.higher_is_better is not False)
    best, worst = ordered[0], ordered[-1]
    if _value(best) == _value(worst):
        return f"All {len(known)} come out the same: {_name(metric)} is {said(_value(best), metric)}."
    word = "Highest" if metric.higher_is_better is None else "Best"
    return (
        f"{word} is {_spoken(metric, best)}, {'lowest' if word == 'Highest' else 'last'} is {_spoken(metric, worst)}. "
        + _told_apart(ordered[0], ordered[1])
    )


def _alone(metric: Metric, mark: ArmMark) -> str:
    mean, questions = mark.estimate, counted(mark.estimate.n, "question")
    ends = between(mean, metric)
    start = f"{mark.label}: {_name(metric)} is {said(mean.value, metric)} on {questions}"
    if not ends:
        return f"{start}; these data do not say how far it could be off."
    return f"{start}; other questions of this kind could give anything from {ends}."


def _spoken(metric: Metric, mark: ArmMark) -> str:
    ends = between(mark.estimate, metric)
    return f"{mark.label} with {said(mark.estimate.value, metric)}" + (f" ({ends})" if ends else "")


def _told_apart(first: ArmMark, second: ArmMark) -> str:
    if None in (first.estimate.low, second.estimate.low):
        return "These data do not say whether that would be so again."
    return f"Whether {first.label} would beat {second.label} again, the comparison of pairs says, not these intervals."


def cautions(marks: list[ArmMark]) -> list[str]:
    found = [f"{mark.label}: {mark.estimate.why}" for mark in marks if mark.estimate.why]
    rough = [mark.label for mark in marks if mark.estimate.approximate and mark.estimate.low is not None]
    if rough:
        found.append(
            "The intervals are approximate: below 30 questions, or with nearly all at one end, they are too narrow "
            "at times."
        )
    return found


def _row(arm: Arm, mark: ArmMark) -> tuple[Cell, ...]:
    mean, replicates = mark.estimate, [value for _, value in mark.replicates]
    return (
        *(arm.answering, arm.condition, mean.value, mean.low, mean.high, mean.n, mark.scored, mark.planned),
        *(min(replicates, default=None), max(replicates, default=None), mean.method),
    )


def _name(metric: Metric) -> str:
    return "the pass rate" if metric.trait is None else f"the mean of “{metric.trait}”"


def _value(mark: ArmMark) -> float:
    assert mark.estimate.value is not None
    return mark.estimate.value
