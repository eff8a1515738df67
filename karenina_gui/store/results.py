"""Result table: one row for each job with columns for filters and sorting; documents lie in a table of their own."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from sqlalchemy import String, and_, case, delete, type_coerce
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.types import NullType
from sqlmodel import Session, col, func, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.extraction import in_order
from karenina_gui.schemas.outcome import Outcome, outcome_of, reason_of, traits_worth_another_try
from karenina_gui.schemas.prices import ModelTokens, Spending
from karenina_gui.schemas.result import TraitScale, VerificationResult
from karenina_gui.schemas.result_summaries import (
    GroupKey,
    Neighbours,
    QuestionPage,
    QuestionResults,
    QuestionSort,
    ResultFilter,
    ResultGroup,
    ResultPage,
    ResultSort,
    ResultSummary,
    StoredResult,
)
from karenina_gui.schemas.usage import ANSWERING, TOTAL, spending_of
from karenina_gui.store import counts as counting, tables
from karenina_gui.store.compression import expand
from karenina_gui.store.database import Database
from karenina_gui.store.question_ids import results_of_question
from karenina_gui.store.question_summaries import among
from karenina_gui.store.result_filters import (
    conditions,
    failed_fields,
    looks_into_texts,
    only_by_trait,
    order,
    sought,
    until,
    with_trait,
)
from karenina_gui.store.run_state import state_of

if TYPE_CHECKING:
    from karenina_gui.schemas.job_table import JobTable

MOST_SORTED = 8
"""Orders of questions in memory."""
MOST_GROUPS = 500
"""Maximum number of groups of results."""
MOST_SEARCHED = 20_000
"""Jobs of the largest run whose answers and reasons are searched, which takes a second."""
CHUNK = 200
"""Results in memory at the same time during an export."""

row_of = tables.ResultRow
bulk_of = tables.PayloadRow
_BULK = tuple(
    f"$.{path}"
    for path in ("template.raw_llm_response", "template.trace_messages", "template.conversation_context", "rubric")
)
_SUMMARY_COLUMNS = tuple(ResultSummary.__dataclass_fields__)
"""Columns of a result summary, named like its fields."""


class Results:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._sorted: OrderedDict[tuple[Any, ...], tuple[list[Any], list[str]]] = OrderedDict()
        """Latest results of `_question_ids` with the state of the run: a large table asks again for each page."""

    def page(
        self,
        run_id: int,
        filters: ResultFilter | None = None,
        sort: ResultSort | None = None,
        offset: int = 0,
        limit: int | None = None,
        last: int | None = None,
    ) -> ResultPage:
        """Summaries of results that pass the filter (None: all), from `offset`, at most `limit` (None: all).

        `last`: greatest result id to include (see `RunCounts.last`); None: no limit.
        """
        query = _PageQuery(run_id, filters or ResultFilter(), sort or ResultSort(), offset, limit, last)
        with self._database.reading() as session:
            these, total = _page_ids(session, query)
            # The filter reads an index only; complete rows are read for this page alone.
            rows = _select_summaries().where(among(row_of.id, these)).order_by(*order(query.sort))
            return ResultPage([_summary(row) for row in session.execute(rows).all()], total)

    def tally(self, run_id: int) -> tuple[dict[Outcome, int], int]:
        """Number of results by outcome, and the greatest result id (0: no results), read in one transaction."""
        with self._database.reading() as session:
            return counting.tally(session, run_id)

    def unread(self, run_id: int) -> dict[str, int]:
        """Number of results that failed without a text to judge, by reason, as `outcome.no_message_of`."""
        invalid = case((col(row_of.category) == "trace_validation", "Last message in trace is not an AI message"))
        reason = func.coalesce(func.json_extract(func.expand(bulk_of.document), "$.trace_extraction_error"), invalid)
        statement: Any = (
            select(reason, func.count())
            .select_from(row_of)
            .join(tables.PayloadRow, col(tables.PayloadRow.result_id) == col(row_of.id))
            .where(row_of.run_id == run_id, col(row_of.outcome).in_(("wrong", "autofail")), reason.is_not(None))
            .group_by(reason)
        )
        with self._database.reading() as session:
            rows: Any = session.execute(statement).all()
        return dict(rows)

    def trait_names(self, run_id: int) -> list[str]:
        """Names of all traits with a score in the run, in the order in which its results list them."""
        with self._database.reading() as session:
            return counting.trait_names(session, run_id)

    def global_traits(self, run_id: int) -> frozenset[str]:
        """Names of the scored traits that belonged to the whole benchmark when the run was executed."""
        documents = select(type_coerce(row_of.traits, String), func.min(row_of.id)).where(row_of.run_id == run_id)
        provenance = func.json_extract(func.expand(bulk_of.document), "$.rubric.trait_provenance")
        with self._database.reading() as session:
            with_trait: dict[str, int] = {}
            for text, number in session.execute(documents.group_by(col(row_of.traits))).all():
                with_trait = {name.partition(".")[0]: number for name in json.loads(text)} | with_trait
            origins = session.scalars(
                select(provenance).where(among(bulk_of.result_id, set(with_trait.values())))
            ).all()
        recorded = (json.loads(text) for text in origins if text)
        return frozenset(name for origin in recorded for name, source in origin.items() if source == "global")

    def scales(self, run_id: int, names: Sequence[str]) -> dict[str, TraitScale]:
        """Scales of these traits, as recorded in results of the run. Traits without a recorded scale are left out."""
        scales: dict[str, TraitScale] = {}
        with self._database.reading() as session:
            for name in names:
                if name not in scales:
                    scales |= counting.scales_beside(session, run_id, name)
        return scales

    def scales_of(self, result_ids: Sequence[int]) -> dict[str, TraitScale]:
        """Scales of the traits in these results of one run."""
        with self._database.reading() as session:
            return counting.scales_of(session, result_ids)

    def table(self, run_id: int) -> JobTable:
        """All jobs of a run as columns, including jobs without a result."""
        from karenina_gui.store.job_columns import read_job_table  # imports NumPy

        return read_job_table(self._database.path, run_id)

    def spending(self, run_id: int) -> Spending:
        """Token totals of a run by model."""
        with self._database.reading() as session:
            return counting.spending(session, run_id)

    def questions(
        self,
        run_id: int,
        sort: QuestionSort,
        offset: int,
        limit: int,
        last: int | None = None,
    ) -> QuestionPage:
        """All results of a page of questions: at most `limit` questions from `offset` in this order.

        `last`: as in `page`.
        """
        with self._database.reading() as session:
            ids = self._question_ids(session, run_id, sort, last)
            shown_ids = ids[offset : offset + limit]
            of_questions = (row_of.run_id == run_id, among(row_of.question_id, shown_ids), *until(last))
            # `+ 0` keeps SQLite from scanning the run in order; the index by question is faster here.
            rows = _select_summaries().where(*of_questions).order_by(row_of.position + 0)
            summaries = [_summary(row) for row in session.execute(rows).all()]
            return QuestionPage(shown_ids, summaries, len(ids), counting.models(session, run_id))

    def _question_ids(self, session: Session, run_id: int, sort: QuestionSort, last: int | None) -> list[str]:
        connection: Any = session.connection().connection.driver_connection
        key, state = (run_id, sort, last), state_of(connection, run_id)
        latest = self._sorted.get(key)
        if latest is None or latest[0] != state:
            latest = state, counting.question_ids(session, run_id, sort, last)
        self._sorted[key] = latest
        while len(self._sorted) > MOST_SORTED:
            self._sorted.popitem(last=False)
        return latest[1]

    def groups(self, run_id: int, filters: ResultFilter, by: GroupKey) -> list[ResultGroup]:
        """Results that pass the filter, by the values of another filter; at most `MOST_GROUPS`.

        Questions are in the run's order, others by size. Results without a value are left out.
        """
        passed = func.sum(case((col(row_of.outcome) == "passed", 1), else_=0))
        with self._database.reading() as session:
            passing = _passing(session, run_id, replace(filters, **dict[str, Any]({by: None})))
            if by == "failed_field":
                fields = failed_fields(run_id)
                value, passing = fields.c.field, [*passing, fields.c.id == row_of.id]
            else:
                value = getattr(row_of, by)
            of_run = by == "question_id"
            groups = select(value, func.count(), passed, func.min(row_of.id)).select_from(tables.ResultRow)
            counted = groups.where(*passing, value.is_not(None)).group_by(value)
            ordered = counted.order_by(func.min(row_of.position) if of_run else func.count().desc()).limit(MOST_GROUPS)
            rows = session.execute(ordered).all()
            texts = dict(_question_texts(session, [first for *_, first in rows])) if of_run else {}
            return [ResultGroup(key, texts.get(first, key), number, right) for key, number, right, first in rows]

    def get(self, result_id: int) -> StoredResult:
        """A complete result. Raises `NotFoundError`."""
        with self._database.reading() as session:
            light = session.execute(_select_summaries().where(row_of.id == result_id)).first()
            bulk = session.get(tables.PayloadRow, result_id)
        if light is None or bulk is None:
            raise NotFoundError(f"Result {result_id} doesn’t exist. Its run may have been deleted.")
        return StoredResult(_summary(light), VerificationResult.model_validate_json(bulk.document))

    def grounds(self, result_ids: Sequence[int]) -> dict[int, VerificationResult]:
        """Results by id without trace and traits: enough to explain their verdicts."""
        document = func.json_remove(func.expand(bulk_of.document), *_BULK)
        statement = select(bulk_of.result_id, document).where(among(bulk_of.result_id, result_ids))
        with self._database.reading() as session:
            rows = session.execute(statement).all()
        return {number: VerificationResult.model_validate_json(text) for number, text in rows}

    def neighbours(
        self, run_id: int, result_id: int, filters: ResultFilter | None = None, sort: ResultSort | None = None
    ) -> Neighbours:
        """The results before and after this one, in the table with this filter and order."""
        ids = self._ids(run_id, filters, sort)
        try:
            index = ids.index(result_id)
        except ValueError:
            return Neighbours()
        before, after = ids[index - 1 : index], ids[index + 1 : index + 2]
        return Neighbours(before[0] if before else None, after[0] if after else None, index + 1, len(ids))

    def each(
        self, run_id: int, filters: ResultFilter | None = None, sort: ResultSort | None = None
    ) -> Iterator[VerificationResult]:
        """Complete results in table order, read in chunks of `CHUNK`."""
        return self.read(self._ids(run_id, filters, sort))

    def count_and_ids(
        self, run_id: int, filters: ResultFilter | None = None, sort: ResultSort | None = None
    ) -> tuple[tuple[int, int], list[int]]:
        """Number of results, and of those without a failure; and their ids in table order."""
        by = order(sort or ResultSort())
        succeeded = func.sum(case((and_(col(row_of.outcome) != "error", col(row_of.category).is_(None)), 1), else_=0))
        with self._database.reading() as session:
            passing = _passing(session, run_id, filters or ResultFilter())
            number = session.execute(select(succeeded).select_from(row_of).where(*passing)).scalar_one() or 0
            ids = list(session.scalars(_select_ids(passing, by)))
        return (len(ids), number), ids

    def read(self, ids: Sequence[int]) -> Iterator[VerificationResult]:
        """Complete results with these ids, read in chunks of `CHUNK`; deleted ones are left out."""
        for documents in self.read_stored(ids):
            yield from map(VerificationResult.model_validate_json, map(expand, documents))

    def read_stored(self, ids: Sequence[int]) -> Iterator[list[bytes | str]]:
        """Chunks of documents as they are stored, for `compression.expand`."""
        for start in range(0, len(ids), CHUNK):
            some = ids[start : start + CHUNK]
            document = type_coerce(bulk_of.document, NullType())
            chunk = select(bulk_of.result_id, document).where(among(bulk_of.result_id, some))
            with self._database.reading() as session:
                documents: dict[Any, bytes | str] = dict(tuple(row) for row in session.execute(chunk))
            yield [documents[number] for number in some if number in documents]

    def of_question(self, benchmark_id: int, question_id: str) -> QuestionResults:
        """Results of the benchmark's runs that refer to this id."""
        with self._database.reading() as session:
            return results_of_question(session, benchmark_id, question_id)

    def usage_of_benchmark(self, benchmark_id: int, most: int) -> list[tuple[dict[str, Any], float]]:
        """(`usage_metadata`, seconds) of the latest results of a benchmark without errors, at most `most`.

        Includes runs that played back recordings.
        """
        usage = func.json_extract(func.expand(tables.PayloadRow.document), "$.template.usage_metadata")
        statement: Any = (
            select(usage, row_of.seconds)
            .join(tables.PayloadRow, col(tables.PayloadRow.result_id) == col(row_of.id))
            .join(tables.RunRow, col(tables.RunRow.id) == col(row_of.run_id))
            .where(tables.RunRow.benchmark_id == benchmark_id, row_of.outcome != "error")
            .order_by(col(row_of.id).desc())
            .limit(most)
        )
        with self._database.reading() as session:
            rows = session.execute(statement).all()
        return [(json.loads(text), seconds) for text, seconds in rows if text]

    def _ids(self, run_id: int, filters: ResultFilter | None = None, sort: ResultSort | None = None) -> list[int]:
        """Ids of the results that pass the filter, in table order."""
        with self._database.reading() as session:
            passing = _passing(session, run_id, filters or ResultFilter())
            return list(session.scalars(_select_ids(passing, order(sort or ResultSort()))))


