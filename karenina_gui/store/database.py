"""The library file: one SQLite database shared by threads and other processes."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, create_engine

from karenina_gui.errors import NotFoundError
from karenina_gui.store.actors import current_intent
from karenina_gui.store.capture import prepare_capture
from karenina_gui.store.command_recorder import record_captured
from karenina_gui.store.compression import add_expand
from karenina_gui.store.file_check import break_seal, seal
from karenina_gui.store.migration import upgrade
from karenina_gui.store.result_texts import add_says
from karenina_gui.store.writes import Writes

BUSY_SECONDS = 0.25
"""Seconds that one attempt to write waits for another process; `writes.py` schedules the retries."""


class Database:
    """Session factory of the library file. Raises `InputError` if the file is newer, damaged or not a library."""

    def __init__(self, path: Path, back_up: Callable[[], object]) -> None:
        """`back_up` is called before an older file is upgraded."""
        self.path = path
        break_seal(path)
        upgrade(path, back_up)
        self.writes = Writes()
        """Writes that wait for the computer to accept them."""
        self._engine = create_engine(
            f"sqlite:///{path}",
            connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
            json_serializer=partial(json.dumps, ensure_ascii=False),
            # With the default limit, threads beyond pool_size + 10 would wait 30 s for a connection and then fail.
            pool_size=8,
            max_overflow=-1,
        )
        # Another process may have sealed the file meanwhile, while no connection was open.
        event.listen(self._engine, "connect", lambda *_: break_seal(path))
        event.listen(self._engine, "connect", _prepare)
        event.listen(self._engine, "begin", _begin)
        event.listen(self._engine, "checkin", self._close_late)
        self._writer = self._engine.execution_options(writes=True)
        # SQLite admits one writer. Threads wait for this lock, because SQLite's busy handler would poll.
        self._turn = threading.Lock()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a read session: a consistent snapshot of the file. Changes in it are not saved."""
        with _numbers_in_range(), Session(self._engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a write transaction: committed durably at the end of the block, rolled back on an exception.

        Changes of authors' tables are logged with it, see `command_recorder`.
        """
        with _numbers_in_range(), self._turn, Session(self._writer, expire_on_commit=False) as session:
            yield session
            session.flush()
            command_id = record_captured(session.connection(), now())
            session.commit()
            if command_id is not None and (intent := current_intent()):
                intent.command_id = command_id

    def vacuum(self) -> None:
        """Give unused space back to the disk. Other writers wait: one second for about 200 MB."""
        with self._turn, closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS)) as connection:
            connection.execute("VACUUM")

    def close(self) -> None:
        self.writes.close()
        self._closed = True
        self._engine.dispose()
        seal(self.path)

    def _close_late(self, _connection: Any, record: ConnectionPoolEntry) -> None:
        """Close a connection that a thread returns after the library was closed."""
        if self._closed:
            record.invalidate()


def now() -> str:
    """Current time in UTC, as ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@contextmanager
def _numbers_in_range() -> Iterator[None]:
    try:
        yield
    except OverflowError as error:  # a number in a URL may have any length, SQLite integers have 64 bits
        raise NotFoundError("This link leads nowhere: its number is too large. Check the link.") from error


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # `_begin` starts transactions; the driver would start them too late
    # With a write-ahead log readers never block the writer. FULL syncs the log at each commit, so that a committed edit
    # survives a power failure.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    # SQLite enforces foreign keys only where each connection asks for it.
    connection.execute("PRAGMA foreign_keys = ON")
    add_expand(connection)
    add_says(connection)
    prepare_capture(connection)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    # SQLite cannot upgrade a read transaction once another writer has committed (SQLITE_BUSY), so a write locks at
    # once.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
