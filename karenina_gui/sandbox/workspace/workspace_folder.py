"""Workspace as the file tools of an agent see it: no path leads out, and it never exceeds its quota."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words
from karenina_gui.sandbox.workspace.safe_walk import FolderEntry, usage, walk
from karenina_gui.schemas.workspace import WorkspaceLimits

ROOT = "/workspace"
"""Name of the workspace towards a model, the same on every machine."""
LONGEST_TEXT = 4 << 20
"""Bytes of the largest file that can be edited."""
_NOT_ENTERED = {".git"}
"""Folders with thousands of entries that no task is about."""
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class TextPart:
    """Some lines of a file."""

    text: str
    last: int
    """Number of the last line in it, from 1; 0: none."""
    more: bool
    """True if the file has more lines."""
    left: int = 0
    """Bytes of the file from the first of these lines on."""


class WorkspaceFolder:
    """File operations in a workspace. Every call raises `InputError`, in words that a model can act on."""

    def __init__(self, path: Path, limits: WorkspaceLimits) -> None:
        self._folder = ConfinedFolder(path)
        self._limits = limits

    def entries(self, path: str, depth: int | None = None) -> Iterator[FolderEntry]:
        """Entries below a folder, sorted by name. `depth` 1: only those directly in it; None: everything."""
        with self._folder.folder(path) as handle:
            yield from walk(
                handle, lambda entry: entry.name not in _NOT_ENTERED and (depth is None or entry.depth < depth)
            )

    def is_folder(self, path: str) -> bool:
        """True for a folder. Raises `NotFoundError` if nothing is there."""
        if not path:
            return True
        with self._folder.parent(self._folder.real_path(path)) as (above, name), in_plain_words(path):
            return stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)

    def content(self, path: str, at_most: int | None = None) -> bytes:
        """Content of an ordinary file, or its first `at_most` bytes."""
        with self._folder.file(path) as handle, open(handle, "rb", closefd=False) as file:
            return file.read(-1 if at_most is None else at_most)

    def size(self, path: str) -> int:
        with self._folder.file(path) as handle:
            return os.fstat(handle).st_size

    def lines(self, path: str, first: int, count: int, at_most: int) -> TextPart:
        """Return `count` lines from line `first` (from 1), or as many whole ones as fit into `at_most` bytes."""
        taken: list[bytes] = []
        size, number, begin = 0, 0, 0
        with self._folder.file(path) as handle, open(handle, "rb", closefd=False) as file:
            if b"\0" in file.read(8192):
                raise InputError(f"{ROOT}/{path} is no text, so it is not shown ({os.fstat(handle).st_size} bytes).")
            file.seek(0)
            whole = os.fstat(handle).st_size
            while piece := file.readline(at_most + 1):
                number += 1
                if number < first:
                    _skip_rest_of_line(file, piece)
                    continue
                if number == first:
                    begin = file.tell() - len(piece)
                size += len(piece)
                if len(taken) == count or (taken and size > at_most):
                    return TextPart(_text(b"".join(taken)), number - 1, more=True, left=whole - begin)
                taken.append(piece)
                if size > at_most:
                    text = _text(piece[:at_most]) + " [... the line goes on ...]\n"
                    return TextPart(text, number, bool(file.read(1)), left=whole - begin)
        return TextPart(_text(b"".join(taken)), number if taken else 0, more=False, left=size)

    def write(self, path: str, data: bytes) -> bool:
        """Write the whole content of a file, creating its parent folders; return True if it is new."""
        real = self._resolve(path)
        self._keep_quota(real, len(data))
        self._make_folders(str(PurePosixPath(real).parent))
        with self._folder.parent(real) as (above, name), in_plain_words(path):
            before = _state(name, above)
            if before is not None and not stat.S_ISREG(before.st_mode):
                raise InputError(f"{ROOT}/{path} is a folder, or no ordinary file, so it is not written.")
            _replace(name, above, data, 0o644 if before is None else stat.S_IMODE(before.st_mode) & 0o777)
            return before is None

    def _resolve(self, path: str) -> str:
        """Resolved path of a file that need not exist yet."""
        if not path:
            raise InputError(f"{ROOT} is the workspace itself; name a file in it.")
        real = self._folder.real_path(path)
        if not real:
            raise InputError(f"{ROOT}/{path} is the workspace itself; name a file in it.")
        return real

    def _keep_quota(self, path: str, size: int) -> None:
        limit = self._limits.disk_mb << 20
        with self._folder.folder() as handle:
            used = usage(handle).size
        with suppress(InputError):
            used -= self.size(path)
        if used + size > limit:
            raise InputError(
                f"Not written: the workspace would hold more than the {self._limits.disk_mb} MB that it may hold. "
                "Remove or shorten something first."
            )

    def _make_folders(self, path: str) -> None:
        made = PurePosixPath()
        for part in PurePosixPath(path).parts:
            made /= part
            with self._folder.parent(str(made)) as (above, name), in_plain_words(str(made)), suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=above)
                _give_to_owner(above, name)


def inside(path: str) -> str:
    """Convert a path as a model writes it, `/workspace/...` or relative, to one below the workspace.

    Raises `InputError`.
    """
    pure = PurePosixPath(path)
    if ".." in pure.parts:
        raise InputError(f"Paths with .. are not accepted. Give a path below {ROOT}.")
    if pure.is_absolute():
        if not pure.is_relative_to(ROOT):
            raise InputError(f"{path} is outside the workspace. Give a path below {ROOT}, or one relative to it.")
        pure = pure.relative_to(ROOT)
    return "" if str(pure) == "." else str(pure)


def _state(name: str, above: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=above, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _replace(name: str, above: int, data: bytes, mode: int) -> None:
    """Replace a file atomically, never through a link that was planted in between."""
    draft = f".{secrets.token_hex(8)}.part"
    handle = os.open(draft, _NEW_FILE, 0o600, dir_fd=above)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        _give_to_owner(above, draft)
        os.replace(draft, name, src_dir_fd=above, dst_dir_fd=above)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft, dir_fd=above)
        raise


def _give_to_owner(above: int, name: str) -> None:
    """Give what root has created to the owner of the enclosing folder, so that commands can change it."""
    if os.geteuid() == 0:
        folder = os.fstat(above)
        os.chown(name, folder.st_uid, folder.st_gid, dir_fd=above, follow_symlinks=False)


def _skip_rest_of_line(file: BinaryIO, piece: bytes) -> None:
    """`piece`: start of the line, which has been read already."""
    # A line of gigabytes is skipped in pieces, never read as a whole.
    while not piece.endswith(b"\n") and (piece := file.readline(1 << 20)):
        pass


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
