"""Results in the library: one row a job, with columns to filter and sort by, and the whole result beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, exists, func, or_, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.outcome import Outcome, outcome_of
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.summaries import (
    Neighbours,
    ResultFilter,
    ResultPage,
    ResultSort,
    ResultSummary,
    SortKey,
    StoredResult,
)
from karenina_gui.store import tables
from karenina_gui.store.database import Database
from karenina_gui.store.questions import holds

CHUNK = 200
"""Results that are in memory at the same time during an export."""

row_of = tables.Result
_SORTED_BY: dict[SortKey, Any] = {
    "position": row_of.position,
    "question": func.casefold(row_of.question_text),
    "answering": row_of.answering,
    "judge": row_of.judge,
    "replicate": row_of.replicate,
    "outcome": row_of.outcome,
    "category": row_of.category,
    "seconds": row_of.seconds,
    "tokens": row_of.tokens,
}
_BULK = tuple(
    f"$.{place}"
    for place in ("template.raw_llm_response", "template.trace_messages", "template.conversation_context", "rubric")
)
_SHOWN = tuple(ResultSummary.__dataclass_fields__)
"""Columns of a light row; they have the names of its fields."""


class Results:
    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self, run_id: int, wanted: ResultFilter | None = None, sort: ResultSort | None = None,
        offset: int = 0, limit: int | None = None,
    ) -> ResultPage:  # fmt: skip
        """Light rows of a run that pass the filter (None: all), from `offset`, at most `limit` (None: all)."""
        conditions = _conditions(run_id, wanted or ResultFilter())
        rows = _light().where(*conditions).order_by(*_order(sort or ResultSort())).offset(offset).limit(limit)
        with self._database.reading() as session:
            total = session.exec(select(func.count()).select_from(tables.Result).where(*conditions)).one()
            return ResultPage([_summary(row) for row in session.execute(rows).all()], total)

    def get(self, result_id: int) -> StoredResult:
        """Errors: `NotFoundError`."""
        with self._database.reading() as session:
            light = session.execute(_light().where(row_of.id == result_id)).first()
            row = session.get(tables.Result, result_id)
        if light is None or row is None:
            raise NotFoundError(f"There is no result number {result_id} here. Its run may have been deleted.")
        return StoredResult(_summary(light), VerificationResult.model_validate(row.payload))

    def grounds(self, result_ids: Sequence[int]) -> dict[int, VerificationResult]:
        """These results by id, without conversation and traits: enough to say why they came out so."""
        payload = func.json_remove(row_of.payload, *_BULK)
        wanted = select(row_of.id, payload).where(col(row_of.id).in_(result_ids))
        with self._database.reading() as session:
            rows = session.execute(wanted).all()
        return {number: VerificationResult.model_validate_json(text) for number, text in rows}

    def neighbours(
        self, run_id: int, result_id: int, wanted: ResultFilter | None = None, sort: ResultSort | None = None
    ) -> Neighbours:
        """The results before and after this one, as the table with this filter and order shows them."""
        order = _order(sort or ResultSort())
        placed = (
            select(  # type: ignore[call-overload]
                row_of.id,
                func.lag(row_of.id).over(order_by=order).label("before"),
                func.lead(row_of.id).over(order_by=order).label("after"),
                func.row_number().over(order_by=order).label("number"),
                func.count().over().label("total"),
            )
            .where(*_conditions(run_id, wanted or ResultFilter()))
            .subquery()
        )
        with self._database.reading() as session:
            found = session.execute(select(placed).where(placed.c.id == result_id)).first()
        return Neighbours() if found is None else Neighbours(found.before, found.after, found.number, found.total)

    def each(self, run_id: int, wanted: ResultFilter | None = None) -> Iterator[VerificationResult]:
        """Whole results in the run's stable order, a few in memory at a time."""
        last = -1
        while True:
            chunk = (
                select(row_of.position, row_of.payload)
                .where(*_conditions(run_id, wanted or ResultFilter()), col(row_of.position) > last)
                .order_by(col(row_of.position))
                .limit(CHUNK)
            )
            with self._database.reading() as session:
                rows = session.exec(chunk).all()
            yield from (VerificationResult.model_validate(payload) for _, payload in rows)
            if len(rows) < CHUNK:
                return
            last = rows[-1][0]


