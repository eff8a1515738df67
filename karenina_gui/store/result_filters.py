"""Filters and sort orders of the results table as SQL. Values are always bound parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, LargeBinary, String, or_, type_coerce
from sqlmodel import col, exists, func, select

from karenina_gui.schemas.result_summaries import ResultFilter, ResultSort, SortKey
from karenina_gui.store import tables

row_of = tables.ResultRow
_SORTED_BY: dict[SortKey, Any] = {
    "position": row_of.position,
    "question": row_of.sought,
    "answering": row_of.answering,
    "judge": row_of.judge,
    "replicate": row_of.replicate,
    "condition": row_of.condition,
    "judge_replicate": row_of.judge_replicate,
    "outcome": row_of.outcome,
    "category": row_of.category,
    "seconds": row_of.seconds,
    "tokens": row_of.tokens,
}


def sought(question_text: str, question_id: str, answering: str, error: str | None) -> str:
    """Case-folded text that the results table searches."""
    # The question comes first, so that this column also sorts by question.
    return "\n".join(part for part in (question_text, question_id, answering, error) if part is not None).casefold()


def order(sort: ResultSort) -> list[Any]:
    """Sort clause; ties keep the run's order."""
    column = _SORTED_BY[sort.key]
    sorted_by = column.desc() if sort.descending else column
    return [sorted_by] if column is row_of.position else [sorted_by, row_of.position]


def looks_into_texts(filters: ResultFilter) -> bool:
    """True if the filter searches texts, which is much slower than comparing plain columns."""
    return bool(filters.text.strip()) or any(
        value is not None for value in (filters.keyword, filters.trait, filters.failed_field)
    )


def conditions(run_id: int, filters: ResultFilter, *, documents: bool = True) -> list[ColumnElement[bool]]:
    """SQL conditions of a result of this run that passes the filter. `documents`: the text is searched in them, too."""
    of_run: Any = row_of.run_id == run_id
    clauses: list[Any] = [of_run]
    # Text conditions are subqueries over the run, so that its index covers them whatever else is filtered.
    text_conditions: list[Any] = []
    if needle := filters.text.strip().casefold():
        in_row = func.instr(row_of.sought, needle) > 0
        text_conditions.append(or_(in_row, _says(needle)) if documents else in_row)
    if filters.keyword is not None:
        kinds = _documents_with(of_run, row_of.keywords, {"value": filters.keyword})
        text_conditions.append(type_coerce(row_of.keywords, String).in_(kinds))
    if filters.trait is not None:
        text_conditions.append(_by_trait(of_run, filters))
    if filters.failed_field is not None:
        fields = failed_fields(run_id)
        text_conditions.append(col(row_of.id).in_(select(fields.c.id).where(fields.c.field == filters.failed_field)))
    clauses.extend(col(row_of.id).in_(select(row_of.id).where(of_run, condition)) for condition in text_conditions)
    if filters.outcomes:
        clauses.append(col(row_of.outcome).in_(filters.outcomes))
    for name in ("answering", "judge", "replicate", "condition", "judge_replicate", "question_id", "category"):
        if (value := getattr(filters, name)) is not None:
            clauses.append(getattr(row_of, name) == value)
    return clauses


def _says(needle: str) -> Any:
    keywords = type_coerce(row_of.keywords, String)
    labels = (row_of.judge, row_of.condition)
    document = tables.PayloadRow.document
    says = func.says(needle, type_coerce(document, LargeBinary), keywords, row_of.outcome, *labels)
    return (
        select(says)
        .where(col(tables.PayloadRow.result_id) == col(row_of.id))
        .correlate(tables.ResultRow)
        .scalar_subquery()
    )


def failed_fields(run_id: int) -> Any:
    """Rows (`id` of a result, name of a `field` of its template that did not match)."""
    document = func.expand(tables.PayloadRow.document)
    fields = func.json_each(func.json_extract(document, "$.template.field_results")).table_valued(
        "key", "value", joins_implicitly=True
    )
    rows: Any = select(row_of.id, fields.c.key.label("field"))
    of_result = col(tables.PayloadRow.result_id) == col(row_of.id)
    return rows.select_from(tables.ResultRow).where(of_result, row_of.run_id == run_id, fields.c.value == 0).subquery()


def until(last: int | None) -> list[ColumnElement[bool]]:
    """SQL condition: the result existed when `last` was the greatest result id. None: all results."""
    return [] if last is None else [col(row_of.id) <= last]


def only_by_trait(filters: ResultFilter) -> bool:
    """True if a trait is the only filter."""
    return filters.trait is not None and filters == ResultFilter(trait=filters.trait, trait_is=filters.trait_is)


def with_trait(run_id: int, filters: ResultFilter, *, in_order: bool) -> list[ColumnElement[bool]]:
    """`conditions` for a filter by trait alone, for a statement that reads no other column.

    `in_order`: scan the rows in the run's order, which is fast if most rows match; else use the index of traits.
    """
    of_run: Any = row_of.run_id == run_id
    document = type_coerce(row_of.traits, String)
    # `+ ""` hides the column from SQLite's planner, which would use the index and then sort.
    return [of_run, (document + "" if in_order else document).in_(_with_trait(of_run, filters))]


def _by_trait(of_run: Any, filters: ResultFilter) -> Any:
    document = type_coerce(row_of.traits, String)
    has_it = document.in_(_with_trait(of_run, filters))
    if not filters.trait_or_none:
        return has_it
    return or_(has_it, document.not_in(_with_trait(of_run, replace(filters, trait_is=None))))


def _with_trait(of_run: Any, filters: ResultFilter) -> Any:
    is_it = {} if filters.trait_is is None else {"type": "true" if filters.trait_is else "false"}
    return _documents_with(of_run, row_of.traits, {"key": filters.trait, **is_it})


def _documents_with(of_run: Any, column: Any, part: dict[str, str | None]) -> Any:
    """Distinct JSON documents of this column that contain such an element."""
    # Many results share a document; each distinct one is parsed once.
    kinds = select(type_coerce(column, String).label("document")).where(of_run).distinct().subquery()
    elements = func.json_each(kinds.c.document).table_valued("key", "value", "type")
    has = exists(select(1).select_from(elements).where(*(elements.c[name] == value for name, value in part.items())))
    return select(kinds.c.document).where(has)
