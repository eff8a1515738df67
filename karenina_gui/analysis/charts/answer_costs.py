"""Costs of single answers, and of questions as the mean of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart_request import ChartData

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Floats, Integers, Scores


def one_row_per_answer(scores: Scores, arm: int, ran: Floats) -> Integers:
    """Return one row per answer of the arm, from a job that has run if there is one."""
    import numpy as np

    rows = np.flatnonzero(scores.arm == arm)
    # `np.unique` keeps the first row of each answer: jobs that have run go first.
    rows = rows[np.argsort(np.isnan(ran[rows]), kind="stable")]
    # Several judgments share an answer, whose cost must count once.
    answers = np.stack([scores.question[rows], scores.replicate[rows]], axis=1)
    return rows[np.unique(answers, axis=0, return_index=True)[1]]


def has_run(scores: Scores, data: ChartData) -> Floats:
    """1 for each row whose job has run, otherwise NaN."""
    return as_array([None if outcome is None else 1.0 for outcome in data.outcome], len(scores))


def costs_by_question(scores: Scores, arm: int, column: Floats, ran: Floats) -> Floats:
    """Mean cost of an answer of each question; NaN: unknown. `column`: costs by row; `ran`: see `has_run`."""
    import numpy as np

    rows = one_row_per_answer(scores, arm, ran)
    rows = rows[~np.isnan(column[rows])]
    size = len(scores.questions)
    answers = np.bincount(scores.question[rows], minlength=size)
    sums = np.bincount(scores.question[rows], weights=column[rows], minlength=size)
    return np.where(answers > 0, sums / np.maximum(answers, 1), np.nan)


def as_array(column: Sequence[float | None], n: int) -> Floats:
    """Return the column as an array; NaN: unknown."""
    import numpy as np

    return np.array(column, dtype=np.float64) if len(column) == n else np.full(n, np.nan)
