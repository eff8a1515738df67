"""What comes into a folder from elsewhere: looked at name by name, counted as it comes, all of it or nothing."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn, Self

from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words, shown

MB = 1024 * 1024
LONGEST = 255
"""Bytes of a name."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_BIDI = set("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that make a name look like another one."""


@dataclass(frozen=True)
class IntakeLimits:
    files: int = 10_000
    """Files and folders together."""
    size: int = 1024 * MB
    """Bytes of all files, as they really come."""
    depth: int = 30
    """Folders within each other."""

    @property
    def in_words(self) -> str:
        return f"at most {self.files:,} files and folders, {self.size // MB:,} MB in all"


class Intake:
    """A context: when it is left by an error, or was stopped, nothing of what came stays.

    Errors: `InputError` names what cannot be taken, and the limit. Nothing that is there already is written over.
    """

    def __init__(self, folder: ConfinedFolder, limits: IntakeLimits | None = None) -> None:
        self._folder = folder
        self.limits = limits or IntakeLimits()
        self.files = 0
        """Files and folders so far; may be read from another thread."""
        self.size = 0
        """Bytes so far."""
        self.stopped = False
        """Set from another thread to end it."""
        self._known: dict[str, tuple[str, bool]] = {}
        """How each path is really written, and whether it is a folder, by what it would be on any computer."""
        self._made: dict[str, bool] = {}
        """What was made in the folder itself, and whether it is a folder."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._take_back()

    def make_folder(self, path: str) -> None:
        """A folder with those above it; one that came before is no fault."""
        self._folders(checked_parts(path, self.limits.depth))

    def write(self, path: str, blocks: Iterable[bytes], *, executable: bool = False) -> None:
        """A new file, with the folders above it."""
        parts = checked_parts(path, self.limits.depth)
        if not parts:
            raise InputError("A file without a name cannot be taken.")
        self._folders(parts[:-1])
        self._note(parts, is_folder=False)
        with self._folder.folder("/".join(parts[:-1])) as above, in_plain_words(path):
            handle = os.open(parts[-1], _NEW, 0o755 if executable else 0o644, dir_fd=above)
            self._remember(parts, is_folder=False)
            with os.fdopen(handle, "wb") as file:
                for block in blocks:
                    self.count(path, len(block))
                    file.write(block)

    def link(self, path: str, target: str) -> None:
        """A symbolic link as it is. Whoever calls has seen to it that it stays inside."""
        parts = checked_parts(path, self.limits.depth)
        self._folders(parts[:-1])
        self._note(parts, is_folder=False)
        with self._folder.folder("/".join(parts[:-1])) as above, in_plain_words(path):
            os.symlink(target, parts[-1], dir_fd=above)
            self._remember(parts, is_folder=False)

    def leads_out(self, path: str) -> bool:
        """Whether a link that came leads out of the folder, or by an absolute path."""
        with self._folder.parent(path) as (above, name):
            if os.readlink(name, dir_fd=above).startswith("/"):
                return True
        try:
            self._folder.real_path(path)
        except InputError:
            return True
        return False

    def unlink(self, path: str) -> None:
        """Take a link away that came."""
        with self._folder.parent(path) as (above, name), in_plain_words(path):
            os.unlink(name, dir_fd=above)

    def count(self, path: str, size: int) -> None:
        """Bytes that came. Errors: `InputError` when they are too many, or it was stopped."""
        self.size += size
        if self.stopped:
            raise InputError("It was stopped; nothing was kept.")
        if self.size > self.limits.size:
            raise InputError(f"At {shown(path)} it grows beyond {self.limits.size // MB:,} MB, the most that is taken.")

    def _folders(self, parts: list[str]) -> None:
        for length in range(1, len(parts) + 1):
            if self._note(parts[:length], is_folder=True):
                above, name = "/".join(parts[: length - 1]), parts[length - 1]
                with self._folder.folder(above) as handle, in_plain_words("/".join(parts[:length])):
                    os.mkdir(name, 0o755, dir_fd=handle)
                    self._remember(parts[:length], is_folder=True)

    def _note(self, parts: list[str], *, is_folder: bool) -> bool:
        """Whether it is new. Errors: `InputError` when something else is there under this name."""
        path = "/".join(parts)
        plain = unicodedata.normalize("NFC", path).casefold()
        before, was_folder = self._known.get(plain, ("", False))
        if not before:
            self.files += 1
            if self.files > self.limits.files:
                raise InputError(
                    f"At {shown(path)} there are more than {self.limits.files:,} files and folders, the most that is "
                    "taken."
                )
            self.count(path, 0)
            self._known[plain] = path, is_folder
            return True
        if before != path:
            raise InputError(
                f"{shown(before)} and {shown(path)} differ only in capitals or accents, which are one file on many "
                "computers. Rename one of them."
            )
        if not (is_folder and was_folder):
            raise InputError(f"{shown(path)} comes twice, so it is not clear which one is meant.")
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
    """The parts of a relative path that can be used anywhere; empty: the folder itself. Errors: `InputError`."""
    if path.startswith("/"):
        _refuse(path, "begins at the root of the disk")
    if "\\" in path:
        _refuse(path, "has a backslash in it, which parts folders on some computers")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if any(part.strip(" .") == "" for part in parts):
        _refuse(path, "has a part of dots or blanks only, which leads out of the folder")
    if parts and parts[0][1:2] == ":" and parts[0][0].isalpha():
        _refuse(path, "begins with the letter of a disk")
    if any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") or sign in _BIDI for sign in path):
        _refuse(path, "has a control sign in its name")
    if any(len(os.fsencode(part)) > LONGEST for part in parts):
        _refuse(path, f"has a name of more than {LONGEST} bytes")
    if len(parts) > depth:
        _refuse(path, f"lies deeper than {depth} folders within each other")
    return parts


def _refuse(path: str, reason: str) -> NoReturn:
    name = shown(path)
    raise InputError(f"{name if len(name) <= 200 else name[:200] + '…'} {reason}, so it is not taken.")
