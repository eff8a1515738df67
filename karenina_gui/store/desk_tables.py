"""Tables of the authoring desk beside the questions: comments, drafts of models, and pairs that are no duplicates."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field, SQLModel


class CommentRow(SQLModel, table=True):
    """Comment about a question, or the note with which it was returned."""

    __tablename__ = "comment"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    question_number: int = Field(foreign_key="question.id", ondelete="CASCADE", index=True)
    author: str
    text: str
    part: str | None = None
    """Part of the question; None: the whole."""
    kind: str
    created_at: str
    done_at: str | None = None
    """Time at which it was marked as done; None: it is open."""


class ProposalRow(SQLModel, table=True):
    """Draft of a model that an author accepts or refuses."""

    __tablename__ = "proposal"
    __table_args__ = (
        Index("ix_proposal_benchmark", "benchmark_id", "state", "kind", "question"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    question: int | None = Field(default=None, foreign_key="question.id", ondelete="CASCADE")
    """None: it is about the benchmark."""
    kind: str
    state: str = "open"
    """open, accepted, or refused."""
    model: str
    """`interface:model_name`."""
    draft: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """See `schemas.model_draft.ModelDraft`."""
    instructions: str = ""
    subject: str = ""
    recording: str | None = None
    updated_at: str


class QuestionPairRow(SQLModel, table=True):
    """Two similar questions that an author keeps, so that they are not reported as duplicates again."""

    __tablename__ = "question_pair"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE", index=True)
    first: int = Field(foreign_key="question.id", ondelete="CASCADE")
    second: int = Field(foreign_key="question.id", ondelete="CASCADE")
    title: str
    """Start of the first text, for the history."""
    texts_hash: str
    """Hash of both texts. If it is another one by now, the pair is reported again."""
