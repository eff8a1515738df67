"""One data folder, one application: windows hear only of edits made by the application that shows them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from karenina_gui.errors import InputError

LOCK = "open.lock"
ADDRESS = "open.address"


@contextmanager
def alone_in(folder: Path, address: str) -> Iterator[None]:
    """Hold the folder, made if missing, while the application serves it at this address.

    However the process ends, the folder is free again. Errors: `InputError` when another application has it open.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The data folder {folder} cannot be made: {error.strerror}. Choose another.") from error
    # The system gives up a lock of a process that is gone, and SQLite knows how to lock on every system.
    with closing(sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None, check_same_thread=False)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise InputError(_taken(folder) if "locked" in str(error) else _unusable(folder, error)) from error
        (folder / ADDRESS).write_text(address)
        try:
            yield
        finally:
            (folder / ADDRESS).unlink(missing_ok=True)


def _taken(folder: Path) -> str:
    where = ""
    with suppress(OSError):
        where = (folder / ADDRESS).read_text().strip()
    return (
        f"The data folder {folder} is already open{f' at {where}' if where else ''}. Use that window, or end that "
        "application first; --data names another folder."
    )


def _unusable(folder: Path, error: sqlite3.OperationalError) -> str:
    return f"The data folder {folder} cannot be used: {error}. Choose another with --data."
