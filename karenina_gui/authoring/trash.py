"""Files and folders that were deleted, kept for a month, so that a deletion can be taken back."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from karenina_gui.sandbox.workspace.confined_folder import names

KEPT_DAYS = 30


@dataclass(frozen=True)
class TrashEntry:
    """Something in the trash."""

    folder: Path
    """The folder of the trash that holds it alone."""
    name: str


@dataclass(frozen=True)
class DeletedItem:
    """Something of a workspace that was deleted; `WorkspaceFiles.restore` brings it back."""

    path: str
    discarded: TrashEntry


class Trash:
    """Holds deleted files and folders for a month.

    It works from handles of folders, so that no link leads it elsewhere. Every call raises `OSError` if the computer
    refuses it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def discard(self, folder: int, name: str) -> TrashEntry:
        """Take `name` out of the folder with this handle."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._sweep()
        # A folder for each, since two deleted files may have one name; the date is for people who look into the trash.
        entry_folder = Path(tempfile.mkdtemp(prefix=f"{datetime.now():%Y-%m-%d-%H%M%S}-", dir=self._folder))
        with open_folder(entry_folder) as target:
            try:
                move(folder, name, target, name)
            except BaseException:
                shutil.rmtree(entry_folder, ignore_errors=True)
                raise
        return TrashEntry(entry_folder, name)

    def put_back(self, discarded: TrashEntry, folder: int, name: str) -> None:
        """Move it into the folder with this handle, under this name, which is free."""
        with open_folder(discarded.folder) as source:
            move(source, discarded.name, folder, name)
        with contextlib.suppress(OSError):
            discarded.folder.rmdir()

    def _sweep(self) -> None:
        oldest = time.time() - KEPT_DAYS * 24 * 3600
        for entry in self._folder.iterdir():
            # By the folder's own time: it was made when its content was deleted.
            if entry.lstat().st_mtime < oldest:
                shutil.rmtree(entry, ignore_errors=True)


@contextlib.contextmanager
def open_folder(path: Path) -> Iterator[int]:
    """A handle of a folder of the application's own."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


def move(source: int, name: str, target: int, new_name: str) -> None:
    """Move from folder to folder by their handles.

    Across disks it is copied out of sight, and only then taken away.
    """
    try:
        os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)
    except OSError as fault:
        if fault.errno != errno.EXDEV:
            raise
        partial = f".karenina-{secrets.token_hex(6)}.part"
        try:
            _copy(source, name, target, partial)
            os.rename(partial, new_name, src_dir_fd=target, dst_dir_fd=target)
        except BaseException:
            with contextlib.suppress(OSError):
                _remove(target, partial)
            raise
        _remove(source, name)


def _remove(folder: int, name: str) -> None:
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def _copy(source: int, name: str, target: int, new_name: str) -> None:
    """Copy files, folders and links as they are; pipes, sockets and devices hold nothing to keep."""
    mode = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(name, dir_fd=source), new_name, dir_fd=target)
    elif stat.S_ISDIR(mode):
        # Writable for its owner until it is filled: the folder copied may be read-only.
        os.mkdir(new_name, 0o700, dir_fd=target)
        with _handle(name, os.O_DIRECTORY, source) as inner, _handle(new_name, os.O_DIRECTORY, target) as copy:
            for entry in names(inner):
                _copy(inner, entry, copy, entry)
            os.fchmod(copy, stat.S_IMODE(mode))
    elif stat.S_ISREG(mode):
        # A pipe may have taken the file's place by now; without `O_NONBLOCK`, opening it would wait for ever.
        with _handle(name, os.O_NONBLOCK, source) as old, _handle(new_name, _NEW, target) as new:
            with os.fdopen(old, "rb", closefd=False) as reader, os.fdopen(new, "wb", closefd=False) as writer:
                shutil.copyfileobj(reader, writer)
            os.fchmod(new, stat.S_IMODE(mode))


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


@contextlib.contextmanager
def _handle(name: str, flags: int, folder: int) -> Iterator[int]:
    handle = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)