def upsert(session: Session, job: tables.Job, result: VerificationResult) -> tuple[str | None, tables.Result]:
    """Write the result of this job; returns the outcome that it replaces (None: it is the first) and the row."""
    row = session.exec(select(tables.Result).where(row_of.run_id == job.run_id, row_of.job_key == job.key)).first()
    before = None if row is None else row.outcome
    columns = _columns(job, result)
    if row is None:
        row = tables.Result(**columns)
    else:
        row.sqlmodel_update(columns)
    session.add(row)
    return before, row


def _columns(job: tables.Job, result: VerificationResult) -> dict[str, Any]:
    metadata = result.metadata
    failure = metadata.failure
    return {
        "run_id": job.run_id,
        "job_key": job.key,
        "position": job.position,
        "question_id": job.question_id,
        "question_text": metadata.question_text,
        "keywords": list(metadata.keywords or ()),
        "answering": job.answering,
        "judge": job.judge,
        "replicate": job.replicate,
        "outcome": outcome_of(result),
        "passed": result.passed,
        "category": failure.category if failure else None,
        "stage": failure.stage if failure else None,
        "error": result.error,
        "seconds": metadata.execution_time,
        "tokens": _tokens(result),
        "recording_label": result.recording_label,
        "traits": _traits(result),
        "payload": result.model_dump(mode="json"),
    }


def _tokens(result: VerificationResult) -> int | None:
    usage = (result.template.usage_metadata if result.template else None) or {}
    total = (usage.get("total") or {}).get("total_tokens")
    return None if total is None else int(total)


def _traits(result: VerificationResult) -> dict[str, bool | int | float]:
    rubric = result.rubric
    if rubric is None:
        return {}
    kinds = (
        rubric.llm_trait_scores,
        rubric.regex_trait_scores,
        rubric.callable_trait_scores,
        rubric.agentic_trait_scores,
    )
    return {
        name: score
        for scores in kinds
        for name, score in (scores or {}).items()
        if isinstance(score, bool | int | float)
    }


def _light() -> Any:
    return select(*(getattr(row_of, name) for name in _SHOWN))


def _summary(row: Any) -> ResultSummary:
    fields = dict(zip(_SHOWN, row, strict=True))
    return ResultSummary(
        **{**fields, "keywords": tuple(fields["keywords"]), "outcome": cast(Outcome, fields["outcome"])}
    )


def _order(sort: ResultSort) -> list[Any]:
    column = _SORTED_BY[sort.key]
    return [column.desc() if sort.descending else column, row_of.position]


def _conditions(run_id: int, wanted: ResultFilter) -> list[ColumnElement[bool]]:
    conditions: list[Any] = [row_of.run_id == run_id]
    if needle := wanted.text.strip().casefold():
        searched = (row_of.question_text, row_of.question_id, row_of.answering, row_of.error)
        conditions.append(or_(*(func.instr(func.casefold(column), needle) > 0 for column in searched)))
    if wanted.outcomes:
        conditions.append(col(row_of.outcome).in_(wanted.outcomes))
    if wanted.keyword is not None:
        conditions.append(holds(row_of.keywords, wanted.keyword))
    if wanted.trait is not None:
        scores = func.json_each(row_of.traits).table_valued("key", "type")
        scored: list[Any] = [scores.c.key == wanted.trait]
        if wanted.trait_is is not None:
            scored.append(scores.c.type == ("true" if wanted.trait_is else "false"))
        conditions.append(exists(select(1).select_from(scores).where(*scored)))
    for name in ("answering", "judge", "replicate", "question_id", "category"):
        if (value := getattr(wanted, name)) is not None:
            conditions.append(getattr(row_of, name) == value)
    return conditions
