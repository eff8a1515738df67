"""Counts and means of all results of a run, for its overview."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from karenina_gui.schemas.job_table import Coder, Codes, Floats, Integers, JobTable
from karenina_gui.schemas.outcome import JUDGED, OUTCOMES, Outcome, Reason
from karenina_gui.schemas.run_counts import ComparisonKey, OfArm, QuestionMeans, RunCounts, RunMeans

Key = TypeVar("Key")


def count_run(table: JobTable) -> RunCounts:
    """Counts of the results in the table; jobs without a result do not count."""
    counting = _Counting(table, np.flatnonzero(table.result >= 0))
    return RunCounts(
        verdicts=[
            (counting.key(arm, judge), OUTCOMES[outcome], number)
            for (arm, judge, outcome), number in _numbers(counting.arm, counting.judge, counting.outcome)
        ],
        reasons=_reasons(counting),
        keywords=[
            (counting.keywords[keywords], OUTCOMES[outcome], number)
            for (keywords, outcome), number in _numbers(counting.keyword_code[counting.question], counting.outcome)
        ],
        traits=[
            (counting.key(arm, judge), dict(table.scores[score]), number)
            for (arm, judge, score), number in _numbers(counting.arm, counting.judge, table.score[counting.rows])
            if table.scores[score]
        ],
        judgments=max((judgment.number for judgment in table.judgments), default=1),
        extractions=_extractions(counting),
        means=_means(counting),
        requested=_results_to_score(counting),
        out_of_scale=_out_of_scale(counting),
        last=int(table.result.max(initial=0)),
    )


def _reasons(counting: _Counting) -> list[tuple[Outcome, Reason, int]]:
    """The most frequent first."""
    numbers = _numbers(counting.outcome, counting.table.reason[counting.rows])
    reasons = counting.table.reasons
    counted = [(OUTCOMES[outcome], reasons[reason], number) for (outcome, reason), number in numbers if reason >= 0]
    return sorted(counted, key=lambda item: (-item[2], item[0], item[1]))


def _extractions(counting: _Counting) -> list[tuple[str, str, int]]:
    """Judges with their methods, the most frequent first."""
    numbers = _numbers(counting.judge, counting.table.extraction[counting.rows])
    methods = counting.table.extractions
    counted = [(counting.judges[judge], methods[method], number) for (judge, method), number in numbers if method >= 0]
    return sorted(
        ((judge, method, number) for judge, method, number in counted if judge),
        key=lambda item: (-item[2], item[0], item[1]),
    )


@dataclass(frozen=True)
class _Counting:
    """The results of a table: `rows` are their indices in it; all other arrays have one entry for each of them."""

    table: JobTable
    rows: Integers

    @cached_property
    def question(self) -> Integers:
        return self.table.question[self.rows].astype(np.int64)

    @cached_property
    def arm(self) -> Codes:
        return self.table.arm[self.rows]

    @cached_property
    def outcome(self) -> Codes:
        return self.table.outcome[self.rows]

    @cached_property
    def judges(self) -> tuple[str | None, ...]:
        return tuple(dict.fromkeys(judgment.judge for judgment in self.table.judgments))

    @cached_property
    def judge(self) -> Codes:
        """Index in `judges`."""
        return Coder().codes([judgment.judge for judgment in self.table.judgments])[self.table.judgment[self.rows]]

    @cached_property
    def keywords(self) -> tuple[tuple[str, ...], ...]:
        return tuple(dict.fromkeys(self.table.keywords.get(question, ()) for question in self.table.questions))

    @cached_property
    def keyword_code(self) -> Codes:
        """Index in `keywords` by question."""
        return Coder().codes([self.table.keywords.get(question, ()) for question in self.table.questions])

    def key(self, arm: int, judge: int) -> ComparisonKey:
        answering, condition = self.table.arms[arm]
        return ComparisonKey(answering, self.judges[judge], condition)

    @cached_property
    def answer(self) -> tuple[Integers, Integers]:
        """Index of each result's answer, and of each answer's cell (question × arm)."""
        replicate = self.table.replicate[self.rows].astype(np.int64)
        widest = int(replicate.max(initial=0)) + 1
        keys, answer = np.unique(
            (self.question * len(self.table.arms) + self.arm) * widest + replicate, return_inverse=True
        )
        return answer, keys // widest

    def sums(self, value: Floats) -> tuple[Floats, Integers]:
        """Sum of the scores of answers, and the number of answers with one, both question × arm.

        `value`: score of each result; NaN: none. Judgments of an answer are averaged first.
        """
        answer, cell = self.answer
        shape = (len(self.table.questions), len(self.table.arms))
        has = ~np.isnan(value)
        number = np.bincount(answer[has], minlength=len(cell))
        total = np.bincount(answer[has], weights=value[has], minlength=len(cell))
        scored = number > 0
        mean = total[scored] / number[scored]
        size = shape[0] * shape[1]
        totals = np.bincount(cell[scored], weights=mean, minlength=size).astype(float)
        return totals.reshape(shape), np.bincount(cell[scored], minlength=size).reshape(shape)


def _numbers(*columns: Any) -> list[tuple[tuple[int, ...], int]]:
    """Distinct combinations of codes with their numbers, in the order of first occurrence."""
    widths = [int(column.max(initial=0)) + 2 for column in columns]
    combined = np.zeros(len(columns[0]), dtype=np.int64)
    for column, width in zip(columns, widths, strict=True):
        combined = combined * width + (column + 1)
    codes, first, numbers = np.unique(combined, return_index=True, return_counts=True)
    combinations = []
    for at in np.argsort(first):
        code, parts = int(codes[at]), []
        for width in reversed(widths):
            code, part = divmod(code, width)
            parts.append(part - 1)
        combinations.append((tuple(reversed(parts)), int(numbers[at])))
    return combinations


def _means(counting: _Counting) -> RunMeans:
    table = counting.table
    passes = [float(outcome == "passed") if outcome in JUDGED else np.nan for outcome in OUTCOMES]
    passed = np.array(passes)[counting.outcome]
    sums = counting.sums(passed)
    arms = _by_arm(counting, sums, None)
    for trait in sorted({name for scores in table.scores for name in scores}):
        by_document = np.array([float(scores.get(trait, np.nan)) for scores in table.scores])
        arms |= _by_arm(counting, counting.sums(by_document[table.score[counting.rows]]), trait)
    keywords = {
        names: _pool(sums, questions=np.flatnonzero(counting.keyword_code == code))
        for code, names in enumerate(counting.keywords)
    }
    return RunMeans(arms, _by_condition(table, sums), _by_judge(counting, passed), _without_empty(keywords))


def _by_condition(table: JobTable, sums: tuple[Floats, Integers]) -> dict[str, QuestionMeans]:
    arms: dict[str, list[int]] = defaultdict(list)
    for at, arm in enumerate(table.arms):
        if arm.condition is not None:
            arms[arm.condition].append(at)
    return _without_empty({name: _pool(sums, arms=of_condition) for name, of_condition in arms.items()})


def _by_judge(counting: _Counting, passed: Floats) -> dict[str, QuestionMeans]:
    """Means by judge; empty if there is only one."""
    judges = {judge: code for code, judge in enumerate(counting.judges) if judge is not None}
    if len(judges) < 2:
        return {}
    of_judges = {judge: np.where(counting.judge == code, passed, np.nan) for judge, code in judges.items()}
    return _without_empty({judge: _pool(counting.sums(value)) for judge, value in of_judges.items()})


def _without_empty(means: dict[Key, QuestionMeans]) -> dict[Key, QuestionMeans]:
    return {key: mean for key, mean in means.items() if mean.questions}


def _by_arm(counting: _Counting, sums: tuple[Floats, Integers], trait: str | None) -> dict[OfArm, QuestionMeans]:
    return _without_empty({OfArm(*arm, trait): _pool(sums, arms=[at]) for at, arm in enumerate(counting.table.arms)})


def _pool(sums: tuple[Floats, Integers], arms: Any = slice(None), questions: Any = slice(None)) -> QuestionMeans:
    """Means over questions, whose answers from these arms are pooled."""
    total, answers = (part[questions][:, arms].sum(axis=1) for part in sums)
    scored = answers > 0
    return QuestionMeans(float((total[scored] / answers[scored]).sum()), int(scored.sum()))


def _results_to_score(counting: _Counting) -> dict[OfArm, int]:
    """Number of results that were to be scored, by arm and trait; each field of a trait counts separately.

    A question whose rubric is unknown counts as asked for every trait, see `JobTable.requested`.
    """
    table = counting.table
    shape = (len(table.questions), len(table.arms))
    cell = counting.question * shape[1] + counting.arm
    numbers = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    requested: dict[OfArm, int] = {}
    rubrics = [table.requested.get(question) for question in table.questions]
    for name in _names_to_score(table):
        either = {name, name.partition(".")[0]}
        is_asked = np.array([traits is None or not traits.isdisjoint(either) for traits in rubrics], dtype=bool)
        of_arms = zip(table.arms, numbers[is_asked].sum(axis=0).tolist(), strict=True)
        requested |= {OfArm(*arm, name): number for arm, number in of_arms if number}
    return requested


def _names_to_score(table: JobTable) -> list[str]:
    """Scored traits, their fields for themselves, and traits that no result has scored."""
    scored = {name for scores in table.scores for name in scores}
    covered = {name.partition(".")[0] for name in scored}
    return sorted(scored | {name for traits in table.requested.values() for name in traits if name not in covered})


def _out_of_scale(counting: _Counting) -> dict[OfArm, int]:
    """Number of results by arm and trait whose score is out of the trait's scale."""
    table, numbers = counting.table, defaultdict[OfArm, int](int)
    for (arm, outside), number in _numbers(counting.arm, table.outside[counting.rows]):
        for trait in table.outsides[outside]:
            numbers[OfArm(*table.arms[arm], trait)] += number
    return dict(numbers)
