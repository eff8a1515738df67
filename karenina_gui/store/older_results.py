"""Compression of the results of libraries from before results were compressed, in the background.

The library's `user_version` is the greatest id of a result that may not be compressed yet. -1: all are, but the file
has the space that they took; 0: there is nothing to do.
"""

from __future__ import annotations

import logging
import sqlite3
import threading

from sqlalchemy.exc import SQLAlchemyError

from karenina_gui.store.compression import compress
from karenina_gui.store.database import Database

log = logging.getLogger(__name__)

BATCH = 200
"""Results in one transaction, for which other writers wait about 20 ms."""
PAUSE = 0.05
"""Seconds between two transactions."""
RETRY = 60.0
"""Seconds until another attempt after an error, such as a full disk."""


class OlderResults:
    """Thread that compresses them, the newest first, and then gives the unused space back to the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="older-results", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """End the thread after its current transaction."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        pause = 0.0
        while not self._closed.wait(pause):
            try:
                last = self._last()
                if last == 0:
                    return
                self._compress(last) if last > 0 else self._shrink_file()
                pause = PAUSE
            except (SQLAlchemyError, sqlite3.Error) as error:
                log.warning("Older results could not be compressed: %s", error)
                pause = RETRY

    def _last(self) -> int:
        with self._database.reading() as session:
            return int(session.connection().exec_driver_sql("PRAGMA user_version").scalar_one())

    def _compress(self, last: int) -> None:
        with self._database.writing() as session:
            connection = session.connection()
            rows = connection.exec_driver_sql(
                "SELECT result_id, CASE typeof(document) WHEN 'text' THEN document END FROM payload "
                "WHERE result_id <= ? ORDER BY result_id DESC LIMIT ?",
                (last, BATCH),
            ).all()
            texts = [(compress(text), number) for number, text in rows if text is not None]
            if texts:
                connection.exec_driver_sql("UPDATE payload SET document = ? WHERE result_id = ?", texts)
            rest = rows[-1][0] - 1 if len(rows) == BATCH else 0
            connection.exec_driver_sql(f"PRAGMA user_version = {rest or -1}")

    def _shrink_file(self) -> None:
        self._database.vacuum()
        with self._database.writing() as session:
            session.connection().exec_driver_sql("PRAGMA user_version = 0")
