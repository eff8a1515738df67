"""Copies of workspaces: for one job, compared with its source and removed afterwards, or for one judge."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import in_plain_words
from karenina_gui.sandbox.workspace.safe_removal import remove
from karenina_gui.sandbox.workspace.safe_walk import DEEPEST, FolderEntry, walk
from karenina_gui.schemas.workspace import RUN_COPY

TRACES = ".karenina"
"""Folder in a workspace that holds traces for judging agents; not part of an agent's work."""
MOST_FILES = 50_000
"""Number of files in a workspace; more are neither copied nor compared."""
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BLOCK = 1 << 20


@dataclass(frozen=True)
class FileState:
    """State of a file or link at one moment."""

    kind: Literal["file", "link"]
    identity: str
    """SHA-256 of a file's content; target of a link."""
    size: int


@dataclass
class Manifest:
    """All files and links of a folder by their path. Folders count only for what is in them."""

    entries: dict[str, FileState] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    """Paths that are neither, or cannot be read."""
    complete: bool = True
    """False if there are more than `MOST_FILES`."""

    @property
    def size(self) -> int:
        return sum(entry.size for entry in self.entries.values())


def make_copy(source: Path | None, parent: Path, name: str, replicate: int | None, limit_mb: int) -> Path:
    """Create a fresh folder in `parent` with everything that is in `source` (None: empty).

    Links are copied as links, wherever they lead; pipes, devices and working copies of other jobs are left out. Raises
    `InputError`, also for a source of more than `limit_mb` megabytes; then nothing is left behind.
    """
    target = _fresh(parent, name, replicate)
    if source is not None:
        _fill(target, source, limit_mb, _belongs)
    return target


def judging_copy(workspace: Path, limit_mb: int) -> Path:
    """Create a copy of everything that an agent left, for one judge, next to the workspace.

    Settings of git by which its commands start other programs become comments. Files that cannot be read are left out.
    Raises as `make_copy`.
    """
    target = _fresh(workspace.parent, f"{workspace.name}_judge", None)
    _fill(target, workspace, limit_mb, lambda _: True, skip_unreadable=True)
    for settings in _git_settings(target):
        _disarm(settings)
    return target


def manifest(folder: Path) -> Manifest:
    """Contents of a folder that an untrusted program may have made: no link is followed, no pipe blocks."""
    content = Manifest()
    with _open_folder(folder) as handle:
        for entry in walk(handle, _belongs):
            if entry.is_folder:
                if entry.depth >= DEEPEST:
                    content.skipped.append(entry.path)
                continue
            if len(content.entries) >= MOST_FILES:
                content.complete = False
                break
            try:
                state = _state(entry)
            except OSError:
                state = None
            if state is None:
                content.skipped.append(entry.path)
            else:
                content.entries[entry.path] = state
    return content


def _fresh(parent: Path, name: str, replicate: int | None) -> Path:
    """Create `<name>_run_<date>_<time>_pid<pid>[_rep<n>]_<random>`.

    The random part distinguishes jobs that begin in the same second in threads of one process, or on machines that
    share the disk. It is drawn again if the name is taken.
    """
    suffix = f"run_{datetime.now():%Y%m%d_%H%M%S}_pid{os.getpid()}" + (f"_rep{replicate}" if replicate else "")
    with in_plain_words(name):
        while True:
            target = parent / f"{name}_{suffix}_{secrets.token_hex(4)}"
            try:
                target.mkdir(mode=0o755)
                return target
            except FileExistsError:
                continue


def _fill(
    target: Path,
    source: Path,
    limit_mb: int,
    belongs: Callable[[FolderEntry], bool],
    *,
    skip_unreadable: bool = False,
) -> None:
    try:
        with in_plain_words(source.name):
            _Copying(limit_mb << 20, belongs, skip_unreadable).copy(source, target)
    except BaseException:
        remove(target)
        raise


