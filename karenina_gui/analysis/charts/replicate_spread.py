"""How much do answers to the same question vary? One strip of answers for each question and arm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Cell, Finding, Table
from karenina_gui.analysis.charts.found import NO_SCORE, found, look_of, nothing
from karenina_gui.analysis.charts.repeats import cells_with_answers, good, pooled, repeats
from karenina_gui.analysis.charts.request import ChartData
from karenina_gui.analysis.charts.words import (
    alike,
    each,
    number,
    only_in_table,
    quoted,
    results_of,
    said,
    scored_trait,
)
from karenina_gui.analysis.estimate import Estimate
from karenina_gui.analysis.metrics import Metric
from karenina_gui.schemas.figure import Figure
from karenina_gui.text import percent, quantity

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Scores

DRAWN = 40
"""Strips that a person can look at in one figure."""
COLUMNS = (
    *("Question", "Model", "Condition", "Mean", "Interval from", "Interval to", "Standard deviation"),
    *("Least", "Greatest", "Answers scored", "Answers planned"),
)
ONCE = "Every question has at most one answer with a score. Run it with two or more replicates to see how answers vary."

FIGURES = (
    Figure(
        "answer-range",
        "Least and greatest answer",
        "Of the answers to one question, each the mean of its judgments, with the mean of the answers.",
        left_out="Answers without a score.",
        weighed="Each answer equally.",
        interval="95% of the mean of the question, over its answers.",
        columns=("Mean", "Interval from", "Interval to", "Least", "Greatest"),
    ),
)
"""Beside those that charts share (`figures`)."""


@dataclass(frozen=True)
class Strip:
    """The answers to one question in one arm."""

    question: str
    """Its text."""
    question_id: str
    arm: int
    values: tuple[float, ...]
    """Of the answers with a score, each the mean of its judgments."""
    estimate: Estimate
    """Of their mean; n is answers."""
    deviation: float | None
    """None: fewer than two answers have a score."""
    good: int | None
    """Answers at the better end by most of their judgments; None: the scores are no yes and no."""
    flip: float | None
    """Probability that two answers differ by most of their judgments; None: fewer than two answers have a score, or the
    scores are no yes and no."""
    planned: int

    @property
    def variation(self) -> float | None:
        """How much its answers vary: the flip probability where the metric is yes or no, else their deviation."""
        return self.deviation if self.good is None else self.flip


@dataclass(frozen=True)
class SpreadMarks:
    strips: tuple[Strip, ...]
    """The most varying first, as in the table; of these the first `DRAWN`."""
    arms: tuple[str, ...]
    """Labels."""
    looks: tuple[int, ...]
    """Of each arm: its place among all of the run."""
    others: int
    """Strips that are in the table only."""


def find(scores: Scores, data: ChartData) -> Finding:
    trait = scored_trait(scores, data)
    strips = _strips(scores, data)
    table = Table(
        COLUMNS,
        [_row(scores, strip) for strip in strips],
        [results_of(scores.arms[strip.arm], question=strip.question_id, trait=trait) for strip in strips],
    )
    repeated = [strip for strip in strips if strip.variation is not None]
    if not repeated:
        return nothing(scores, ONCE if scores.scored else NO_SCORE, table)
    drawn = tuple(repeated[:DRAWN])
    arms = range(len(scores.arms))
    marks = SpreadMarks(
        drawn,
        tuple(arm.label for arm in scores.arms),
        tuple(look_of(scores, data, arm) for arm in arms),
        len(strips) - len(drawn),
    )
    split = repeats(scores).split if scores.metric.kind == "binary" else 0
    return found(scores, sentence(scores.metric, repeated), table, marks, _cautions(strips, repeated, marks, split))


def _strips(scores: Scores, data: ChartData) -> list[Strip]:
    """The most varying first, and those with a single answer last."""
    import numpy as np

    from karenina_gui.analysis.statistics.repeated import flip_probability

    mean_of, counts = _means(scores.metric), repeats(scores)
    trials, passed = counts.trials.tolist(), counts.successes.tolist()
    binary = scores.metric.kind == "binary"
    strips = []
    for question, arm, answers in cells_with_answers(scores):
        values = tuple(answers[~np.isnan(answers)].tolist())
        deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
        name = scores.questions[question]
        # Of equal answers the computer's rounding is no variation.
        flat = deviation is not None and min(values) == max(values)
        n, c = trials[question][arm], passed[question][arm]
        strips.append(
            Strip(
                question=data.text(name), question_id=name, arm=arm, values=values, estimate=mean_of(values),
                deviation=0.0 if flat else deviation, good=c if binary else None,
                flip=flip_probability(n, c) if binary else None, planned=len(answers),
            )
        )  # fmt: skip
    return sorted(strips, key=lambda strip: (_or_less(strip.variation), _or_less(strip.deviation)), reverse=True)


def _or_less(value: float | None) -> float:
    return -1.0 if value is None else value


def _means(metric: Metric) -> Callable[[tuple[float, ...]], Estimate]:
    """Mean of some answers to one question, with its interval; equal sets of answers are looked at once."""
    import numpy as np

    from karenina_gui.analysis.statistics.means import score_mean

    @cache
    def mean(values: tuple[float, ...]) -> Estimate:
        found = score_mean(np.array(values, dtype=float), low=metric.low, high=metric.high)
        return replace(found, method=found.method.replace("questions", "answers"))

    return lambda values: mean(tuple(sorted(values)))


def sentence(metric: Metric, repeated: list[Strip]) -> str:
    """`repeated`: those with two answers or more, the most varying first."""
    changing = [strip for strip in repeated if strip.variation]
    basis, often = _basis(repeated), each([len(strip.values) for strip in repeated], "answer")
    if not changing:
        if any(strip.deviation for strip in repeated):
            return f"All answers to the same question came out the same by most of their judgments ({basis}, {often})."
        return f"No variation was seen: all answers to the same question came out the same ({basis}, {often})."
    most = _most(metric, changing)
    if metric.kind == "binary":
        share = percent(len(changing) / len(repeated))
        return f"{len(changing):,} of {basis} ({share}) did not come out the same each time, with {often}{most}."
    deviation = pooled([(len(strip.values), strip.deviation) for strip in repeated])
    return (
        f"Answers to the same question differ by a standard deviation of {number(deviation)} ({basis}, {often}){most}."
    )


def _most(metric: Metric, changing: Sequence[Strip]) -> str:
    """Which varies most; empty where all vary alike."""
    ties = alike([strip.variation or 0.0 for strip in changing])
    if ties == 1:
        return f"; none more than {quoted(changing[0].question)} ({_of(metric, changing[0])})"
    return f"; {ties:,} vary the most, by the same amount" if ties < len(changing) else ""


def _basis(repeated: list[Strip]) -> str:
    if len({strip.arm for strip in repeated}) == 1:
        return quantity(len(repeated), "question")
    return f"{quantity(len(repeated), 'pair')} of a question with a model and condition"


def _of(metric: Metric, strip: Strip) -> str:
    if metric.kind != "binary":
        return f"{number(min(strip.values))} to {number(max(strip.values))} in {len(strip.values)} answers"
    return f"{strip.good} of {len(strip.values)} {good(metric)}"


def _cautions(strips: list[Strip], repeated: list[Strip], marks: SpreadMarks, split: int) -> list[str]:
    found = []
    if marks.others:
        found.append(
            f"Drawn are the {len(marks.strips)} that vary most; the table has all {len(strips):,}."
            if len(repeated) > DRAWN
            else only_in_table(marks.others)
        )
    numbers = [len(strip.values) for strip in repeated]
    if min(numbers) < 5:
        found.append(f"With so few answers to a question ({each(numbers, 'answer')}), a rare change stays unseen.")
    if split:
        found.append(
            f"{quantity(split, 'answer')} had judgments that disagree: their marks are means. For “the same each time” "
            "what most of them say counts, and of as many on both sides the worse."
        )
    return found


def _row(scores: Scores, strip: Strip) -> tuple[Cell, ...]:
    arm, mean = scores.arms[strip.arm], strip.estimate
    ends = (min(strip.values), max(strip.values)) if strip.values else (None, None)
    return (
        *(strip.question, arm.answering, arm.condition, mean.value, mean.low, mean.high, strip.deviation),
        *(*ends, len(strip.values), strip.planned),
    )


def told(metric: Metric, strip: Strip) -> str:
    """What stands beside a strip for who points at it."""
    spread = "" if strip.deviation is None else f" · standard deviation {number(strip.deviation)}"
    return f"mean {said(strip.estimate.value, metric)} of {len(strip.values)} of {strip.planned} answers{spread}"
