"""Checks of a library file for damage: by SQLite, and by a hash of the closed file, its seal."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from karenina_gui.errors import InputError
from karenina_gui.store.compression import expand

LARGEST_SEALED = 1024**3
"""Bytes of the largest file that is sealed, and checked as a whole at the start; reading one takes about a second."""
MOST_PROBLEMS = 5


def find_problems(path: Path, *, indexes: bool = False) -> list[str]:
    """Problems that SQLite finds in the file, at most `MOST_PROBLEMS`; empty: nothing.

    Reads the whole file, about 1 GB a second. `indexes`: also compare each index with its table, which takes 40 times
    as long, and read all results. Changed bytes inside of other texts are not noticed; see `was_changed`.
    """
    check, most = "integrity_check" if indexes else "quick_check", MOST_PROBLEMS
    try:
        if not path.stat().st_size:
            return ["it is empty"]  # to SQLite, a new database
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            problems = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({most})")]
            if problems != ["ok"]:
                return problems
            if unreadable := _unreadable_results(connection) if indexes else []:
                return unreadable[:most]
            orphans = connection.execute("PRAGMA foreign_key_check").fetchmany(most)
            return [f"row {row} of {table} refers to a missing row of {other}" for table, row, other, _ in orphans]
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        return [str(error)]


def _unreadable_results(connection: sqlite3.Connection) -> list[str]:
    """Problems of results whose checksum is wrong."""
    problems = []
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'payload'").fetchone():
        for result, document in connection.execute("SELECT result_id, document FROM payload"):
            try:
                expand(document)
            except InputError:
                problems.append(f"result {result} can’t be read")
    return problems


def seal(path: Path) -> None:
    """Note the hash of a file that is closed for good. Without effect while others have it open, or if it is large."""
    with suppress(OSError):
        if path.stat().st_size <= LARGEST_SEALED and not _write_ahead_log(path).exists():
            state = {"sha256": _sha256(path)}
            _seal_of(path).write_text(json.dumps(state), "utf-8")


def break_seal(path: Path) -> None:
    """Forget the hash, before the file is written."""
    seal_file = _seal_of(path)
    if not seal_file.exists():
        return
    seal_file.unlink(missing_ok=True)
    if os.name == "posix":
        # If a power failure brought the old seal back, the next start would call the newer file damaged.
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def was_changed(path: Path) -> bool | None:
    """True if the file differs from what was closed; None: it is unknown, as after a crash."""
    try:
        state = json.loads(_seal_of(path).read_text("utf-8"))
        return None if _write_ahead_log(path).exists() else bool(_sha256(path) != state["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _seal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.seal")


def _write_ahead_log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