class _Copying:
    """Copies up to `limit` bytes, from folders that `belongs` accepts."""

    def __init__(self, limit: int, belongs: Callable[[FolderEntry], bool], skip_unreadable: bool) -> None:
        self._limit = limit
        self._belongs = belongs
        self._skip_unreadable = skip_unreadable
        self._copied = 0
        self._files = 0

    def copy(self, source: Path, target: Path) -> None:
        with _open_folder(source) as handle:
            for entry in walk(handle, self._belongs):
                goal = target / entry.path
                if entry.is_folder:
                    if self._belongs(entry):
                        goal.mkdir(mode=0o755)
                elif stat.S_ISLNK(entry.state.st_mode):
                    goal.symlink_to(os.readlink(entry.name, dir_fd=entry.above))
                elif entry.is_file:
                    self._count(entry.state.st_size)
                    try:
                        _copy_file(entry, goal)
                    except PermissionError:
                        if not self._skip_unreadable:
                            raise

    def _count(self, size: int) -> None:
        self._files += 1
        self._copied += size
        if self._copied > self._limit or self._files > MOST_FILES:
            raise InputError(
                f"The workspace is too large to copy for an agent: it has more than {self._limit >> 20} MB or "
                f"{MOST_FILES:,} files. Remove files that the task doesn’t need, or increase the run’s disk limit."
            )


def _copy_file(entry: FolderEntry, goal: Path) -> None:
    with os.fdopen(os.open(entry.name, _READ, dir_fd=entry.above), "rb") as old:
        state = os.fstat(old.fileno())
        mode = stat.S_IMODE(state.st_mode) & 0o777
        with os.fdopen(os.open(goal, _NEW, mode | stat.S_IRUSR | stat.S_IWUSR), "wb") as new:
            shutil.copyfileobj(old, new, _BLOCK)
    # Programs such as make compare times.
    os.utime(goal, ns=(state.st_atime_ns, state.st_mtime_ns))


def _git_settings(copy: Path) -> Iterator[Path]:
    """Files that git would read as the settings of a repository, which may lie in any folder.

    By the names that git demands of such folders: links and files lead there from wherever `.git` is.
    """
    folders: dict[PurePosixPath, dict[str, str]] = {}
    with _open_folder(copy) as handle:
        for entry in walk(handle):
            # Some disks have one name in every case.
            if (name := entry.name.lower()) in _OF_REPOSITORIES:
                folders.setdefault(PurePosixPath(entry.path).parent, {})[name] = entry.path
    for names in folders.values():
        if names.keys() >= {"objects", "refs", "config"}:
            yield copy / names["config"]
        if names.keys() >= {"head", "config.worktree"}:
            yield copy / names["config.worktree"]


_LONGEST_SETTINGS = 1 << 20
_OF_REPOSITORIES = {"head", "objects", "refs", "config", "config.worktree"}
_SECTION = re.compile(r'\[(core|extensions|user|remote|branch)(?: "[\w./-]+")?\]')
_HARMLESS = re.compile(
    r"(?:repositoryformatversion|filemode|bare|ignorecase|symlinks|autocrlf|objectformat|worktreeconfig|name|email"
    r"|url|fetch|merge|remote) *= *[\w./:@+* -]*",
    re.IGNORECASE,
)


def _disarm(settings: Path) -> None:
    """Turn all settings of a repository into comments, except for some that start no program.

    A link is removed, and a file that is longer than any such settings.
    """
    if settings.is_symlink() or (settings.is_file() and settings.stat().st_size > _LONGEST_SETTINGS):
        settings.unlink()
    elif settings.is_file():
        in_known_section, lines = False, []
        for line in settings.read_text(encoding="utf-8", errors="replace").splitlines():
            bare = line.strip()
            if bare.startswith("["):
                in_known_section = _SECTION.fullmatch(bare) is not None
            harmless = in_known_section and (bare.startswith("[") or _HARMLESS.fullmatch(bare))
            lines.append(bare if harmless else f"# {bare}")
        settings.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _state(entry: FolderEntry) -> FileState | None:
    """State of an entry; None if it is neither file nor link. Raises `OSError`."""
    if stat.S_ISLNK(entry.state.st_mode):
        return FileState("link", os.readlink(entry.name, dir_fd=entry.above), 0)
    if not entry.is_file:
        return None
    with os.fdopen(os.open(entry.name, _READ, dir_fd=entry.above), "rb") as file:
        return FileState("file", hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size)


@contextmanager
def _open_folder(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        yield handle
    finally:
        os.close(handle)


def _belongs(folder: FolderEntry) -> bool:
    """True for a folder that is part of the workspace: no other job's working copy, no traces for judges."""
    return folder.path != TRACES and not RUN_COPY.fullmatch(folder.name)
