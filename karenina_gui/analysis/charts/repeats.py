"""Answers to the same question counted: how many there are, and how many came out well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any

from karenina_gui.analysis.metrics import Metric

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Scores


@dataclass(frozen=True)
class Repeats:
    """Of a metric that is 0 or 1; arrays of shape question × arm."""

    trials: Any
    """Answers with a score."""
    successes: Any
    """Of these, the ones at the better end; of a metric without one, at 1."""
    split: int
    """Answers on which the judgments were not of one mind; most of them decide, and none does where they are even."""


def repeats(scores: Scores) -> Repeats:
    import numpy as np

    answers, shape = scores.answers, (len(scores.questions), len(scores.arms))
    has = ~np.isnan(answers.value)
    value = answers.value[has]
    good = settled(value, scores.metric) != (scores.metric.higher_is_better is False)
    place = (answers.question * shape[1] + answers.arm)[has]
    trials = np.bincount(place, minlength=shape[0] * shape[1])
    successes = np.bincount(place[good], minlength=shape[0] * shape[1])
    split = int(np.count_nonzero((value > 0) & (value < 1)))
    return Repeats(trials.reshape(shape), successes.reshape(shape), split)


def settled(values: Floats, metric: Metric) -> Floats:
    """Answers of a metric that is 0 or 1, each as most of its judgments have it; of as many on both sides the worse.

    `values`: means of their judgments; NaN stays NaN.
    """
    import numpy as np

    up = values >= 0.5 if metric.higher_is_better is False else values > 0.5
    return np.where(np.isnan(values), np.nan, up.astype(np.float64))


def cells_with_answers(scores: Scores) -> Iterator[tuple[int, int, Floats]]:
    """Question, arm, and the scores of its answers in the order of the replicates (NaN: no score), where any is
    planned.
    """
    import numpy as np

    answers, arms = scores.answers, max(1, len(scores.arms))
    place = answers.question * arms + answers.arm
    edges = [*np.flatnonzero(np.diff(place, prepend=-1)).tolist(), len(place)]
    for start, end in pairwise(edges):
        yield int(answers.question[start]), int(answers.arm[start]), answers.value[start:end]


def good(metric: Metric) -> str:
    """What an answer at the better end has come out as."""
    if metric.trait is None:
        return "passed"
    return "no" if metric.higher_is_better is False else "yes"


def bad(metric: Metric) -> str:
    return {"passed": "failed", "yes": "no", "no": "yes"}[good(metric)]


def pooled(questions: Sequence[tuple[int, float | None]]) -> float:
    """Standard deviation within questions, each with the weight of its degrees of freedom.

    `questions`: number of answers and standard deviation of each, at least one of them with two answers.
    """
    freedom = sum(answers - 1 for answers, _ in questions)
    return sqrt(sum((answers - 1) * (deviation or 0.0) ** 2 for answers, deviation in questions) / freedom)


SPLIT = "{n} had conflicting judgments. The majority counts, and a tie counts as the worse result."
