"""Lock on the data folder: one application at a time.

Edits are pushed only to windows of the same process, so a second one would show stale data.
"""

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
def exclusive_lock(folder: Path, address: str) -> Iterator[None]:
    """Hold the folder while the application serves it at this URL. The folder is created if missing.

    Raises `InputError` if another application has it open.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Couldn’t create the data folder {folder}: {error.strerror}. Choose another.") from error
    with closing(_lock(folder)):
        try:
            (folder / ADDRESS).write_text(address)
        except OSError as error:
            raise InputError(_unusable_message(folder, error.strerror)) from error
        try:
            yield
        finally:
            with suppress(OSError):  # the file only helps the next application to name this one
                (folder / ADDRESS).unlink()


def _lock(folder: Path) -> sqlite3.Connection:
    """Lock the folder until the connection closes."""
    try:
        # The operating system releases SQLite's lock when a process dies, on every platform.
        lock = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise InputError(_unusable_message(folder, error)) from error
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        raise InputError(
            _taken_message(folder) if "locked" in str(error) else _unusable_message(folder, error)
        ) from error
    return lock


def _taken_message(folder: Path) -> str:
    where = ""
    with suppress(OSError):
        where = (folder / ADDRESS).read_text().strip()
    return (
        f"The data folder {folder} is already open{f' at {where}' if where else ''}. Use that window, quit that "
        "application first, or choose another folder with --data."
    )


def _unusable_message(folder: Path, reason: object) -> str:
    return f"Couldn’t use the data folder {folder}: {reason}. Choose another with --data."
