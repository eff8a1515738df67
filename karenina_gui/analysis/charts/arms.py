"""How good is each condition and model? Means of question means with intervals, and the mean of each replicate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import between, results_of, said, scored_trait, some
from karenina_gui.analysis.clusters import clusters_of
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.words import FEW_CLUSTERS, of_estimate
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Arm, Scores

COLUMNS = (
    *("Model", "Condition", "Mean", "Interval from", "Interval to", "Questions", "Scored", "Planned"),
    *("Least mean of a replicate", "Greatest mean of a replicate", "Method"),
)

FIGURES = (
    Figure(
        "replicate-mean",
        "Mean of a replicate",
        "Mean over the questions of one replicate: the small dots; the table has the least and the greatest.",
        left_out="What has no score in this replicate.",
        weighed="Each question equally.",
        columns=("Least mean of a replicate", "Greatest mean of a replicate"),
    ),
    Figure(
        "clusters",
        "Clusters",
        "Groups of questions that share a keyword, directly or through others; intervals are then made from these.",
        columns=("Clusters",),
    ),
)
"""Beside those that charts share (`figures`)."""


@dataclass(frozen=True)
class ArmMark:
    """One row of the figure."""

    label: str
    place: int
    """Among all arms of the run."""
    estimate: Estimate
    replicates: tuple[tuple[int, float], ...]
    """Number of each replicate with a score, and the mean of its questions; empty: there is one replicate only."""
    scored: int
    planned: int
    link: int
    """Place of the link of its first replicate among those of the marks."""


@dataclass(frozen=True)
class ArmMarks:
    arms: tuple[ArmMark, ...]
    """In the order of the run: the baseline first."""


def find(scores: Scores, data: ChartData) -> Finding:
    from karenina_gui.analysis.statistics.means import arm_mean

    trait = scored_trait(scores, data)
    clusters = clusters_of(data.keywords) if data.request.clustered else None
    means = [arm_mean(scores, place, clusters) for place in range(len(scores.arms))]
    marks: list[ArmMark] = []
    links = [results_of(arm, trait=trait) for arm in scores.arms]
    for place, mean in enumerate(means):
        marks.append(_mark(scores, data, place, mean, len(links)))
        links += [results_of(scores.arms[place], replicate=number, trait=trait) for number, _ in marks[-1].replicates]
    shown = any(mark.estimate.value is not None for mark in marks)
    return Finding(
        metric=scores.metric,
        sentence=sentence(scores.metric, marks, len(scores.questions)),
        table=Table(
            COLUMNS if clusters is None else (*COLUMNS, "Clusters"),
            [_row(arm, mark) for arm, mark in zip(scores.arms, marks, strict=True)],
            [results_of(arm, trait=trait) for arm in scores.arms],
        ),
        scored=scores.scored,
        planned=scores.planned,
        lacking=scores.lacking,
        cautions=tuple(cautions(marks)),
        marks=ArmMarks(tuple(marks)) if shown else None,
        nothing="" if shown else "No result has a score yet.",
        mark_links=links,
    )


def _mark(scores: Scores, data: ChartData, place: int, mean: Estimate, link: int) -> ArmMark:
    answers = scores.answers
    here = answers.arm == place
    return ArmMark(
        label=scores.arms[place].label,
        place=data.places.get(scores.arms[place], place),
        estimate=mean,
        replicates=_by_replicate(scores, place),
        scored=int(answers.scored[here].sum()),
        planned=int(answers.planned[here].sum()),
        link=link,
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


def sentence(metric: Metric, marks: list[ArmMark], questions: int) -> str:
    """Of one arm its mean and what the data allow; of several the first and the last, and whether the first two
    overlap. `questions`: all that were asked.
    """
    known = [mark for mark in marks if mark.estimate.value is not None]
    if len(marks) == 1:
        return of_estimate(marks[0].estimate, marks[0].label, metric, questions, several=_several(marks[0]))
    if not known:
        return "Nothing can be said yet: no result has a score."
    if len(known) == 1:
        alone = of_estimate(known[0].estimate, known[0].label, metric, questions, several=_several(known[0]))
        return f"{alone} There is nothing to compare it with: no other has a score."
    ordered = sorted(known, key=_value, reverse=metric.higher_is_better is not False)
    first, last = ordered[0], ordered[-1]
    if _value(first) == _value(last):
        every = "both" if len(known) == 2 else f"all {len(known)}"
        same = f"their {_name(metric)} is {said(_value(first), metric)}"
        return f"{_on(known, questions)} {every} come out the same: {same}{_allowed(known, metric)}."
    best, worst = ("highest", "lowest") if metric.higher_is_better is None else ("best", "last")
    alike = sum(_value(mark) == _value(first) for mark in ordered[1:])
    together = f" together with {quantity(alike, 'other')}" if alike else ""
    return (
        f"{_on(known, questions)} {_spoken(metric, first)} is {best}{together} by {_name(metric)}, "
        f"and {_spoken(metric, last)} is {worst}."
        f"{_told_apart(first, ordered[1], 'higher' if best == 'highest' else 'better')}"
    )


def _several(mark: ArmMark) -> bool:
    """Whether a question has more answers than one; judgments of one answer are no further answers."""
    return bool(mark.replicates)


def _allowed(known: list[ArmMark], metric: Metric) -> str:
    """What the data allow although all means are the same; empty where no mean has an interval."""
    ends = [(one.estimate.low, one.estimate.high) for one in known]
    both = [(low, high) for low, high in ends if low is not None and high is not None]
    if not both:
        return ""
    low, high = min(low for low, _ in both), max(high for _, high in both)
    if said(low, metric) == said(high, metric):
        return ""
    return f"; the data allow anything from {said(low, metric)} to {said(high, metric)}"


def _on(marks: list[ArmMark], questions: int) -> str:
    """`On these 50 questions`, `On 48 to 50 of 50 questions`."""
    least, most = min(mark.estimate.n for mark in marks), max(mark.estimate.n for mark in marks)
    if least < most:
        return f"On {least:,} to {most:,} of {quantity(questions, 'question')}{_fallen(marks)}"
    if most < questions:
        return f"On {most:,} of {quantity(questions, 'question')}{_fallen(marks)}"
    return "On this one question" if most == 1 else f"On these {quantity(most, 'question')}{_fallen(marks)}"


def _fallen(marks: list[ArmMark]) -> str:
    """` in 12 clusters`; empty where each question stands for itself."""
    number = max((mark.estimate.clusters or 0 for mark in marks), default=0)
    return f" in {quantity(number, 'cluster')}" if number else ""


def _spoken(metric: Metric, mark: ArmMark) -> str:
    """`gpt with 72% (58% to 83%)`."""
    ends = between(mark.estimate, metric)
    return f"{mark.label} with {said(mark.estimate.value, metric)}" + (f" ({ends})" if ends else "")


def _told_apart(first: ArmMark, second: ArmMark, word: str) -> str:
    """What may not be read into the order of the first two."""
    ends = (first.estimate.low, first.estimate.high, second.estimate.low, second.estimate.high)
    if None in ends:
        return " These data do not say whether that would be so again."
    low, high, other_low, other_high = (end for end in ends if end is not None)
    if low > other_high or other_low > high:
        return ""
    return f" The intervals of the first two overlap, so that this alone does not say which of them is {word}."


def cautions(marks: list[ArmMark]) -> list[str]:
    if all(mark.estimate.value is None for mark in marks):
        return []
    reasons: dict[str, list[str]] = {}
    for mark in marks:
        if mark.estimate.why:
            reasons.setdefault(mark.estimate.why, []).append(mark.label)
    found = [f"{some(labels)}: {reason}" for reason, labels in reasons.items()]
    bounded = [mark.estimate for mark in marks if mark.estimate.low is not None]
    if any(estimate.clusters is not None and estimate.clusters < FEW_CLUSTERS for estimate in bounded):
        found.append(f"With fewer than {FEW_CLUSTERS} clusters the intervals are approximate.")
    elif any(estimate.approximate for estimate in bounded):
        found.append("The intervals are approximate: below 30 questions, or with nearly all scores at one end.")
    return found


def _row(arm: Arm, mark: ArmMark) -> tuple[Cell, ...]:
    mean, replicates = mark.estimate, [value for _, value in mark.replicates]
    return (
        *(arm.answering, arm.condition, mean.value, mean.low, mean.high, mean.n, mark.scored, mark.planned),
        *(min(replicates, default=None), max(replicates, default=None), mean.method),
        *(() if mean.clusters is None else (mean.clusters,)),
    )


def _name(metric: Metric) -> str:
    return "pass rate" if metric.trait is None else f"mean of “{metric.trait}”"


def _value(mark: ArmMark) -> float:
    assert mark.estimate.value is not None
    return mark.estimate.value