@dataclass(frozen=True)
class _PageQuery:
    run_id: int
    filters: ResultFilter
    sort: ResultSort
    offset: int
    limit: int | None
    last: int | None


def _page_ids(session: Session, query: _PageQuery) -> tuple[list[int], int]:
    """Result ids of a page, and the number of results that pass the filter."""
    run_id, filters, offset, limit = query.run_id, query.filters, query.offset, query.limit
    passing, by = [*_passing(session, run_id, filters), *until(query.last)], order(query.sort)
    if limit is not None and query.sort.key == "position" and only_by_trait(filters) and query.last is None:
        total = _count(session, with_trait(run_id, filters, in_order=False))
        last = session.exec(select(func.max(row_of.position)).where(row_of.run_id == run_id)).one() or 0
        # If matches are spread evenly, a scan in order reads (offset + limit) * last / total rows until the page is
        # full, while the index returns `total` rows to sort.
        if (offset + limit) * last <= total * total:
            passing = with_trait(run_id, filters, in_order=True)
            return list(session.scalars(_select_ids(passing, by).offset(offset).limit(limit))), total
    if looks_into_texts(filters):
        # Searching texts is slow, so one search serves both the page and the total.
        ids = list(session.scalars(_select_ids(passing, by)))
        return ids[offset:][:limit], len(ids)
    return list(session.scalars(_select_ids(passing, by).offset(offset).limit(limit))), _count(session, passing)


