"""Benchmarks as runs found them: a run that goes on later asks what it began with, whatever was edited meanwhile."""

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

LEVEL = 3
"""Of zlib: a run is begun with somebody waiting, and the higher levels hardly make texts smaller."""


@dataclass(frozen=True)
class Snapshot:
    """A benchmark at one moment, as it is kept."""

    hash: str
    """SHA-256 of its canonical form (`schemas.canonical`): equal benchmarks are kept once, as the first was dated."""
    content: bytes = field(repr=False)
    """Its JSON, compressed by zlib."""

    @classmethod
    def of(cls, document: BenchmarkDocument) -> Self:
        text = document.model_dump_json().encode()
        return cls(benchmark_hash(document), zlib.compress(text, LEVEL))


class Snapshots:
    """By hash, which is a run's `benchmark_hash`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def has(self, key: str) -> bool:
        with self._database.reading() as session:
            return _is_kept(session, key)

    def document(self, key: str) -> BenchmarkDocument:
        """The benchmark with this hash. Errors: `NotFoundError` when no run has kept it."""
        with self._database.reading() as session:
            row = session.get(tables.Snapshot, key)
        if row is None:
            raise NotFoundError("The benchmark as this run found it was not kept. Use Run again.")
        return BenchmarkDocument.model_validate_json(zlib.decompress(row.document))


def keep(session: Session, snapshot: Snapshot) -> None:
    """Write it, unless an equal one is there."""
    if not _is_kept(session, snapshot.hash):
        session.add(tables.Snapshot(hash=snapshot.hash, document=snapshot.content))


def forget_unused(session: Session) -> None:
    """Remove what no run refers to any more."""
    used = select(tables.Run.benchmark_hash)
    session.exec(delete(tables.Snapshot).where(col(tables.Snapshot.hash).not_in(used)))


def _is_kept(session: Session, key: str) -> bool:
    return session.exec(select(tables.Snapshot.hash).where(tables.Snapshot.hash == key)).first() is not None
