"""Counts of scored and good answers by question and arm."""

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
class ReplicateCounts:
    """Counts for a metric of 0 and 1; arrays of shape question × arm."""

    trials: Any
    """Answers with a score."""
    successes: Any
    """Answers at the better end; at 1 if the metric has no better end."""
    split: int
    """Answers with conflicting judgments. The majority decides; a tie counts as the worse result."""


def count_replicates(scores: Scores) -> ReplicateCounts:
    import numpy as np

    answers, shape = scores.answers, (len(scores.questions), len(scores.arms))
    has = ~np.isnan(answers.value)
    value = answers.value[has]
    good = majority_verdicts(value, scores.metric) != (scores.metric.higher_is_better is False)
    cell = (answers.question * shape[1] + answers.arm)[has]
    trials = np.bincount(cell, minlength=shape[0] * shape[1])
    successes = np.bincount(cell[good], minlength=shape[0] * shape[1])
    split = int(np.count_nonzero((value > 0) & (value < 1)))
    return ReplicateCounts(trials.reshape(shape), successes.reshape(shape), split)


def majority_verdicts(values: Floats, metric: Metric) -> Floats:
    """Round the mean of an answer's judgments to the majority; a tie to the worse result.

    `values`: means of 0/1 judgments; NaN stays NaN.
    """
    import numpy as np

    # Conflicting judgments must not look better than they are: a tie is the worse result.
    is_high = values >= 0.5 if metric.higher_is_better is False else values > 0.5
    return np.where(np.isnan(values), np.nan, is_high.astype(np.float64))


def cells_with_answers(scores: Scores) -> Iterator[tuple[int, int, Floats]]:
    """Yield question, arm and answer scores (NaN: none), in the order of replicates, of planned cells."""
    import numpy as np

    answers, arms = scores.answers, max(1, len(scores.arms))
    cell = answers.question * arms + answers.arm
    edges = [*np.flatnonzero(np.diff(cell, prepend=-1)).tolist(), len(cell)]
    for start, end in pairwise(edges):
        yield int(answers.question[start]), int(answers.arm[start]), answers.value[start:end]


def good_label(metric: Metric) -> str:
    """Return the word for an answer at the better end."""
    if metric.trait is None:
        return "passed"
    return "no" if metric.higher_is_better is False else "yes"


def bad_label(metric: Metric) -> str:
    return {"passed": "failed", "yes": "no", "no": "yes"}[good_label(metric)]


def pooled_deviation(questions: Sequence[tuple[int, float | None]]) -> float:
    """Pooled standard deviation s = √(Σ (n_i - 1)·s_i² / Σ (n_i - 1)) within questions.

    `questions`: (answers n_i, deviation s_i) of each; at least one has two answers.
    """
    df = sum(answers - 1 for answers, _ in questions)
    return sqrt(sum((answers - 1) * (deviation or 0.0) ** 2 for answers, deviation in questions) / df)