def _passing(session: Session, run_id: int, filters: ResultFilter) -> list[Any]:
    """Conditions of the filter; documents are searched if there are few enough."""
    if not filters.text.strip():
        return conditions(run_id, filters)
    total = session.exec(select(tables.RunRow.total).where(tables.RunRow.id == run_id)).one_or_none() or 0
    return conditions(run_id, filters, documents=total <= MOST_SEARCHED)


def _question_texts(session: Session, result_ids: Sequence[int]) -> list[Any]:
    return [*session.execute(select(row_of.id, row_of.question_text).where(among(row_of.id, result_ids))).all()]


def _select_ids(passing: Sequence[Any], by: Sequence[Any]) -> Any:
    return select(row_of.id).where(*passing).order_by(*by)


def _count(session: Session, passing: Sequence[Any]) -> int:
    return session.exec(select(func.count()).select_from(tables.ResultRow).where(*passing)).one()


def upsert(session: Session, job: tables.JobRow, result: VerificationResult) -> tuple[str | None, tables.ResultRow]:
    """Save the result of this job. Returns the outcome that it replaces (None: it is the first) and the row."""
    row = session.exec(select(tables.ResultRow).where(row_of.run_id == job.run_id, row_of.job_key == job.key)).first()
    before = None if row is None else row.outcome
    columns = light_columns(job, result)
    if row is None:
        row = tables.ResultRow(**columns)
    else:
        row.sqlmodel_update(columns)
    session.add(row)
    session.flush()
    bulk = insert(tables.PayloadRow).values(result_id=row.id, document=document_of(result))
    session.execute(bulk.on_conflict_do_update(["result_id"], set_={"document": bulk.excluded.document}))
    assert row.id is not None
    session.execute(delete(tables.TokenCountRow).where(col(tables.TokenCountRow.result_id) == row.id))
    if used := token_counts(row.id, job.run_id, result):
        session.execute(insert(tables.TokenCountRow), used)
    return before, row


