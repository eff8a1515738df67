"""Snapshots of benchmarks at the start of a run. A resumed run reads its snapshot, not the edited benchmark."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Self

from sqlmodel import Session, col, delete, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.canonical import benchmark_hash
from karenina_gui.store import tables
from karenina_gui.store.database import Database

LEVEL = 3  # of zlib: the user waits while a run starts, and higher levels hardly save space


@dataclass(frozen=True)
class Snapshot:
    """Compressed copy of a benchmark."""

    hash: str
    """SHA-256 of the canonical form (`schemas.canonical`). Equal benchmarks are saved once."""
    content: bytes = field(repr=False)
    """JSON, compressed by zlib."""

    @classmethod
    def of(cls, document: BenchmarkDocument) -> Self:
        text = document.model_dump_json().encode()
        return cls(benchmark_hash(document), zlib.compress(text, LEVEL))


class Snapshots:
    """Snapshots by hash, which is a run's `benchmark_hash`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def has(self, key: str) -> bool:
        with self._database.reading() as session:
            return _is_kept(session, key)

    def document(self, key: str) -> BenchmarkDocument:
        """The benchmark with this hash. Raises `NotFoundError` if it was not saved."""
        with self._database.reading() as session:
            row = session.get(tables.SnapshotRow, key)
        if row is None:
            raise NotFoundError("The benchmark of this run wasn’t saved. Start a new run.")
        return BenchmarkDocument.model_validate_json(zlib.decompress(row.document))


def save_snapshot(session: Session, snapshot: Snapshot) -> None:
    """Save the snapshot unless it exists."""
    if not _is_kept(session, snapshot.hash):
        session.add(tables.SnapshotRow(hash=snapshot.hash, document=snapshot.content))


def forget_unused(session: Session) -> None:
    """Delete snapshots that no run refers to."""
    used = select(tables.RunRow.benchmark_hash)
    session.exec(delete(tables.SnapshotRow).where(col(tables.SnapshotRow.hash).not_in(used)))


def _is_kept(session: Session, key: str) -> bool:
    return session.exec(select(tables.SnapshotRow.hash).where(tables.SnapshotRow.hash == key)).first() is not None
