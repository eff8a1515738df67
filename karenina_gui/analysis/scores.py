"""One metric of a run as arrays y(question, arm, replicate, judgment), with reasons of missing scores.

An *arm* is an answering model under a condition. The question is the unit of analysis: average the judgments of each
answer, then the answers to each question, then the questions, each with equal weight. A missing score is NaN, never 0,
and still counts as planned.

Shapes: n jobs, q questions, a arms.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.thresholds import (
    MAX_GRADES,
)
from karenina_gui.schemas.job_table import (
    Arm as Arm,
    Codes as Codes,
    Floats as Floats,
    Integers as Integers,
    JobTable,
    Judgment as Judgment,
)
from karenina_gui.schemas.outcome import JUDGED, OUTCOMES

Flags = NDArray[np.bool_]

NOT_RUN = "not run"
"""Reason for jobs without a result."""
NOT_SCORED = "not scored"
"""Reason for jobs that ended normally but whose metric was not scored."""
NO_CLASS = "none of the classes"
"""Reason for jobs whose judge returned no class of the trait."""
FAILED = "error"
"""Reason for failed jobs without a category of failure."""


@dataclass(frozen=True)
class AnswerScores:
    """One row per planned answer (question × arm × replicate), averaged over judgments."""

    question: Integers
    """Indices into `Scores.questions`."""
    arm: Integers
    replicate: Codes
    """1-based."""
    value: Floats
    """NaN: no judgment has a score."""
    scored: Codes
    """Judgments with a score."""
    planned: Codes


@dataclass(frozen=True)
class Cells:
    """One cell per question and arm, shape q × a."""

    mean: Floats
    """Mean over scored answers; NaN: no scored answer."""
    deviation: Floats
    """Standard deviation between answers (n - 1); NaN for fewer than two."""
    scored: Integers
    """Answers with a score."""
    planned: Integers
    """Planned answers; 0: the arm does not include the question."""


@dataclass(frozen=True)
class Scores:
    """Jobs of a run for which this metric was requested, or some of them.

    Questions without a template have no verdict, and questions without a trait no score of it: their jobs are excluded.
    """

    metric: Metric
    questions: tuple[str, ...]
    """Question ids in the order of the run."""
    arms: tuple[Arm, ...]
    """In the order of the run; the first is the baseline."""
    judgments: tuple[Judgment, ...]
    question: Codes
    """Indices into the tuples above; shape n, like all arrays below."""
    arm: Codes
    judgment: Codes
    replicate: Codes
    """1-based."""
    value: Floats
    """NaN: no score."""
    why: Codes
    """Index in `reasons`; -1: scored."""
    reasons: tuple[str, ...]
    """Reasons for missing scores: categories of failure, `FAILED`, `NOT_RUN`, `NOT_SCORED` and `NO_CLASS`."""
    row: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    """Index of the job in its table; empty: there is no table."""

    @classmethod
    def of(cls, table: JobTable, metric: Metric) -> Scores:
        value = _values(table, metric)
        outside = (value < 0) if metric.classes and metric.has_order else np.zeros(len(value), dtype=bool)
        value[outside] = np.nan  # the judge named none of the classes, which is no place among them
        reasons = (*table.reasons, FAILED, NOT_RUN, NOT_SCORED, NO_CLASS)
        return cls(
            metric=metric,
            questions=table.questions,
            arms=table.arms,
            judgments=table.judgments,
            question=table.question,
            arm=table.arm,
            judgment=table.judgment,
            replicate=table.replicate,
            value=value,
            why=_why(table, value, outside, reasons),
            reasons=reasons,
            row=np.arange(len(table), dtype=np.int32),
        )._of_those_asked(table)

    def _of_those_asked(self, table: JobTable) -> Scores:
        idle = _not_asked(table, self.metric.trait)
        if not idle:
            return self
        is_idle = np.array([question in idle for question in self.questions], dtype=bool)
        return self.select(~is_idle[self.question] | ~np.isnan(self.value))

    def __len__(self) -> int:
        return len(self.value)

    @property
    def scored(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.value)))

    @property
    def planned(self) -> int:
        return len(self)

    @cached_property
    def lacking(self) -> dict[str, int]:
        """{why: jobs without a score}, the most frequent first."""
        numbers = np.bincount(self.why[self.why >= 0], minlength=len(self.reasons))
        first = np.full(len(self.reasons), len(self))
        places = np.flatnonzero(self.why >= 0)[::-1]
        first[self.why[places]] = places
        # Of equally many, the one that occurs first.
        order = sorted(np.flatnonzero(numbers), key=lambda code: (-numbers[code], first[code]))
        return {self.reasons[code]: int(numbers[code]) for code in order}

    @cached_property
    def graded(self) -> bool:
        """True for ordered grades, such as 1 to 5 or classes, whose steps can be of unequal size."""
        metric, different = self.metric, np.unique(self.value[~np.isnan(self.value)])
        if metric.kind == "binary" or not metric.has_order:
            return False
        few = len(different) <= MAX_GRADES and bool((different == np.round(different)).all())
        return few or bool(metric.classes)

    def select(self, these: Flags) -> Scores:
        """Return the selected jobs, without questions, arms and judgments that no longer occur."""
        indices = np.flatnonzero(these)
        questions, question = _encode_used(self.questions, self.question[indices])
        arms, arm = _encode_used(self.arms, self.arm[indices])
        judgments, judgment = _encode_used(self.judgments, self.judgment[indices])
        return replace(
            self,
            questions=questions,
            arms=arms,
            judgments=judgments,
            question=question,
            arm=arm,
            judgment=judgment,
            replicate=self.replicate[indices],
            value=self.value[indices],
            row=self.row[indices] if len(self.row) else self.row,
            why=self.why[indices],
        )

    def with_errors_as_failures(self) -> Scores:
        """Return the worst case: jobs that ended without a score get the worst score.

        Jobs not run stay missing. Unchanged if the metric has no worst score.
        """
        if self.metric.worst is None:
            return self
        not_run = self.why == self.reasons.index(NOT_RUN)
        value = np.where((self.why >= 0) & ~not_run, self.metric.worst, self.value)
        return replace(self, value=value, why=np.where(not_run, self.why, -1).astype(np.int32))

    @property
    def cell(self) -> Integers:
        """Cell of each job in an array of questions × arms, counted by rows."""
        # The codes are too short for the product.
        return self.question.astype(np.int64) * max(1, len(self.arms)) + self.arm

    @cached_property
    def answers(self) -> AnswerScores:
        """Answers in the order question, arm, replicate."""
        widest = int(self.replicate.max(initial=0)) + 1
        # One integer key per answer: `np.unique` sorts integers many times faster than rows.
        keys, group = np.unique(self.cell * widest + self.replicate, return_inverse=True)
        has = ~np.isnan(self.value)
        number = np.bincount(group[has], minlength=len(keys))
        total = np.bincount(group[has], weights=self.value[has], minlength=len(keys))
        pair, replicate = np.divmod(keys, widest)
        question, arm = np.divmod(pair, max(1, len(self.arms)))
        planned = np.bincount(group, minlength=len(keys))
        codes = [column.astype(np.int32) for column in (replicate, number, planned)]
        return AnswerScores(question, arm, codes[0], _ratio(total, number), codes[1], codes[2])

    @cached_property
    def cells(self) -> Cells:
        answers, shape = self.answers, (len(self.questions), len(self.arms))
        cell = answers.question * shape[1] + answers.arm
        has = ~np.isnan(answers.value)

        def sum_by_cell(weights: Floats | None = None) -> NDArray[Any]:
            return np.bincount(cell[has], weights=weights, minlength=shape[0] * shape[1]).reshape(shape)

        number = sum_by_cell().astype(np.int64)
        mean = _ratio(sum_by_cell(answers.value[has]), number)
        # Two passes: sum of squares minus square of sum would lose all digits for scores far from 0.
        spread = sum_by_cell((answers.value[has] - mean.ravel()[cell[has]]) ** 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = np.where(number > 1, np.sqrt(spread / (number - 1)), np.nan)
        planned = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        return Cells(mean, deviation, number, planned)


def _values(table: JobTable, metric: Metric) -> Floats:
    if metric.trait is None:
        verdicts = [float(outcome == "passed") if outcome in JUDGED else np.nan for outcome in OUTCOMES]
        return np.array([*verdicts, np.nan])[table.outcome]  # the last one is that of -1
    return np.array([scores.get(metric.trait, np.nan) for scores in table.scores], dtype=float)[table.score]


def _not_asked(table: JobTable, trait: str | None) -> set[str]:
    """Return the questions that were never to have this score, judging by their results."""
    if trait is not None:
        names = {trait, trait.partition(".")[0]}
        return {question for question, traits in table.requested.items() if not names & traits}
    judged = np.zeros(len(table.questions), dtype=bool)
    judged[table.question[np.isin(table.outcome, [OUTCOMES.index(outcome) for outcome in JUDGED])]] = True
    unscored = np.zeros(len(table.questions), dtype=bool)
    unscored[table.question[table.outcome == OUTCOMES.index("unscored")]] = True
    return {table.questions[at] for at in np.flatnonzero(unscored & ~judged)}


def _why(table: JobTable, value: Floats, outside: Flags, reasons: tuple[str, ...]) -> Codes:
    """Return the reason of each missing score; `outside`: the judge returned no class."""
    failed = table.outcome == OUTCOMES.index("error")
    failure = np.where(table.reason >= 0, table.reason, reasons.index(FAILED))
    why = np.where(failed, failure, reasons.index(NOT_SCORED))
    why[table.outcome < 0] = reasons.index(NOT_RUN)
    why[outside] = reasons.index(NO_CLASS)
    why[~np.isnan(value)] = -1
    return why.astype(np.int32)


def _encode_used(labels: tuple[Any, ...], codes: Codes) -> tuple[tuple[Any, ...], Codes]:
    used, recoded = np.unique(codes, return_inverse=True)
    return tuple(labels[at] for at in used), recoded.astype(np.int32)


def _ratio(total: NDArray[Any], number: NDArray[Any]) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(number > 0, total / np.maximum(number, 1), np.nan)