def token_counts(result_id: int, run_id: int, result: VerificationResult) -> list[dict[str, Any]]:
    """Token rows of a result by model and length; a row without a model marks calls without a token count."""
    spending = spending_of(result)
    here = {"result_id": result_id, "run_id": run_id}
    parts = [part for tokens in spending.tokens for part in tokens.parts or (tokens,)]
    rows: list[dict[str, Any]] = [asdict(part) for part in parts]
    if spending.untold:
        rows.append(asdict(ModelTokens("")) | {"model": None})
    return [here | {name: value for name, value in row.items() if name != "parts"} for row in rows]


def light_columns(job: tables.JobRow, result: VerificationResult) -> dict[str, Any]:
    """Values of a result's row."""
    metadata = result.metadata
    failure = metadata.failure
    methods = in_order(method for by_method in (result.extractions or {}).values() for method in by_method)
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
        "condition": job.condition,
        "judge_replicate": job.judge_replicate,
        "outcome": outcome_of(result),
        "passed": result.passed,
        "category": reason_of(result),
        "stage": failure.stage if failure else None,
        "error": result.error,
        "seconds": metadata.execution_time,
        "tokens": _tokens(result, TOTAL),
        "answer_tokens": _tokens(result, ANSWERING),
        "recording_label": result.recording_label,
        "traits": _traits(result),
        "unscored_traits": traits_worth_another_try(result),
        "out_of_scale": result.rubric.out_of_scale if result.rubric else [],
        "extraction": ", ".join(methods) or None,
        "sought": sought(metadata.question_text, job.question_id, job.answering, result.error),
    }


