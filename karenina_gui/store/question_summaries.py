"""Queries for question lists and searches that do not load whole questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
from sqlalchemy import ColumnElement, String, or_, type_coerce
from sqlmodel import col, func, select

from karenina_gui.schemas.benchmark_summaries import QuestionFilter, QuestionSummary
from karenina_gui.store import tables
from karenina_gui.store.row_mapping import present

PREVIEW = 200
"""Characters of a question's text in a list."""

row_of = tables.QuestionRow
SEARCHED = (
    type_coerce(row_of.keywords, String),
    row_of.question,
    row_of.raw_answer,
    row_of.answer_notes,
    row_of.answer_template,
    row_of.question_id,
)
"""Columns that the search box searches. The keywords come first, as JSON."""


def of_benchmark(benchmark_id: int) -> tuple[ColumnElement[bool], ...]:
    return (col(row_of.benchmark_id) == benchmark_id, present())


def has_id() -> ColumnElement[bool]:
    """SQL condition: the question has an id. Questions without one are neither run nor exported."""
    return col(row_of.question_id) != ""


def among(column: Any, values: Iterable[Any]) -> ColumnElement[bool]:
    """SQL condition: the column has one of these values."""
    # As one JSON parameter, because SQLite limits the number of parameters of a statement.
    elements = func.json_each(orjson.dumps(list(values)).decode()).table_valued("value")
    return col(column).in_(select(elements.c.value))


def light_rows() -> Any:
    """Select statement for `summary_of`, in the benchmark's order."""
    return select(  # type: ignore[call-overload, misc]
        row_of.id,
        row_of.question_id,
        row_of.position,
        func.substr(row_of.question, 1, PREVIEW),
        type_coerce(row_of.keywords, String),
        row_of.finished,
        row_of.has_template,
        row_of.template_valid,
        col(row_of.question_rubric).is_not(None),
        row_of.revision,
        row_of.updated_at,
        row_of.id_set,
        row_of.changed_since_review,
        row_of.finished_at,
        row_of.samples,
        row_of.samples_wrong,
        row_of.samples_unread,
        row_of.mutation,
        row_of.finished_by,
        row_of.returned_at,
        func.coalesce(func.json_extract(type_coerce(row_of.author, String), "$.name"), ""),
    ).order_by(row_of.position, row_of.id)


def summary_of(row: Any) -> QuestionSummary:
    number, question_id, position, text, keywords, *rest = row
    return QuestionSummary(number, question_id, position, text, parse_keywords(keywords), *rest)


def parse_keywords(keywords: str) -> tuple[str, ...]:
    return tuple(map(str, orjson.loads(keywords)))


def conditions(filters: QuestionFilter) -> list[ColumnElement[bool]]:
    clauses: list[ColumnElement[bool]] = []
    if filters.numbers is not None:
        clauses.append(among(row_of.id, filters.numbers))
    if filters.has_template is not None:
        clauses.append(col(row_of.has_template) == filters.has_template)
    if filters.unchecked:
        clauses.append(or_(col(row_of.template_valid).is_(None), col(row_of.samples_wrong).is_(None)))
    return clauses
