"""The files of one workspace: seen, read, written, added, renamed, deleted. Nothing leads out of the folder."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from karenina_gui.authoring.staged_upload import CommittedUpload, StagedUpload, WhenTaken
from karenina_gui.authoring.trash import DeletedItem, Trash
from karenina_gui.authoring.workspace_listing import FolderListing, Totals, listing, totals
from karenina_gui.authoring.workspace_names import checked_name, cleaned_name, free_name, same_as
from karenina_gui.authoring.workspace_text import FileContent, encode, read_content
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words, names, printable_path


@dataclass(frozen=True)
class FileConflict:
    """A text that was not saved, because the file changed after it was read."""

    theirs: FileContent | None
    """The file as it is now; None: it was deleted."""


@dataclass(frozen=True)
class AddedFile:
    path: str
    replaced: DeletedItem | None = None


@dataclass(frozen=True)
class NameConflict:
    """A file that was not added: there is one of this name already."""

    name: str


class WorkspaceFiles:
    """Files of one workspace; safe to use from any thread. Paths are relative, with `/` between their parts.

    Every call raises `InputError` in plain words, and `NotFoundError` if there is nothing of this path.
    """

    def __init__(self, folder: ConfinedFolder, trash: Trash, incoming: Path) -> None:
        self._folder = folder
        self._trash = trash
        self._incoming = incoming

    @property
    def real_path(self) -> Path:
        """The real folder of the workspace."""
        return self._folder.path

    def entries(self, path: str = "", *, start: int = 0) -> FolderListing:
        """Entries of a folder, folders first, a part at a time."""
        return listing(self._folder, path, start)

    def totals(self) -> Totals:
        """Number of files in all folders, and their size."""
        return totals(self._folder)

    def kind(self, path: str) -> Literal["folder", "file"] | None:
        """Kind of an entry; None: there is nothing of this name, or it leads outside."""
        try:
            with self._folder.parent(path) as (folder, name), in_plain_words(path):
                mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except InputError:
            return None
        return "folder" if stat.S_ISDIR(mode) else "file"

    def read(self, path: str) -> FileContent:
        """The text of a file, or facts of one that is no text."""
        with self._folder.file(path) as handle, in_plain_words(path):
            return read_content(path, handle)

    def copy_out(self, path: str) -> int:
        """A handle to read the whole file by; whoever calls closes it."""
        with self._folder.file(path) as handle:
            # The first handle is closed when the block ends.
            return os.dup(handle)

    def write(self, text: str, read: FileContent, *, anew: bool = False) -> FileContent | FileConflict:
        """Save a text over the one that was read: all of it or nothing, and only if the file is still as it was read.

        `anew`: also if the file was deleted since. Raises `InputError` for a text that is too long.
        """
        content = encode(text, read)
        path = read.path if anew else self._folder.real_path(read.path)
        try:
            now = self.read(path)
        except NotFoundError:
            if not anew:
                return FileConflict(None)
        else:
            if now.fingerprint != read.fingerprint:
                return FileConflict(now)
        with self._folder.parent(path) as (folder, name), in_plain_words(path):
            _replace(folder, name, content)
        return self.read(read.path)

    def make_file(self, folder: str, name: str) -> str:
        """Make an empty file and return its path."""
        with self._folder.folder(folder) as handle:
            name = self._free(handle, checked_name(name))
            with in_plain_words(name):
                os.close(os.open(name, _NEW, 0o644, dir_fd=handle))
        return _join(folder, name)

    def make_folder(self, folder: str, name: str) -> str:
        with self._folder.folder(folder) as handle:
            name = self._free(handle, checked_name(name))
            with in_plain_words(name):
                os.mkdir(name, 0o755, dir_fd=handle)
        return _join(folder, name)

    def rename(self, path: str, name: str) -> str:
        """Give another name in the same folder; returns the new path."""
        name = checked_name(name)
        with self._folder.parent(path) as (folder, old):
            # The old name is left out, so that a change of capitals alone is possible.
            self._free(folder, name, besides=old)
            with in_plain_words(path):
                os.stat(old, dir_fd=folder, follow_symlinks=False)
                os.rename(old, name, src_dir_fd=folder, dst_dir_fd=folder)
        return _join(_above(path), name)

    def remove(self, path: str) -> DeletedItem:
        """Move a file, a folder with all that is in it, or a link (never what it leads to) into the trash."""
        with self._folder.parent(path) as (folder, name), in_plain_words(path):
            os.stat(name, dir_fd=folder, follow_symlinks=False)
            return DeletedItem(path, self._trash.discard(folder, name))

    def restore(self, removed: DeletedItem) -> str:
        """Bring back a deleted entry; returns its path, which is a new one if the old name is taken by now."""
        above = _above(removed.path)
        with self._folder.folder(above) as handle, in_plain_words(removed.path):
            name = free_name(removed.discarded.name, names(handle))
            self._trash.put_back(removed.discarded, handle, name)
        return _join(above, name)

    def add(self, folder: str, source: Path, name: str, when_taken: WhenTaken = "ask") -> AddedFile | NameConflict:
        """Copy a file from elsewhere into a folder, under a cleaned name; a file that it replaces goes once it is
        there.
        """
        name = cleaned_name(name)
        replaced = None
        with self._folder.folder(folder) as handle, in_plain_words(name):
            if taken := same_as(name, names(handle)):
                if when_taken == "ask":
                    return NameConflict(taken)
                name = taken if when_taken == "replace" else free_name(name, names(handle))
            with _temporary_copy(source, handle) as partial:
                if name == taken:
                    replaced = DeletedItem(_join(folder, taken), self._trash.discard(handle, taken))
                try:
                    os.rename(partial, name, src_dir_fd=handle, dst_dir_fd=handle)
                except BaseException:
                    if replaced is not None:
                        self._trash.put_back(replaced.discarded, handle, name)
                    raise
        return AddedFile(_join(folder, name), replaced)

    def arrival(self, folder: str = "") -> StagedUpload:
        """A place for many files at once that are to go into a folder, all of them or none."""
        return StagedUpload(self._folder, folder, self._trash, self._incoming)

    def take_back(self, arrived: CommittedUpload) -> None:
        """Move everything that arrived into the trash, and bring back everything that it replaced."""
        for path in arrived.paths:
            self.remove(path)
        for removed in arrived.replaced:
            self.restore(removed)

    def _free(self, folder: int, name: str, besides: str | None = None) -> str:
        with in_plain_words(name):
            taken = same_as(name, [name for name in names(folder) if name != besides])
        if taken is not None:
            alike = "" if taken == name else " Many computers ignore case in file names."
            raise InputError(f"{printable_path(taken)} already exists. Choose another name.{alike}")
        return name


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _above(path: str) -> str:
    above = PurePosixPath(path).parent.as_posix()
    return "" if above == "." else above


def _replace(folder: int, name: str, content: bytes) -> None:
    """Write a file beside the old one and put it in its place: it is the old one or the new one, never half of it."""
    partial = f".karenina-{secrets.token_hex(6)}.part"
    try:
        with os.fdopen(os.open(partial, _NEW, 0o644, dir_fd=folder), "wb") as file:
            # A script stays executable.
            if (mode := _mode(folder, name)) is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(partial, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        _forget(folder, partial)
        raise


@contextmanager
def _temporary_copy(source: Path, folder: int) -> Iterator[str]:
    """A copy under a name that nobody else sees; it is gone afterwards unless it was given another."""
    partial = f".karenina-{secrets.token_hex(6)}.part"
    try:
        with source.open("rb") as old, os.fdopen(os.open(partial, _NEW, 0o644, dir_fd=folder), "wb") as new:
            while block := old.read(1 << 20):
                new.write(block)
        yield partial
    except BaseException:
        _forget(folder, partial)
        raise


def _mode(folder: int, name: str) -> int | None:
    """Permissions of the existing file; None: no such file."""
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def _forget(folder: int, name: str) -> None:
    if _mode(folder, name) is not None:
        os.unlink(name, dir_fd=folder)
