"""Intake of files from elsewhere: names are checked, sizes counted as they arrive, all are kept or none."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn, Self

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words, printable_path

MB = 1024 * 1024
LONGEST = 255
"""Bytes of a name."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_BIDI = set("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that make a name look like another one."""


@dataclass(frozen=True)
class IntakeLimits:
    files: int = 10_000
    """Files and folders together."""
    size: int = 1024 * MB
    """Bytes of all files, counted as they arrive."""
    depth: int = 30
    """Levels of nested folders."""

    @property
    def in_words(self) -> str:
        return f"at most {self.files:,} files and folders, {self.size // MB:,} MB in total"


class Intake:
    """Context that removes everything it took in if it is left by an error, or was stopped.

    Raises `InputError`, which names what cannot be taken and the limit. Existing files are never overwritten.
    """

    def __init__(self, folder: ConfinedFolder, limits: IntakeLimits | None = None) -> None:
        self._folder = folder
        self.limits = limits or IntakeLimits()
        self.files = 0
        """Files and folders so far; may be read from another thread."""
        self.size = 0
        """Bytes so far."""
        self.stopped = False
        """Set from another thread to stop."""
        self._taken: dict[str, tuple[str, bool]] = {}
        """Each path as written, and True for a folder, by its form on a disk that ignores case."""
        self._made: dict[str, bool] = {}
        """Names created in the folder itself, with True for folders."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._take_back()

    def make_folder(self, path: str) -> None:
        """Create a folder with its parents; it may exist from an earlier member."""
        self._folders(checked_parts(path, self.limits.depth))

    def write(self, path: str, blocks: Iterable[bytes], *, executable: bool = False) -> None:
        """Write a new file, with its parent folders."""
        parts = checked_parts(path, self.limits.depth)
        if not parts:
            raise InputError("A file has no name.")
        self._folders(parts[:-1])
        self._note(parts, is_folder=False)
        with self._folder.folder("/".join(parts[:-1])) as above, in_plain_words(path):
            # O_EXCL: never into a file, or through a link, that is there already.
            handle = os.open(parts[-1], _NEW, 0o755 if executable else 0o644, dir_fd=above)
            self._remember(parts, is_folder=False)
            with os.fdopen(handle, "wb") as file:
                for block in blocks:
                    self.count(path, len(block))
                    file.write(block)

    def link(self, path: str, target: str) -> None:
        """Create a symbolic link as it is. The caller must ensure that it stays inside."""
        parts = checked_parts(path, self.limits.depth)
        self._folders(parts[:-1])
        self._note(parts, is_folder=False)
        with self._folder.folder("/".join(parts[:-1])) as above, in_plain_words(path):
            os.symlink(target, parts[-1], dir_fd=above)
            self._remember(parts, is_folder=False)

    def leads_out(self, path: str) -> bool:
        """True if a link that was taken in leads out of the folder, or has an absolute target."""
        with self._folder.parent(path) as (above, name):
            if os.readlink(name, dir_fd=above).startswith("/"):
                return True
        try:
            self._folder.real_path(path)
        except InputError:
            return True
        return False

    def unlink(self, path: str) -> None:
        """Remove a link that was taken in."""
        with self._folder.parent(path) as (above, name), in_plain_words(path):
            os.unlink(name, dir_fd=above)

    def count(self, path: str, size: int) -> None:
        """Count bytes that arrived. Raises `InputError` if they are too many, or the intake was stopped."""
        self.size += size
        if self.stopped:
            raise InputError("Stopped. Nothing was added.")
        if self.size > self.limits.size:
            raise InputError(f"At {printable_path(path)}, the files exceed the limit of {self.limits.size // MB:,} MB.")

    def _folders(self, parts: list[str]) -> None:
        for length in range(1, len(parts) + 1):
            if self._note(parts[:length], is_folder=True):
                above, name = "/".join(parts[: length - 1]), parts[length - 1]
                with self._folder.folder(above) as handle, in_plain_words("/".join(parts[:length])):
                    os.mkdir(name, 0o755, dir_fd=handle)
                    self._remember(parts[:length], is_folder=True)

    def _note(self, parts: list[str], *, is_folder: bool) -> bool:
        """Record a path; True if it is new. Raises `InputError` if something else has this name."""
        path = "/".join(parts)
        # macOS and Windows treat such names as one file: the second would overwrite the first.
        plain = unicodedata.normalize("NFC", path).casefold()
        before, was_folder = self._taken.get(plain, ("", False))
        if not before:
            self.files += 1
            if self.files > self.limits.files:
                raise InputError(
                    f"At {printable_path(path)}, the number of files and folders exceeds the limit of "
                    f"{self.limits.files:,}."
                )
            self.count(path, 0)
            self._taken[plain] = path, is_folder
            return True
        if before != path:
            raise InputError(
                f"The names {printable_path(before)} and {printable_path(path)} are the same on many computers. "
                "Rename one of them."
            )
        if not (is_folder and was_folder):
            raise InputError(f"{printable_path(path)} occurs twice. Remove one of them.")
        return False

    def _remember(self, parts: list[str], *, is_folder: bool) -> None:
        if len(parts) == 1:
            self._made[parts[0]] = is_folder

    def _take_back(self) -> None:
        with self._folder.folder() as handle:
            for name, is_folder in self._made.items():
                if is_folder:
                    shutil.rmtree(name, ignore_errors=True, dir_fd=handle)
                else:
                    with suppress(OSError):  # it may be gone already
                        os.unlink(name, dir_fd=handle)


def checked_parts(path: str, depth: int) -> list[str]:
    """Parts of a relative path that is valid on every system; empty: the folder itself. Raises `InputError`."""
    if path.startswith("/"):
        _refuse(path, "is an absolute path")
    if "\\" in path:
        _refuse(path, "contains a backslash, which separates folders on some computers")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    _check_names(path, parts)
    if len(parts) > depth:
        _refuse(path, f"is nested deeper than {depth} folders")
    return parts


def _check_names(path: str, parts: list[str]) -> None:
    if any(part.strip(" .") == "" for part in parts):
        _refuse(path, "has a part with only dots or spaces, which leads out of the folder")
    if parts and parts[0][1:2] == ":" and parts[0][0].isalpha():
        _refuse(path, "starts with a drive letter")
    if any(map(_is_control, path)):
        _refuse(path, "contains an invisible character")
    if any(len(os.fsencode(part)) > LONGEST for part in parts):
        _refuse(path, f"has a name longer than {LONGEST} bytes")


def _is_control(character: str) -> bool:
    """True for line breaks and the like, and for characters that reverse the direction of the text after them."""
    return unicodedata.category(character) in ("Cc", "Zl", "Zp") or character in _BIDI


def _refuse(path: str, reason: str) -> NoReturn:
    name = printable_path(path)
    raise InputError(f"{name if len(name) <= 200 else name[:200] + '…'} {reason}, so it can’t be added.")
