"""Traversal of a folder that another process may be changing: by handles, following no link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

DEEPEST = 64
"""Levels of nested folders to traverse; each takes an open handle."""
_BLOCK = 4096
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """An entry of the folder."""

    path: str
    """Path below the folder, with `/` between its parts."""
    state: os.stat_result
    """State of the entry itself, even if it is a link."""
    above: int
    """Handle of the folder that holds it, valid until the next entry is requested."""
    name: str

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.state.st_mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.state.st_mode)

    @property
    def depth(self) -> int:
        """1: directly in the folder."""
        return self.path.count("/") + 1


@dataclass(frozen=True, slots=True)
class FolderUsage:
    """Size of a folder."""

    entries: int
    """Files, folders and everything else."""
    size: int
    """Bytes on the disk, or in a copy if that is more: at least one block each, and the holes of sparse files count."""
    too_deep: bool = False
    """True if there is more below the deepest folder that was traversed."""


def walk(
    folder: int, enter: Callable[[FolderEntry], bool] = lambda entry: True, below: str = ""
) -> Iterator[FolderEntry]:
    """Yield everything below the folder with this handle: a folder before its contents, each sorted by name.

    `enter` decides which folders are entered. Entries that disappear, or cannot be opened, are skipped.
    """
    with os.scandir(folder) as listing:
        names = sorted(file.name for file in listing)
    for name in names:
        try:
            state = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        item = FolderEntry(f"{below}{name}", state, folder, name)
        yield item
        if item.is_folder and item.depth < DEEPEST and enter(item):
            yield from _inside(item, enter)


def usage(folder: Path | int, enough: int | None = None) -> FolderUsage:
    """Size of a folder, given by path or handle. Counting ends above `enough` bytes (None: never).

    Raises `OSError` if the folder itself cannot be opened.
    """
    if not isinstance(folder, Path):
        return _count(folder, enough)
    handle = os.open(folder, _OPEN)
    try:
        return _count(handle, enough)
    finally:
        os.close(handle)


def _count(handle: int, enough: int | None) -> FolderUsage:
    entries = size = 0
    too_deep = False
    seen: set[int] = set()
    for entry in walk(handle):
        entries += 1
        too_deep = too_deep or (entry.is_folder and entry.depth >= DEEPEST)
        # Hard links share their blocks: a file counts once.
        if entry.state.st_nlink == 1 or entry.is_folder or entry.state.st_ino not in seen:
            size += max(_BLOCK, entry.state.st_blocks * 512, entry.state.st_size)
            if entry.state.st_nlink > 1:
                seen.add(entry.state.st_ino)
        if enough is not None and size > enough:
            break
    return FolderUsage(entries, size, too_deep)


def hand_over(folder: Path, uid: int | None) -> None:
    """Give the user `uid` (None: the user of this process) full access to the folder and everything in it.

    For a copy that no other process works in. Raises `OSError`.
    """
    if os.open not in os.supports_dir_fd:
        return  # Windows, where a copy belongs to who made it
    handle = os.open(folder, _OPEN)
    try:
        _own(handle, uid)
        for entry in walk(handle):  # a folder is made enterable before it is gone into
            _own_entry(entry, uid)
    finally:
        os.close(handle)


def _own(handle: int, uid: int | None) -> None:
    if uid is not None:
        os.fchown(handle, uid, uid)
    os.fchmod(handle, (os.fstat(handle).st_mode & 0o777) | 0o700)


def _own_entry(entry: FolderEntry, uid: int | None) -> None:
    if uid is not None:
        # Never through a link: a command could otherwise have root hand over any file of the system.
        os.chown(entry.name, uid, uid, dir_fd=entry.above, follow_symlinks=False)
    if entry.is_folder or entry.is_file:
        mode = (entry.state.st_mode & 0o777) | (0o700 if entry.is_folder else 0o600)
        if mode != stat.S_IMODE(entry.state.st_mode):
            os.chmod(entry.name, mode, dir_fd=entry.above)


def _inside(entry: FolderEntry, enter: Callable[[FolderEntry], bool]) -> Iterator[FolderEntry]:
    try:
        handle = os.open(entry.name, _OPEN, dir_fd=entry.above)
    except OSError:
        return
    try:
        yield from walk(handle, enter, f"{entry.path}/")
    except OSError:
        return
    finally:
        os.close(handle)
