"""States in which benchmarks came from files and went into files, and the files that are linked to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlmodel import Session, col, delete, select

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.store import frozen
from karenina_gui.store.database import Database, now
from karenina_gui.store.row_mapping import benchmark_row
from karenina_gui.store.tables import ExchangeRow, LinkedFileRow, PublishedVersionRow
from karenina_gui.store.writes import persistent

MOST = 5
"""Exchanges of a benchmark that are kept, the newest."""

NEVER_SEEN = ""
"""In place of a hash, for a linked file that the user has not compared yet."""


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """Checkpoint file on this computer that belongs to a benchmark."""

    benchmark_id: int
    path: Path
    seen: str
    """SHA-256 of the content that the user last dealt with; `NEVER_SEEN`: none yet."""


class Exchanges:
    """Common ancestors of a benchmark and its files, and linked files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @persistent
    def note(self, benchmark_id: int, state: frozen.Frozen) -> None:
        """Remember a state that came from a file or went into one."""
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id)
            of_benchmark = col(ExchangeRow.benchmark_id) == benchmark_id
            # The same state again is no further ancestor, and must not push out another one.
            session.exec(delete(ExchangeRow).where(of_benchmark, col(ExchangeRow.frozen) == state.key))
            # Each is a whole benchmark, and older ones are hardly ever the nearest ancestor of a file.
            recent = session.exec(
                select(ExchangeRow.id).where(of_benchmark).order_by(col(ExchangeRow.id).desc()).limit(MOST - 1)
            ).all()
            session.exec(delete(ExchangeRow).where(of_benchmark, col(ExchangeRow.id).not_in(recent)))
            session.add(ExchangeRow(benchmark_id=benchmark_id, frozen=frozen.keep(session, state), at=now()))
            session.flush()
            frozen.forget_unused(session)

    def ancestors(self, benchmark_id: int) -> list[BenchmarkDocument]:
        """States that were exchanged or published, the newest first."""
        exchanged = (ExchangeRow.frozen, ExchangeRow.at, ExchangeRow.benchmark_id)
        published = (PublishedVersionRow.frozen, PublishedVersionRow.published_at, PublishedVersionRow.benchmark_id)
        with self._database.reading() as session:
            states = [
                (at, key)
                for key_of, at_of, owner in (exchanged, published)
                for key, at in session.exec(select(key_of, at_of).where(owner == benchmark_id)).all()
            ]
            keys = dict.fromkeys(key for _, key in sorted(states, reverse=True))
            return [frozen.load(session, key) for key in list(keys)[:MOST]]

    def links(self) -> list[LinkedFile]:
        """Linked files of all benchmarks, of deleted ones, too."""
        with self._database.reading() as session:
            return [_link(row) for row in session.exec(select(LinkedFileRow)).all()]

    def link(self, benchmark_id: int) -> LinkedFile | None:
        with self._database.reading() as session:
            row = session.get(LinkedFileRow, benchmark_id)
            return None if row is None else _link(row)

    def linked_state(self, benchmark_id: int) -> BenchmarkDocument | None:
        """The linked file as the user last dealt with it; None: no file is linked."""
        with self._database.reading() as session:
            row = session.get(LinkedFileRow, benchmark_id)
            return None if row is None else frozen.load(session, row.frozen)

    @persistent
    def set_link(self, benchmark_id: int, path: Path, seen: str, state: frozen.Frozen) -> None:
        """Link a file, or note that the user has dealt with its content `seen`."""
        with self._database.writing() as session:
            benchmark_row(session, benchmark_id)
            row = session.get(LinkedFileRow, benchmark_id)
            values = {"path": str(path), "seen": seen, "frozen": frozen.keep(session, state)}
            if row is None:
                session.add(LinkedFileRow(benchmark_id=benchmark_id, linked_at=now(), **values))
            else:
                row.sqlmodel_update(values)
            _forget(session)

    @persistent
    def remove_link(self, benchmark_id: int) -> None:
        with self._database.writing() as session:
            session.exec(delete(LinkedFileRow).where(col(LinkedFileRow.benchmark_id) == benchmark_id))
            _forget(session)


def _forget(session: Session) -> None:
    session.flush()
    frozen.forget_unused(session)


def _link(row: LinkedFileRow) -> LinkedFile:
    return LinkedFile(row.benchmark_id, Path(row.path), row.seen)
