"""Answers in the results of a benchmark's runs, with what its judges said about them."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlmodel import col, func

from karenina_gui.store import tables
from karenina_gui.store.database import Database
from karenina_gui.store.question_summaries import among

MOST = 5_000
"""Latest results that are read: the documents of many runs take seconds to load."""
_PARTS = (
    "$.template.raw_llm_response",
    "$.template.parsed_llm_response",
    "$.rubric.llm_trait_scores",
    "$.rubric.llm_trait_labels",
    "$.rubric.regex_trait_scores",
    "$.deep_judgment_rubric.rubric_trait_reasoning",
    "$.deep_judgment.attribute_reasoning",
)


@dataclass(frozen=True)
class AnswerInResult:
    """Answer of one result."""

    question_id: str
    run: str
    """Name of its run."""
    benchmark_hash: str
    """Snapshot of the benchmark as it ran."""
    model: str
    judge: str | None
    text: str
    values: dict[str, Any]
    """Extracted values by field."""
    scores: dict[str, Any]
    """Scores by trait, for traits that a judge or a pattern decides."""
    labels: dict[str, str]
    """Class names by trait."""
    reasons: dict[str, str]
    """Reasons of the judge by trait."""
    field_reasons: dict[str, str]
    """Reasons of the judge by field."""


class AnswersInResults:
    """Reads answers of results."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def latest(self, benchmark_id: int, question_ids: Collection[str], most: int = MOST) -> list[AnswerInResult]:
        """Answers to these questions in the latest results of all runs that are not deleted."""
        row, run, bulk = tables.ResultRow, tables.RunRow, tables.PayloadRow
        about: tuple[Any, ...] = (row.question_id, run.name, run.benchmark_hash, row.answering, row.judge)
        statement: Any = (
            select(*about, func.json_extract(func.expand(bulk.document), *_PARTS))
            .select_from(row)
            .join(run, col(run.id) == col(row.run_id))
            .join(bulk, col(bulk.result_id) == col(row.id))
            .where(col(run.benchmark_id) == benchmark_id, col(run.deleted_at).is_(None))
            .where(among(row.question_id, question_ids))
            .order_by(col(row.id).desc())
            .limit(most)
        )
        with self._database.reading() as session:
            rows = session.execute(statement).all()
        answers = []
        # One JSON list instead of a column each: SQLite would parse the whole document once for every path.
        for question_id, name, snapshot, model, judge, written in rows:
            text, values, scores, labels, patterns, reasons, field_reasons = json.loads(written)
            if text:
                scores = {**(scores or {}), **(patterns or {})}
                parts = (values or {}, scores, labels or {}, reasons or {}, field_reasons or {})
                answers.append(AnswerInResult(question_id, name, snapshot, model, judge, text, *parts))
        return answers
