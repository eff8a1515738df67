"""Schema migration of a library file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from karenina_gui.errors import InputError

if TYPE_CHECKING:
    from alembic.config import Config

BUSY_SECONDS = 30
"""Seconds to wait for another process that is upgrading the same file."""

FOLDER = Path(__file__).parent / "migrations"

HEAD = "v0004"
"""Newest revision in `FOLDER`."""

LAST_UNRELEASED = "0025"
"""Revisions up to this one were used before the first release."""


class UnreadableLibraryError(InputError):
    """The reason why a file cannot be read, as a clause."""


def upgrade(path: Path, back_up: Callable[[], object]) -> None:
    """Create the file, or upgrade it after calling `back_up`.

    Raises `InputError` if the file was written by a newer version, by one before the first release, or is not a
    library. It is then left unchanged.
    """
    if not path.exists():
        _create(path)
        return
    revision = check_revision(path)
    if revision == HEAD:
        return
    if revision is not None:
        back_up()
    _run_migrations(path, path)


def check_revision(path: Path) -> str | None:
    """Revision of the file; None: the database has no tables yet. Raises `InputError` if it cannot be upgraded."""
    revision = _revision(path)
    if revision not in (None, HEAD):
        _refuse_unknown(path, revision)
    return revision


def _create(path: Path) -> None:
    """Create the file under a temporary name and publish it when it is complete."""
    # Otherwise a crash would leave a library of length zero, which is indistinguishable from a damaged one.
    draft = path.with_name(f"{path.stem}-{uuid4().hex}.new")
    try:
        _run_migrations(draft, path)
        with suppress(FileExistsError):  # another process was faster
            _publish(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _publish(draft: Path, path: Path) -> None:
    """Give the draft its final name atomically. Raises `FileExistsError`."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(path) from None
        draft.rename(path)


def _run_migrations(path: Path, name: Path) -> None:
    """Run the migrations. `name`: the file as error messages call it."""
    # Loaded late: most starts have nothing to migrate, and Alembic is slow to import.
    from alembic import command
    from sqlalchemy.exc import OperationalError

    try:
        command.upgrade(_alembic(path), "head")
    except OperationalError as error:
        raise InputError(
            f"Couldn’t update {name} ({error.orig}). Check that the disk isn’t full and the folder isn’t read-only. "
            "Nothing was changed."
        ) from error


def _alembic(path: Path) -> Config:
    from alembic.config import Config  # loaded only when there is something to do

    config = Config()
    # Alembic interpolates `%` in its options.
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["path"] = path
    return config


def _revision(path: Path) -> str | None:
    """Revision of the file; None: the database has no tables yet."""
    if path.stat().st_size == 0:
        raise UnreadableLibraryError("it is empty")
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables:
                return None
            if "alembic_version" not in tables:
                raise InputError(f"{path} is a database, but not a library of this application. Choose another folder.")
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            return str(row[0]) if row else None
    except sqlite3.OperationalError as error:
        raise InputError(
            f"Couldn’t open the library {path} ({error}). Check that its folder is writable and that no other program "
            "has it open, then restart."
        ) from error
    except sqlite3.DatabaseError as error:
        raise UnreadableLibraryError(f"it can’t be read ({error})") from error


def _refuse_unknown(path: Path, revision: str) -> None:
    from alembic.script import ScriptDirectory

    if revision <= LAST_UNRELEASED:
        raise InputError(
            f"{path} was made by a version of karenina-gui before its first release. Open it with commit ac329ff9, "
            "export its benchmarks there, and import them here, in another folder (--data). The file was not changed."
        )
    revisions = {script.revision for script in ScriptDirectory.from_config(_alembic(path)).walk_revisions()}
    if revision not in revisions:
        raise InputError(
            f"{path} was written by a newer version of this application (revision {revision}; this version knows "
            f"{HEAD}). Install the newer version, or choose another folder with --data. The file was not changed."
        )
