"""Complete states of benchmarks by the hash of their content, shared by versions, exchanges, and linked files."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, field
from typing import Self

from sqlmodel import Session, col, delete, select

from karenina_gui.errors import NotFoundError
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.store.snapshots import LEVEL
from karenina_gui.store.tables import ExchangeRow, FrozenRow, LinkedFileRow, PublishedVersionRow


@dataclass(frozen=True)
class Frozen:
    """Compressed state of a benchmark, made before a transaction, which must be short."""

    key: str
    content: bytes = field(repr=False)

    @classmethod
    def of(cls, document: BenchmarkDocument) -> Self:
        # With dates and marks, unlike a snapshot: a copy of a version must be the benchmark as its author left it.
        text = document.model_dump_json().encode()
        return cls(hashlib.sha256(text).hexdigest(), zlib.compress(text, LEVEL))

    @property
    def document(self) -> BenchmarkDocument:
        return BenchmarkDocument.model_validate_json(zlib.decompress(self.content))


def keep(session: Session, frozen: Frozen) -> str:
    """Save the state unless it exists, and return its key."""
    if session.exec(select(FrozenRow.key).where(FrozenRow.key == frozen.key)).first() is None:
        session.add(FrozenRow(key=frozen.key, document=frozen.content))
        session.flush()
    return frozen.key


def load(session: Session, key: str) -> BenchmarkDocument:
    """The state with this key. Raises `NotFoundError`."""
    row = session.get(FrozenRow, key)
    if row is None:
        raise NotFoundError("This version is no longer in the library.")
    return Frozen(key, row.document).document


def forget_unused(session: Session) -> None:
    """Delete states that nothing refers to."""
    users = (PublishedVersionRow.frozen, ExchangeRow.frozen, LinkedFileRow.frozen)
    unused = (col(FrozenRow.key).not_in(select(used)) for used in users)
    session.exec(delete(FrozenRow).where(*unused))
