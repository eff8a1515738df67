"""Means over questions with equal weight, computed in SQL: the weighting of every rate of a run.

`analysis.scores` computes the same from jobs, for charts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from sqlalchemy import String, case, true, type_coerce
from sqlmodel import Session, col, func, select as _select

from karenina_gui.schemas.outcome import JUDGED
from karenina_gui.schemas.run_counts import OfArm, QuestionMeans, RunMeans
from karenina_gui.store import tables
from karenina_gui.store.job_columns import asked_traits

row_of: Any = tables.ResultRow
select: Any = _select
"""SQLModel's `select` without its overloads, which need the columns to be known statically."""
_CELL = (row_of.question_id, row_of.answering, row_of.condition)
"""Columns that identify one answer, together with the replicate."""


def run_means(session: Session, run_id: int) -> RunMeans:
    """Means by arm, condition, judge and keywords."""
    passed = case((col(row_of.outcome) == "passed", 1.0), else_=0.0)
    judged = col(row_of.outcome).in_(JUDGED)
    traits = func.json_each(row_of.traits).table_valued("key", "value")
    means = _Means()
    keywords_json = func.min(type_coerce(row_of.keywords, String))
    for question, answering, condition, *sums, keywords in _cells(session, run_id, (passed, keywords_json), (judged,)):
        means.add("arms", OfArm(answering, condition), question, *sums)
        means.add("conditions", condition, question, *sums)
        means.add("keywords", keywords, question, *sums)
    for question, answering, condition, trait, *sums in _cells(session, run_id, (traits.c.value,), by=traits.c.key):
        means.add("arms", OfArm(answering, condition, trait), question, *sums)
    # Only a run with several judges is scanned once more for means by judge.
    judges = session.exec(select(func.count(row_of.judge.distinct())).where(row_of.run_id == run_id)).one()
    if judges > 1:
        for question, _, _, judge, *sums in _cells(session, run_id, (passed,), (judged,), by=row_of.judge):
            means.add("judges", judge, question, *sums)
    return RunMeans(
        arms=means.of("arms"),
        conditions=means.of("conditions"),
        judges=means.of("judges"),
        keywords={tuple(json.loads(names)): mean for names, mean in means.of("keywords").items()},
    )


class _Means:
    """Sums over answers by grouping, key and question."""

    def __init__(self) -> None:
        self._sums: dict[str, dict[Any, dict[str, list[float]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(lambda: [0.0, 0]))
        )

    def add(self, by: str, key: Any, question: str, total: float, answers: int) -> None:
        """Add the sum of the scores of `answers` answers to a question."""
        if key is not None:
            sums = self._sums[by][key][question]
            sums[0] += total
            sums[1] += answers

    def of(self, by: str) -> dict[Any, QuestionMeans]:
        return {
            key: QuestionMeans(sum(total / answers for total, answers in questions.values()), len(questions))
            for key, questions in self._sums[by].items()
        }


def _cells(
    session: Session, run_id: int, values: tuple[Any, ...], these: tuple[Any, ...] = (), by: Any = None
) -> list[Any]:
    """Rows of sums over answers, by question, model, condition and `by`.

    A row holds these keys, the sum of scores, the number of answers, and another value if `values` has two. The first
    of `values` is the score. Judgments of the same answer are averaged before they are summed.
    """
    keys = [column.label(f"by{index}") for index, column in enumerate((*_CELL, *(() if by is None else (by,))))]
    score, *others = values
    answers = select(*keys, func.avg(score).label("score"), *(other.label("other") for other in others))
    # The column comes from `json_each`, whose rows SQLite joins to each result.
    if by is not None and by.table is not row_of.__table__:
        answers = answers.select_from(row_of).join(by.table, true())
    group = (*_CELL, row_of.replicate, *(() if by is None else (by,)))
    of = answers.where(row_of.run_id == run_id, *these).group_by(*group).subquery()
    cells = [of.c[key.name] for key in keys]
    more = [func.min(of.c.other)] if others else []
    return list(session.execute(select(*cells, func.sum(of.c.score), func.count(), *more).group_by(*cells)).all())


def results_to_score(session: Session, run_id: int) -> dict[OfArm, int]:
    """Number of results that were to be scored, by arm and trait; each field of a trait counts separately.

    A question whose rubric is unknown counts as asked for every trait, see `asked_traits`.
    """
    asked_by_question, scored = asked_traits(session, run_id), _scored_names(session, run_id)
    covered = {name.partition(".")[0] for name in scored}
    names = scored | {name for traits in asked_by_question.values() for name in traits if name not in covered}
    if not names:
        return {}
    numbers = select(*_CELL, func.count()).where(row_of.run_id == run_id)
    numbers_by_arm: dict[OfArm, int] = defaultdict(int)
    for question, answering, condition, number in session.execute(numbers.group_by(*_CELL)).all():
        traits = asked_by_question.get(question)
        for name in names:
            if traits is None or not traits.isdisjoint((name, name.partition(".")[0])):
                numbers_by_arm[OfArm(answering, condition, name)] += number
    return dict(numbers_by_arm)


def out_of_scale(session: Session, run_id: int) -> dict[OfArm, int]:
    """Number of results by arm and trait whose score is out of the trait's scale."""
    trait = func.json_each(row_of.out_of_scale).table_valued("value")
    keys = (row_of.answering, row_of.condition, trait.c.value)
    statement = select(*keys, func.count()).select_from(row_of).join(trait, true()).where(row_of.run_id == run_id)
    return {OfArm(*key): number for *key, number in session.execute(statement.group_by(*keys))}


def _scored_names(session: Session, run_id: int) -> set[str]:
    different = select(type_coerce(row_of.traits, String)).where(row_of.run_id == run_id).distinct()
    return {name for text in session.scalars(different) for name in json.loads(text)}
