"""One data folder, one application: windows hear only of edits made by the application that shows them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from karenina_gui.errors import InputError

LOCK = "open.lock"
ADDRESS = "open.address"
FILES = (f"{LOCK}*", ADDRESS)


@contextmanager
def alone_in(folder: Path, address: str) -> Iterator[None]:
    """Hold the folder, made if missing, while the application serves it at this address.

    However the process ends, the folder is free again. Errors: `InputError` when another application has it open.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The data folder {folder} cannot be made: {error.strerror}. Choose another.") from error
    with closing(_lock(folder)):
        try:
            (folder / ADDRESS).write_text(address)
        except OSError as error:
            raise InputError(_unusable(folder, error.strerror)) from error
        try:
            yield
        finally:
            with suppress(OSError):  # it only helps to find the window, and whoever leaves needs no help
                (folder / ADDRESS).unlink()


def _lock(folder: Path) -> sqlite3.Connection:
    """Open for as long as the folder is held.

    The system gives up a lock of a process that is gone, and SQLite knows how to lock on every system.
    """
    try:
        lock = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise InputError(_unusable(folder, error)) from error
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        raise InputError(_taken(folder) if "locked" in str(error) else _unusable(folder, error)) from error
    return lock


def _taken(folder: Path) -> str:
    where = ""
    with suppress(OSError):
        where = (folder / ADDRESS).read_text().strip()
    return (
        f"The data folder {folder} is already open{f' at {where}' if where else ''}. Use that window, or end that "
        "application first; --data names another folder."
    )


def _unusable(folder: Path, reason: object) -> str:
    return f"The data folder {folder} cannot be used: {reason}. Choose another with --data."
