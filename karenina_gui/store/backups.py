"""Copies of the library file, made by SQLite's online backup while the application writes."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sqlite3
import threading
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, cast

from karenina_gui.errors import InputError
from karenina_gui.store.file_check import break_seal, find_problems
from karenina_gui.store.migration import check_revision

log = logging.getLogger(__name__)

FOLDER = "backups"
"""In the data folder."""
Reason = Literal["daily", "update", "restore", "manual"]
"""Made every day, before an update of the library, before another backup is restored, or by hand."""
NEWEST: dict[Reason, int] = {"daily": 7, "update": 3, "restore": 3}
"""Backups that remain, by reason; those made by hand all remain."""
LARGEST_TOTAL = 10 * 1024**3
"""Bytes of all daily backups, beyond which only the newest two remain."""
DAY = timedelta(days=1)
CHECK_SECONDS = 600.0
"""Time between two looks whether a daily backup is due."""
_NAME = re.compile(r"library-(\d{8}-\d{6})(?:-(\d+))?-(daily|update|restore|manual)\.sqlite")
_STAMP = "%Y%m%d-%H%M%S"


@dataclass(frozen=True)
class Backup:
    path: Path
    made_at: datetime
    """In local time; a further one of the same second is a microsecond later."""
    reason: Reason
    size: int
    """In bytes."""


class Backups:
    """Backups of one library file. The folder is created with the first one."""

    def __init__(self, library: Path) -> None:
        self._library = library
        self.folder = library.parent / FOLDER

    def all(self) -> list[Backup]:
        """Complete backups, the newest first."""
        backups = []
        with suppress(FileNotFoundError):
            for path in self.folder.iterdir():
                if name := _NAME.fullmatch(path.name):
                    made_at = datetime.strptime(name[1], _STAMP) + timedelta(microseconds=int(name[2] or 0))
                    backups.append(Backup(path, made_at, cast(Reason, name[3]), path.stat().st_size))
        return sorted(backups, key=lambda backup: backup.made_at, reverse=True)

    @property
    def newest(self) -> Backup | None:
        """Newest backup, except those that a restoration made of the library it replaced; None: no such backup."""
        backups = self.all()
        return next((backup for backup in backups if backup.reason != "restore"), next(iter(backups), None))

    def make(self, reason: Reason) -> Backup:
        """Copy the library as it is now, with all commits so far, and remove backups that are too many.

        Raises `InputError` if the disk is full or the library is damaged; no part of a copy remains.
        """
        self.folder.mkdir(mode=0o700, exist_ok=True)
        path = self._free_path(reason)
        copy_library(self._library, path)
        self._rotate()
        return next(backup for backup in self.all() if backup.path == path)

    def is_due(self) -> bool:
        """True if the library has changed since a daily backup that is older than a day, or there is none."""
        daily = [backup for backup in self.all() if backup.reason == "daily"]
        if not daily:
            return self._library.exists()
        written = max(file.stat().st_mtime for file in self._library.parent.glob(f"{self._library.name}*"))
        return datetime.now() - daily[0].made_at >= DAY and written > daily[0].made_at.timestamp()

    def restore(self, backup: Path) -> Path | None:
        """Put a backup in place of the library; returns the copy of the present one, None if there was none.

        No application may have the library open. Raises `InputError` if the backup is damaged; nothing is changed then.
        """
        if problems := find_problems(backup):
            raise InputError(f"{backup} is damaged ({problems[0]}). Choose another backup. Nothing was changed.")
        check_revision(backup)
        before = self._set_aside()
        part = self._library.with_name(f"{self._library.name}.part")
        copy_library(backup, part)
        break_seal(self._library)
        for name in ("-wal", "-shm"):
            self._library.with_name(self._library.name + name).unlink(missing_ok=True)
        part.replace(self._library)
        return before

    def _set_aside(self) -> Path | None:
        """Copy the present library; one that cannot be read is moved."""
        if not self._library.exists():
            return None
        with suppress(InputError):
            return self.make("restore").path
        aside = self._library.with_name(f"{self._library.stem}-damaged-{datetime.now():{_STAMP}}.sqlite")
        for name in ("-wal", ""):
            with suppress(FileNotFoundError):
                self._library.with_name(self._library.name + name).rename(aside.with_name(aside.name + name))
        return aside

    def _free_path(self, reason: Reason) -> Path:
        stamp = f"{datetime.now():{_STAMP}}"
        of_second = [backup for backup in self.all() if f"{backup.made_at:{_STAMP}}" == stamp]
        number = of_second[0].made_at.microsecond + 1 if of_second else 0
        return self.folder / f"library-{stamp}{f'-{number}' if number else ''}-{reason}.sqlite"

    def _rotate(self) -> None:
        for part in self.folder.glob("*.part*"):  # of a process that was killed
            if datetime.now().timestamp() - part.stat().st_mtime > DAY.total_seconds():
                part.unlink(missing_ok=True)
        backups = self.all()
        for reason, newest in NEWEST.items():
            of_reason = [backup for backup in backups if backup.reason == reason]
            while len(of_reason) > newest or (
                len(of_reason) > 2 and sum(backup.size for backup in of_reason) > LARGEST_TOTAL
            ):
                of_reason.pop().path.unlink(missing_ok=True)


class DailyBackup:
    """Thread that makes the daily backups of a library while the application runs."""

    def __init__(self, backups: Backups) -> None:
        self.backups = backups
        self.problem: str | None = None
        """Why the last attempt failed; None: it did not."""
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="daily-backup", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """End the thread; a copy that takes longer than five seconds is given up when the process ends."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _work(self) -> None:
        while not self._closed.is_set():
            try:
                if self.backups.is_due():
                    self.backups.make("daily")
                self.problem = None
            except (InputError, OSError) as error:
                log.warning("The daily backup failed: %s", error)
                self.problem = str(error)
            self._closed.wait(CHECK_SECONDS)


def copy_library(source: Path, target: Path) -> None:
    """Copy a library file that others may write to meanwhile; it appears complete or not at all.

    Raises `InputError` if the disk has no room, or the file is damaged.
    """
    part = target.with_name(f"{target.name}.part")
    size = source.stat().st_size
    free = shutil.disk_usage(target.parent).free
    if free < size:
        raise InputError(
            f"The disk has no room for a copy of the library ({size / 1e6:,.0f} MB; {free / 1e6:,.0f} MB are free)."
        )
    try:
        with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(part)) as copy:
            # All pages in one step: then a writer does not make it begin again.
            original.backup(copy)
        if problems := find_problems(part):
            raise InputError(f"The library {source} is damaged ({problems[0]}), so it was not copied.")
        _sync(part)
        part.replace(target)
        if os.name == "posix":
            target.chmod(0o600)
    except sqlite3.Error as error:
        raise InputError(f"Couldn’t copy the library {source} ({error}).") from error
    finally:
        for name in ("", "-journal", "-wal", "-shm"):
            part.with_name(part.name + name).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
