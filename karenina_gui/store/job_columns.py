"""All jobs of a run as columns, for charts and statistics that need no objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import String, and_, type_coerce
from sqlmodel import Session, col, func, select

from karenina_gui.schemas.job_table import JobTable
from karenina_gui.schemas.rubric.types import TRAIT_FIELDS
from karenina_gui.store import tables

LONGEST_TEXT = 200
"""Maximum characters of a question's text."""

OF_JOB = ("question_id", "answering", "condition", "judge", "replicate", "judge_replicate")
OF_RESULT = ("outcome", "category", "seconds", "tokens", "answer_tokens")

row_of, job_of = tables.ResultRow, tables.JobRow


def job_table(session: Session, run_id: int) -> JobTable:
    """Jobs of a run with their results, if any. An unknown run gives an empty table."""
    of_job = and_(col(row_of.run_id) == job_of.run_id, col(row_of.job_key) == job_of.key)
    columns: dict[str, Any] = {
        "result_id": row_of.id,
        **{name: getattr(job_of, name) for name in OF_JOB},
        **{name: getattr(row_of, name) for name in OF_RESULT},
        "traits": type_coerce(row_of.traits, String),
    }
    statement: Any = select(*columns.values()).join(tables.ResultRow, of_job, isouter=True)
    rows = session.execute(statement.where(job_of.run_id == run_id).order_by(col(job_of.position))).all()
    if not rows:
        return JobTable()
    # Many results share the same scores, so each distinct document is parsed once.
    values = dict(zip(columns, zip(*rows, strict=True), strict=True))
    documents = values.pop("traits")
    read = {text: json.loads(text) if text else {} for text in set(documents)}
    about = (row_of.question_id, func.substr(row_of.question_text, 1, LONGEST_TEXT), row_of.keywords)
    described = session.execute(select(*about).where(row_of.run_id == run_id).group_by(col(row_of.question_id))).all()
    texts = {question: text for question, text, _ in described}
    return JobTable(
        **values,
        traits=[read[text] for text in documents],
        texts=_texts_of(session, run_id, set(values["question_id"]) - texts.keys()) | texts,
        keywords={question: tuple(keywords) for question, _, keywords in described},
        requested=asked_traits(session, run_id),
    )


def _texts_of(session: Session, run_id: int, waiting: set[str]) -> dict[str, str]:
    """Texts of questions without a result, as the benchmark has them today."""
    if not waiting:
        return {}
    question_of = tables.QuestionRow
    of_run = select(tables.RunRow.benchmark_id).where(tables.RunRow.id == run_id).scalar_subquery()
    about = (question_of.question_id, func.substr(question_of.question, 1, LONGEST_TEXT))
    rows = session.execute(select(*about).where(question_of.benchmark_id == of_run).order_by(col(question_of.id))).all()
    return {question: text for question, text in rows if question in waiting}


def asked_traits(session: Session, run_id: int) -> dict[str, frozenset[str]]:
    """Traits by question, scored or not, from its last result without an error.

    All results of a question have the same rubric. Where none of them tells, it is the rubric that the benchmark has
    today. Left out: questions that it no longer has.
    """
    last_results = select(func.max(row_of.id)).where(row_of.run_id == run_id, row_of.outcome != "error")
    names = func.json_extract(tables.PayloadRow.document, "$.rubric.trait_scales")
    statement: Any = select(row_of.question_id, names).join(
        tables.PayloadRow, col(tables.PayloadRow.result_id) == row_of.id
    )
    rows = session.execute(statement.where(col(row_of.id).in_(last_results.group_by(col(row_of.question_id))))).all()
    recorded = {question: frozenset(json.loads(text)) for question, text in rows if text}
    ran = set(session.exec(select(job_of.question_id).where(job_of.run_id == run_id).distinct()))
    return _traits_of_today(session, run_id, ran - recorded.keys()) | recorded


def _traits_of_today(session: Session, run_id: int, questions: set[str]) -> dict[str, frozenset[str]]:
    if not questions:
        return {}
    question_of, benchmark_of = tables.QuestionRow, tables.BenchmarkRow
    of_run = select(tables.RunRow.benchmark_id).where(tables.RunRow.id == run_id).scalar_subquery()
    shared = session.scalar(select(type_coerce(benchmark_of.rubric, String)).where(benchmark_of.id == of_run))
    columns = (question_of.question_id, type_coerce(question_of.question_rubric, String))
    own = select(*columns).where(question_of.benchmark_id == of_run, col(question_of.deleted_at).is_(None))
    of_all = _names_in(shared)
    # One after the other: a large benchmark has megabytes of rubrics.
    return {question: of_all | _names_in(text) for question, text in session.execute(own) if question in questions}


def _names_in(rubric: str | None) -> frozenset[str]:
    """Names of all traits in a stored rubric; empty if `rubric` is None."""
    stored: Mapping[str, Any] = (json.loads(rubric) if rubric else None) or {}
    return frozenset(str(trait["name"]) for kind in TRAIT_FIELDS for trait in stored.get(kind) or ())
