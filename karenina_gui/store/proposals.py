"""Drafts of models: open ones wait for their author, settled ones are kept for estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.model_draft import DraftKind, ModelDraft, Proposal, ProposalState
from karenina_gui.store import tables
from karenina_gui.store.database import Database, now
from karenina_gui.store.writes import persistent


@dataclass(frozen=True)
class DraftOrigin:
    """Subject and author of a draft; see `Proposal`."""

    benchmark_id: int
    number: int | None
    kind: DraftKind
    model: str
    instructions: str
    subject: str
    recording: str | None = None


class Proposals:
    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def add(self, origin: DraftOrigin, draft: ModelDraft) -> int:
        """Save a draft and return its id. It replaces an open one of the same kind about the same question."""
        with self._database.writing() as session:
            # Two open drafts about one question would leave its author to compare three templates.
            for earlier in session.exec(_select_open(origin.benchmark_id, origin.kind)):
                if earlier.question == origin.number:
                    session.delete(earlier)
            row = tables.ProposalRow(
                benchmark_id=origin.benchmark_id,
                question=origin.number,
                kind=origin.kind,
                model=origin.model,
                draft=draft.model_dump(mode="json"),
                instructions=origin.instructions,
                subject=origin.subject,
                recording=origin.recording,
                updated_at=now(),
            )
            session.add(row)
            session.flush()
            assert row.id is not None
            return row.id

    @persistent
    def set_state(self, proposal_id: int, state: ProposalState) -> Proposal:
        """Settle a proposal, or open it again. Raises `NotFoundError`."""
        with self._database.writing() as session:
            row = _row(session, proposal_id)
            row.state, row.updated_at = state, now()
            session.add(row)
            return _proposal(row)

    def get(self, proposal_id: int) -> Proposal:
        """Return a proposal. Raises `NotFoundError`."""
        with self._database.reading() as session:
            return _proposal(_row(session, proposal_id))

    def open(self, benchmark_id: int, kind: DraftKind) -> list[Proposal]:
        """Open proposals of a benchmark in the order of its questions, without those of deleted questions."""
        with self._database.reading() as session:
            rows = session.exec(_select_open(benchmark_id, kind)).all()
            places = {row.id: _position(session, row.question) for row in rows}
        present = [row for row in rows if places[row.id] is not None]
        return [_proposal(row) for row in sorted(present, key=lambda row: (places[row.id] or 0, row.id))]

    def open_ids(self, benchmark_id: int, kind: DraftKind) -> list[int]:
        """Ids of the proposals that `open` returns, without loading them."""
        row, question = tables.ProposalRow, tables.QuestionRow
        statement = select(row.id).outerjoin(question, col(question.id) == col(row.question))
        statement = statement.where(row.benchmark_id == benchmark_id, row.state == "open", row.kind == kind)
        statement = statement.where(col(question.deleted_at).is_(None)).order_by(col(question.position), col(row.id))
        with self._database.reading() as session:
            return [id_ for id_ in session.exec(statement) if id_ is not None]

    def open_of(self, benchmark_id: int, number: int | None, kind: DraftKind) -> Proposal | None:
        """Open proposal about a question, or about the benchmark; None if no proposal is open."""
        query = _select_open(benchmark_id, kind).where(col(tables.ProposalRow.question).is_not_distinct_from(number))
        with self._database.reading() as session:
            row = session.exec(query).first()
            return None if row is None else _proposal(row)

    def count_open(self, benchmark_id: int, kind: DraftKind) -> int:
        """Number of proposals that `open` returns."""
        row, question = tables.ProposalRow, tables.QuestionRow
        statement = select(func.count(col(row.id))).outerjoin(question, col(question.id) == col(row.question))
        statement = statement.where(row.benchmark_id == benchmark_id, row.state == "open", row.kind == kind)
        with self._database.reading() as session:
            return session.exec(statement.where(col(question.deleted_at).is_(None))).one()

    def recent(self, model: str, kind: DraftKind, most: int = 50) -> list[ModelDraft]:
        """The latest drafts of a model, of all benchmarks."""
        row = tables.ProposalRow
        query = select(row.draft).where(row.model == model, row.kind == kind).order_by(col(row.id).desc()).limit(most)
        with self._database.reading() as session:
            return [ModelDraft.model_validate(draft) for draft in session.exec(query)]


def _select_open(benchmark_id: int, kind: DraftKind) -> Any:
    row = tables.ProposalRow
    return select(row).where(row.benchmark_id == benchmark_id, row.state == "open", row.kind == kind)


def _position(session: Session, number: int | None) -> int | None:
    """Position of a question that is not deleted; -1 for the benchmark itself."""
    if number is None:
        return -1
    row = session.get(tables.QuestionRow, number)
    return None if row is None or row.deleted_at is not None else row.position


def _row(session: Session, proposal_id: int) -> tables.ProposalRow:
    row = session.get(tables.ProposalRow, proposal_id)
    if row is None:
        raise NotFoundError("This draft no longer exists. A newer one may have replaced it.")
    return row


_PLAIN = ("id", "benchmark_id", "kind", "state", "model", "instructions", "subject", "recording")
"""Fields of a proposal that have columns of the same name."""


def _proposal(row: tables.ProposalRow) -> Proposal:
    fields = {name: getattr(row, name) for name in _PLAIN}
    draft = ModelDraft.model_validate(row.draft)
    return Proposal(**fields, number=row.question, draft=draft, at=row.updated_at)