def document_of(result: VerificationResult) -> str:
    """JSON document of a result. NaN and infinity become null, which SQLite’s JSON functions accept."""
    document = result.model_dump(mode="json")
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(document), ensure_ascii=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _tokens(result: VerificationResult, step: str) -> int | None:
    usage = (result.template.usage_metadata if result.template else None) or {}
    entry = usage.get(step)
    tokens = entry.get("total_tokens") if isinstance(entry, dict) else None
    # Larger numbers overflow SQLite's integers or lose precision in JavaScript.
    return int(tokens) if isinstance(tokens, int | float) and abs(tokens) < 2**53 else None


def _traits(result: VerificationResult) -> dict[str, bool | int | float]:
    """Valid scores by trait name. Fields of a structured score are `trait.field`, metrics are `trait.metric`."""
    rubric = result.rubric
    if rubric is None:
        return {}
    outside, scores = set(rubric.out_of_scale), rubric.single_scores | rubric.metric_figures
    return {name: score for name, score in scores.items() if name not in outside and _is_finite_number(score)}


def _is_finite_number(score: Any) -> TypeGuard[bool | int | float]:
    # NaN cannot be sorted or averaged in SQL.
    return isinstance(score, bool | int) or (isinstance(score, float) and math.isfinite(score))


def _select_summaries() -> Any:
    return select(*(getattr(row_of, name) for name in _SUMMARY_COLUMNS))


def _summary(row: Any) -> ResultSummary:
    fields = dict(zip(_SUMMARY_COLUMNS, row, strict=True))
    return ResultSummary(
        **{**fields, "keywords": tuple(fields["keywords"]), "outcome": cast(Outcome, fields["outcome"])}
    )
