"""Closing a library while another thread reads."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from karenina_gui.store.library import Library


def test_a_reader_that_ends_after_the_library_was_closed_leaves_no_connection_open(tmp_path: Path) -> None:
    library = Library.open(tmp_path)
    with library._database.reading() as session:
        session.connection().execute(text("SELECT 1"))
        connection = session.connection().connection.dbapi_connection
        library.close()
    assert connection is not None
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.cursor()
