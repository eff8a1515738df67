"""Working copies of workspaces: made for one job, compared with what they were made from, removed afterwards."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from karenina_gui.errors import InputError
from karenina_gui.sandbox.confined_folder import in_plain_words
from karenina_gui.schemas.workspace import RUN_COPY

TRACES = ".karenina"
"""Folder in a workspace that holds traces for judging agents; no work of anybody."""
DEEPEST = 100
"""Folders within folders; deeper ones are not copied or looked at."""
MOST_FILES = 50_000
"""Files of a workspace; more are not copied or looked at."""
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BLOCK = 1 << 20


@dataclass(frozen=True)
class FileState:
    """What a file or link was at one moment."""

    kind: Literal["file", "link"]
    identity: str
    """SHA-256 of a file's content; where a link leads to."""
    size: int


@dataclass
class Manifest:
    """All files and links of a folder, by their path in it; folders count only for what is in them."""

    entries: dict[str, FileState] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    """Paths that are neither, or that cannot be read."""
    complete: bool = True
    """False: there are more than `MOST_FILES`."""

    @property
    def size(self) -> int:
        return sum(entry.size for entry in self.entries.values())


def make_copy(source: Path | None, parent: Path, name: str, replicate: int | None, limit_mb: int) -> Path:
    """A fresh folder in `parent` that nobody else uses, with all that is in `source` (None: empty).

    Links are copied as links, whatever they lead to; pipes, devices and working copies of other jobs are left out.
    Errors: `InputError`, also for a source of more than `limit_mb` megabytes; then nothing stays behind.
    """
    target = _fresh(parent, name, replicate)
    if source is not None:
        try:
            with in_plain_words(source.name):
                _Copying(limit_mb << 20).copy(source, target)
        except BaseException:
            remove(target)
            raise
    return target


def manifest(folder: Path) -> Manifest:
    """What is in a folder that may have been made by anybody: no link is followed, no pipe is waited for."""
    found = Manifest()
    for path, name, handle in _walk(folder):
        if len(found.entries) >= MOST_FILES:
            found.complete = False
            break
        try:
            state = _state(name, handle)
        except OSError:
            state = None
        if state is None:
            found.skipped.append(path)
        else:
            found.entries[path] = state
    return found


def remove(folder: Path) -> None:
    """Remove it with all that is in it, also what its makers have locked. Errors: `OSError`."""

    def unlock(_function: Any, path: str, error: Any) -> None:
        if isinstance(error[1], FileNotFoundError):
            return
        locked = Path(path)
        for each in (locked.parent, locked):
            if each.is_relative_to(folder) and not each.is_symlink():
                each.chmod(stat.S_IRWXU)
        if locked.is_dir() and not locked.is_symlink():
            shutil.rmtree(locked)
        else:
            locked.unlink()

    try:
        shutil.rmtree(folder, onerror=unlock)
    except RecursionError:  # folders within folders, a thousand deep
        subprocess.run(["rm", "-rf", "--", folder], check=True, capture_output=True)


def _fresh(parent: Path, name: str, replicate: int | None) -> Path:
    """`<name>_run_<date>_<time>_pid<pid>[_rep<n>]_<random>`: the random part, drawn anew where it is taken, tells apart
    jobs that begin in the same second in threads of one process, or on machines that share the disk."""
    suffix = f"run_{datetime.now():%Y%m%d_%H%M%S}_pid{os.getpid()}" + (f"_rep{replicate}" if replicate else "")
    with in_plain_words(name):
        while True:
            target = parent / f"{name}_{suffix}_{secrets.token_hex(4)}"
            try:
                target.mkdir(mode=0o755)
                return target
            except FileExistsError:
                continue


class _Copying:
    """`limit`: bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._copied = 0
        self._files = 0

    def copy(self, source: Path, target: Path) -> None:
        for folder in _folders(source):
            (target / folder).mkdir(mode=0o755)
        for path, name, handle in _walk(source):
            about = os.stat(name, dir_fd=handle, follow_symlinks=False)
            if stat.S_ISLNK(about.st_mode):
                (target / path).symlink_to(os.readlink(name, dir_fd=handle))
            elif stat.S_ISREG(about.st_mode):
                self._count(about.st_size)
                _copy_file(name, handle, target / path)

    def _count(self, size: int) -> None:
        self._files += 1
        self._copied += size
        if self._copied > self._limit or self._files > MOST_FILES:
            raise InputError(
                f"The workspace is too large to be copied for an agent: it has more than {self._limit >> 20} MB or "
                f"{MOST_FILES:,} files. Take out what the task does not need, or raise the run's limit of disk space."
            )


def _copy_file(name: str, handle: int, goal: Path) -> None:
    with os.fdopen(os.open(name, _READ, dir_fd=handle), "rb") as old:
        mode = stat.S_IMODE(os.fstat(old.fileno()).st_mode) & 0o777
        with os.fdopen(os.open(goal, _NEW, mode | stat.S_IRUSR | stat.S_IWUSR), "wb") as new:
            shutil.copyfileobj(old, new, _BLOCK)


def _state(name: str, handle: int) -> FileState | None:
    about = os.stat(name, dir_fd=handle, follow_symlinks=False)
    if stat.S_ISLNK(about.st_mode):
        return FileState("link", os.readlink(name, dir_fd=handle), 0)
    if not stat.S_ISREG(about.st_mode):
        return None
    with os.fdopen(os.open(name, _READ, dir_fd=handle), "rb") as file:
        return FileState("file", hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size)


def _walk(folder: Path) -> Iterator[tuple[str, str, int]]:
    """(path below the folder, name, handle of the folder it stands in) of everything that is no folder, in order."""
    for above, inner, names, handle in _folders_of(folder):
        for name in sorted([*names, *(name for name in inner if not _is_folder(name, handle))]):
            yield _below(above, name), name, handle


def _folders(folder: Path) -> Iterator[str]:
    """Paths of all folders below, outer ones first."""
    for above, inner, _, handle in _folders_of(folder):
        yield from (_below(above, name) for name in inner if _is_folder(name, handle))


def _folders_of(folder: Path) -> Iterator[tuple[str, list[str], list[str], int]]:
    """As `os.fwalk`, without what does not belong to the workspace, and not deeper than `DEEPEST`."""
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for above, inner, names, handle in os.fwalk(".", dir_fd=root, follow_symlinks=False):
            inner[:] = sorted(name for name in inner if _belongs(above, name))
            yield above, inner, names, handle
    finally:
        os.close(root)


def _is_folder(name: str, handle: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode)


def _below(above: str, name: str) -> str:
    return f"{above}/{name}".removeprefix("./")


def _belongs(above: str, name: str) -> bool:
    """Whether a folder is part of the workspace: no other job's working copy, no traces for judges."""
    if above.count("/") >= DEEPEST or (above == "." and name == TRACES):
        return False
    return not RUN_COPY.fullmatch(name)
