"""Totals of a run and orders of its questions, computed in SQL without loading rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import and_, case, exists, true
from sqlmodel import Session, col, func, select

from karenina_gui.schemas.outcome import JUDGED, Outcome
from karenina_gui.schemas.prices import ModelTokens, Spending, merge_tokens
from karenina_gui.schemas.result import TraitScale
from karenina_gui.schemas.result_summaries import QuestionSort
from karenina_gui.schemas.run_counts import ComparisonKey
from karenina_gui.store import tables
from karenina_gui.store.question_summaries import among
from karenina_gui.store.result_filters import until

row_of = tables.ResultRow
_KEY = (row_of.answering, row_of.judge, row_of.condition)
"""Columns of `ComparisonKey`."""


def tally(session: Session, run_id: int) -> tuple[dict[Outcome, int], int]:
    """Result counts by outcome, and the greatest result id (0 if there are no results)."""
    rows = session.execute(
        select(row_of.outcome, func.count(), func.max(row_of.id))
        .where(row_of.run_id == run_id)
        .group_by(row_of.outcome)
    ).all()
    return {cast(Outcome, outcome): number for outcome, number, _ in rows}, max((last for *_, last in rows), default=0)


def spending(session: Session, run_id: int) -> Spending:
    """Tokens of a run by model, the most used first."""
    row = tables.TokenCountRow
    columns: Any = (row.input, row.output, row.cache_read, row.cache_creation, row.cache_creation_1h)
    sums = [func.sum(column) for column in columns]
    statement: Any = cast(Any, select)(row.model, func.count(), *sums, row.length).where(row.run_id == run_id)
    by_model: dict[str, list[ModelTokens]] = {}
    untold = 0
    for model, number, *figures in session.execute(statement.group_by(row.model, row.length)):
        if model is None:
            untold += number
        else:
            by_model.setdefault(model, []).append(ModelTokens(model, *figures))
    results = session.exec(select(func.count()).where(row_of.run_id == run_id)).one()
    tokens = sorted(map(merge_tokens, by_model.values()), key=lambda total: -(total.input + total.output))
    return Spending(tuple(tokens), untold, results)


def scales_beside(session: Session, run_id: int, trait: str) -> dict[str, TraitScale]:
    """All scales in one result that scored this trait; empty if no result did."""
    names = func.json_each(row_of.traits).table_valued("key")
    scored = exists(select(names.c.key).where(names.c.key == trait))
    one_result = select(row_of.id).where(row_of.run_id == run_id, scored).limit(1)
    scales = func.json_extract(func.expand(tables.PayloadRow.document), "$.rubric.trait_scales")
    text = session.exec(select(scales).where(col(tables.PayloadRow.result_id).in_(one_result))).first()
    return {name: TraitScale.model_validate(scale) for name, scale in json.loads(text or "{}").items()}


def scales_of(session: Session, result_ids: Sequence[int]) -> dict[str, TraitScale]:
    """Scales of all traits in these results."""
    scales = func.json_extract(func.expand(tables.PayloadRow.document), "$.rubric.trait_scales")
    documents = session.exec(select(scales).where(among(tables.PayloadRow.result_id, result_ids))).all()
    read = (json.loads(text) for text in set(documents) if text)
    return {name: TraitScale.model_validate(scale) for scales in read for name, scale in scales.items()}


def trait_names(session: Session, run_id: int) -> list[str]:
    """Names of all scored traits, in the order in which results list them."""
    traits = func.json_each(row_of.traits).table_valued("key", "id")
    statement = select(traits.c.key).select_from(row_of).join(traits, true()).where(row_of.run_id == run_id)
    rows = session.execute(statement.group_by(traits.c.key).order_by(func.min(row_of.position), func.min(traits.c.id)))
    return [name for (name,) in rows]


def models(session: Session, run_id: int) -> list[ComparisonKey]:
    """Answering models with their judges and conditions, in order of first occurrence."""
    rows = _grouped_rows(session, run_id, _KEY, _KEY, first=func.min(row_of.position))
    return [ComparisonKey(*row) for row in rows]


def question_ids(session: Session, run_id: int, sort: QuestionSort, last: int | None = None) -> list[str]:
    """Ids of all questions with results, sorted. Ties keep the run's order. `last`: as in `Results.page`."""
    first = func.min(row_of.position)
    by = {"position": first, "question": func.min(row_of.sought), "share": _sort_value(sort)}[sort.key]
    statement = select(row_of.question_id).where(row_of.run_id == run_id, *until(last)).group_by(row_of.question_id)
    return list(session.exec(statement.order_by(by.desc() if sort.descending else by, first)).all())


def _grouped_rows(session: Session, run_id: int, columns: Any, group: Any, first: Any = None) -> list[Any]:
    statement = select(*columns).where(row_of.run_id == run_id).group_by(*group)
    rows = session.execute(statement if first is None else statement.order_by(first)).all()
    return [tuple(row) for row in rows]


def _sort_value(sort: QuestionSort) -> Any:
    """Sort key of a question under `sort`: mean score of the trait, else passed / judged.

    Questions without a value sort below all others.
    """
    model = (col(row_of.answering) == sort.answering, col(row_of.judge).is_not_distinct_from(sort.judge))
    # A run without conditions is put in order by an index that does not hold them.
    under = () if sort.condition is None else (col(row_of.condition) == sort.condition,)
    meant = and_(*model, *under)
    if sort.trait is not None:
        score = func.json_extract(row_of.traits, f'$."{sort.trait}"')
        return func.coalesce(func.avg(case((meant, score))), -1e300)
    passed = func.sum(case((and_(meant, col(row_of.outcome) == "passed"), 1.0), else_=0.0))
    judged = func.sum(case((and_(meant, col(row_of.outcome).in_(JUDGED)), 1), else_=0))
    return func.coalesce(passed / func.nullif(judged, 0), -1)
