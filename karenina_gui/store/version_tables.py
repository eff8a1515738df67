"""Tables about other states of benchmarks: published versions, and files that a benchmark came from or went into."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel


class FrozenRow(SQLModel, table=True):
    """Complete state of a benchmark, finished marks and dates included; never changed."""

    __tablename__ = "frozen_benchmark"

    key: str = Field(primary_key=True)
    """SHA-256 of the document as JSON."""
    document: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """`BenchmarkDocument` as JSON, compressed by zlib."""


class PublishedVersionRow(SQLModel, table=True):
    """Published version; triggers of the migration keep it from being changed or deleted."""

    __tablename__ = "published_version"
    __table_args__ = (UniqueConstraint("benchmark_id", "number"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    number: int
    name: str
    note: str
    sha256: str
    frozen: str = Field(foreign_key="frozen_benchmark.key")
    questions: int
    finished: int
    published_at: str
    published_by: str


class ExchangeRow(SQLModel, table=True):
    """State of a benchmark as it came from a file or went into one: a common ancestor of later versions."""

    __tablename__ = "exchange"
    __table_args__ = (Index("ix_exchange_benchmark", "benchmark_id", "id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    benchmark_id: int = Field(foreign_key="benchmark.id", ondelete="CASCADE")
    frozen: str = Field(foreign_key="frozen_benchmark.key")
    at: str


class LinkedFileRow(SQLModel, table=True):
    """Checkpoint file on this computer that is watched for changes from outside."""

    __tablename__ = "linked_file"

    benchmark_id: int = Field(primary_key=True, foreign_key="benchmark.id", ondelete="CASCADE")
    path: str
    seen: str
    """SHA-256 of the content that the user last dealt with."""
    frozen: str = Field(foreign_key="frozen_benchmark.key")
    """That content as a benchmark: the common ancestor of the file and the benchmark."""
    linked_at: str
