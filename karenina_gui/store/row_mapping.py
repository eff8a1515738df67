"""Conversion between table rows and benchmark documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Row
from sqlmodel import Session, col, select

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import EditableQuestion, Question, question_fingerprint
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, sample_answers
from karenina_gui.store import tables
from karenina_gui.store.database import now

DOCUMENT_FIELDS = (
    "name",
    "description",
    "version",
    "creator",
    "date_created",
    "date_modified",
    "rubric",
    "custom_properties",
    "scenarios",
    "source",
)
"""Document fields other than the questions. Columns have the same names."""

_QUESTION_FIELDS = tuple(name for name in Question.model_fields if name != "id")
ENTRY_COLUMNS = [
    getattr(tables.QuestionRow, name)
    for name in ("id", "question_id", *_QUESTION_FIELDS, "finished", "changed_since_review", "reviewed_hash", "source")
]
"""Columns for `entry_of`."""


def benchmark_row(session: Session, benchmark_id: int) -> tables.BenchmarkRow:
    """Row of a benchmark. Raises `NotFoundError` if it is missing or deleted."""
    row = session.get(tables.BenchmarkRow, benchmark_id)
    if row is None or row.deleted_at is not None:
        raise _no_benchmark(benchmark_id)
    return row


def require_benchmark(session: Session, benchmark_id: int) -> None:
    """Raise `NotFoundError` if the benchmark is missing or deleted, without loading its document."""
    row = tables.BenchmarkRow
    if session.exec(select(row.id).where(row.id == benchmark_id, col(row.deleted_at).is_(None))).first() is None:
        raise _no_benchmark(benchmark_id)


def _no_benchmark(benchmark_id: int) -> NotFoundError:
    return NotFoundError(f"Benchmark {benchmark_id} doesn’t exist. It may have been deleted.")


def present() -> ColumnElement[bool]:
    """SQL condition: the question is not deleted."""
    return col(tables.QuestionRow.deleted_at).is_(None)


def touch(row: tables.BenchmarkRow) -> str:
    """Mark the benchmark as edited now and return the time."""
    row.revision += 1
    # Local time without a zone, as karenina writes it in checkpoints; `updated_at` is in UTC and sorts.
    row.date_modified = datetime.now().isoformat()
    row.updated_at = now()
    return row.updated_at


def document_columns(document: BenchmarkDocument) -> dict[str, Any]:
    fields = document.model_dump(mode="json", include=set(DOCUMENT_FIELDS) - {"rubric"})
    return {**fields, "rubric": None if document.rubric is None else document.rubric.model_dump(mode="json")}


def question_row(benchmark_id: int, position: int, entry: BenchmarkEntry) -> tables.QuestionRow:
    """Unsaved row for a new question."""
    return tables.QuestionRow(**new_question_columns(benchmark_id, position, entry))


def new_question_columns(benchmark_id: int, position: int, entry: BenchmarkEntry) -> dict[str, Any]:
    """Columns of a new question, but for those at their defaults."""
    return {
        "benchmark_id": benchmark_id,
        "position": position,
        "question_id": entry.id,
        "id_set": entry.id not in ("", question_fingerprint(entry.question.question)),
        "finished": entry.finished,
        "changed_since_review": entry.finished and entry.changed_since_review,
        "reviewed_hash": entry.reviewed_hash if entry.finished and entry.changed_since_review else None,
        "source": entry.source,
        "updated_at": now(),
        **question_columns(entry.question),
    }


def question_columns(question: Question) -> dict[str, Any]:
    written = not is_default_template(question.answer_template)
    fields = question.model_dump(mode="json", include=set(_QUESTION_FIELDS))
    return {**fields, "has_template": written, "samples": len(sample_answers(question))}


def tested_columns(row: tables.QuestionRow, columns: dict[str, Any]) -> dict[str, Any]:
    """Columns about tests of the template that an edit to these `columns` makes outdated."""
    template = columns["answer_template"] != row.answer_template
    before, after = ((data or {}).get(SAMPLE_ANSWERS) for data in (row.custom_metadata, columns["custom_metadata"]))
    # Trying wrong values depends on the template alone, samples on both.
    outdated: dict[str, Any] = {"template_valid": None, "mutation": None} if template else {}
    if template or before != after:
        outdated |= {"samples_wrong": None, "samples_unread": None}
    return outdated


REVIEWED = ("question", "raw_answer", "answer_template", "question_rubric", "workspace_path", "few_shot_examples")
"""Columns that a reviewer looks at; edits of the others, such as keywords and notes, need no new review."""


NOT_CHANGED: dict[str, Any] = {"changed_since_review": False, "reviewed_hash": None}
"""Columns of a question that is as it was reviewed, or not finished."""
REVIEW = ("finished_at", "finished_by", *NOT_CHANGED)
"""Columns about the review of a finished question."""


def review_after(row: tables.QuestionRow, columns: dict[str, Any], finished: bool) -> dict[str, Any]:
    """Columns about the review of a question after an edit."""
    if finished != row.finished:
        mark = {"finished": finished, "finished_at": now() if finished else None, "finished_by": None}
        return {**mark, "returned_at": None, **NOT_CHANGED}
    if not finished:
        return NOT_CHANGED
    before = {name: getattr(row, name) for name in (*REVIEWED, *NOT_CHANGED)}
    return change_since_review(before, columns)


def change_since_review(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Columns about edits since its review of a question that stays finished.

    `before`: `REVIEWED` columns and those of `NOT_CHANGED`; `after`: `REVIEWED` columns.
    """
    # The parts as reviewed are known by their hash from the first edit on, so that an edit taken back clears the mark.
    # A question marked before such hashes were kept stays marked until it is reviewed.
    reviewed = before["reviewed_hash"] if before["changed_since_review"] else _review_hash(before)
    if reviewed == _review_hash(after):
        return NOT_CHANGED
    return {"changed_since_review": True, "reviewed_hash": reviewed}


def _review_hash(columns: Mapping[str, Any]) -> str:
    # With keys in their order, because a trait's classes are scored by position.
    parts = json.dumps([columns[name] for name in REVIEWED], default=str)
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def entry_of(row: tables.QuestionRow | Row[Any]) -> BenchmarkEntry:
    """Question of a row, or of its `ENTRY_COLUMNS`."""
    fields = {name: getattr(row, name) for name in _QUESTION_FIELDS}
    schema = Question if row.question_id else EditableQuestion
    question = schema.model_validate({**fields, "id": row.question_id})
    return BenchmarkEntry(
        question=question,
        finished=row.finished,
        changed_since_review=row.changed_since_review,
        reviewed_hash=row.reviewed_hash,
        source=row.source,
    )


def changed_question(question: Question, changes: dict[str, Any], question_id: str) -> Question:
    """The question with these changes and this id. Raises `InputError` that names the field and the problem."""
    fields = question.model_dump() | changes | {"id": question_id, "date_modified": datetime.now().isoformat()}
    schema = Question if question_id else EditableQuestion
    try:
        return schema.model_validate(fields)
    except ValidationError as error:
        raise InputError(first_problem(error)) from error
