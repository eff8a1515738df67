"""The library file: one SQLite database, shared safely by threads and by other processes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, create_engine

from karenina_gui.errors import NotFoundError
from karenina_gui.store.migration import upgrade
from karenina_gui.store.writes import Writes

BUSY_SECONDS = 0.25
"""How long one attempt to write waits for another process; see `writes.py` for the attempts after it."""


class Database:
    """Opens short sessions. Errors on opening: `InputError` for a file that is newer, damaged or no library."""

    def __init__(self, path: Path) -> None:
        upgrade(path)
        self.writes = Writes()
        """What waits because the computer refuses it for now."""
        self._engine = create_engine(
            f"sqlite:///{path}",
            connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
            json_serializer=partial(json.dumps, ensure_ascii=False),
            pool_size=8,
            max_overflow=-1,
        )
        event.listen(self._engine, "connect", _prepare)
        event.listen(self._engine, "begin", _begin)
        event.listen(self._engine, "checkin", self._close_late)
        self._writer = self._engine.execution_options(writes=True)
        self._turn = threading.Lock()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A consistent view of the file; nothing in it is saved."""
        with _numbers_in_range(), Session(self._engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction, on disk when the block ends, undone when it raises. Writers take turns."""
        with _numbers_in_range(), self._turn, Session(self._writer, expire_on_commit=False) as session:
            yield session
            session.commit()

    def close(self) -> None:
        self.writes.close()
        self._closed = True
        self._engine.dispose()

    def _close_late(self, _connection: Any, record: ConnectionPoolEntry) -> None:
        """Close a connection that a thread returns after the library was closed."""
        if self._closed:
            record.invalidate()


def now() -> str:
    """The present in UTC, as ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@contextmanager
def _numbers_in_range() -> Iterator[None]:
    try:
        yield
    except OverflowError as error:  # a number in an address may have any length, one in the file has 64 bits
        raise NotFoundError("There is nothing here with so large a number.") from error


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin` says, not where the driver guesses
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    # A write that starts as a read cannot wait for another writer, so it asks for its turn at once.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
