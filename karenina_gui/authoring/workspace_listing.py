"""Entries of a workspace: part by part, so that twenty thousand files are no burden."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from karenina_gui.authoring.workspace_names import PARTIAL
from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words
from karenina_gui.schemas.workspace import RUN_COPY

MOST_ENTRIES = 300
"""Number of entries that are listed at a time."""
DEEPEST = 30
"""Depth of folders that are listed; links could make it go on for ever."""
MOST_COUNTED = 50_000
"""Number of files that are counted."""
COUNTED_INSIDE = 1_000
"""Number of entries of a listed folder that are counted."""
WEIGHED = 5_000
"""Number of files whose sizes are looked up to say how large the folders of a list are."""

EntryKind = Literal["folder", "file", "outside", "other"]
"""outside: a link that leads out of the workspace or nowhere. other: a pipe, a device and the like."""


@dataclass(frozen=True)
class Entry:
    name: str
    path: str
    kind: EntryKind
    size: int | None = None
    """Bytes of a file, or of all files below a folder; None: it would take too long to find out."""
    inside: int | None = None
    """Entries of a folder, at most `COUNTED_INSIDE`; None: it cannot be read."""
    link: bool = False


@dataclass(frozen=True)
class FolderListing:
    entries: list[Entry]
    more: int = 0
    """Entries after these."""


@dataclass(frozen=True)
class Totals:
    files: int
    size: int
    """Bytes."""
    complete: bool
    """False: there are more."""


def listing(folder: ConfinedFolder, path: str, start: int) -> FolderListing:
    """A part of a folder, folders first, then by name.

    Raises `InputError` if the folder is too deep or cannot be read.
    """
    if len(PurePosixPath(path).parts) >= DEEPEST:
        raise InputError(f"Folders nested more than {DEEPEST} levels deep are not shown.")
    with folder.folder(path) as handle, in_plain_words(path):
        entries = [entry for entry in os.scandir(handle) if not _is_ours(entry)]
        entries.sort(key=lambda entry: (not _is_folder(entry), entry.name.casefold(), entry.name))
        part = entries[start : start + MOST_ENTRIES]
        scale = _Scale()
        return FolderListing(
            [_entry(folder, path, handle, entry, scale) for entry in part], len(entries) - start - len(part)
        )


def totals(folder: ConfinedFolder) -> Totals:
    """Totals of all files below; links are not followed, folders that cannot be read are left out."""
    with folder.folder() as handle:
        return _totals(handle, ".", MOST_COUNTED)


def _totals(handle: int, name: str, most: int) -> Totals:
    files = size = 0
    for _, folders, names, inner in os.fwalk(name, dir_fd=handle, follow_symlinks=False):
        folders[:] = [folder for folder in folders if not RUN_COPY.match(folder) and not PARTIAL.match(folder)]
        for file in names:
            if PARTIAL.match(file):
                continue
            with suppress(OSError):
                size += os.stat(file, dir_fd=inner, follow_symlinks=False).st_size
            files += 1
            if files >= most:
                return Totals(files, size, complete=False)
    return Totals(files, size, complete=True)


class _Scale:
    """Weighs folders for as long as that is quick."""

    def __init__(self) -> None:
        self._budget = WEIGHED

    def weight(self, handle: int, name: str) -> int | None:
        """Bytes of all files below; None: there are too many."""
        if self._budget <= 0:
            return None
        total = _totals(handle, name, self._budget)
        # The folder itself costs time too: without it, empty ones would be looked into for ever.
        self._budget -= total.files + 1
        return total.size if total.complete else None


def _is_ours(entry: os.DirEntry[str]) -> bool:
    """Check for a file that is just being written, or the working copy of a run."""
    return PARTIAL.match(entry.name) is not None or (RUN_COPY.match(entry.name) is not None and _is_folder(entry))


def _entry(folder: ConfinedFolder, above: str, handle: int, entry: os.DirEntry[str], scale: _Scale) -> Entry:
    path = f"{above}/{entry.name}" if above else entry.name
    try:
        about = os.stat(entry.name, dir_fd=handle, follow_symlinks=False)
        link = stat.S_ISLNK(about.st_mode)
        if link:
            real = folder.real_path(path)
            about = os.lstat(folder.path / real)
            if stat.S_ISLNK(about.st_mode):  # round and round
                return Entry(entry.name, path, "outside", link=True)
    except (InputError, OSError):
        return Entry(entry.name, path, "outside", link=True)
    if stat.S_ISDIR(about.st_mode):
        inside = _count_entries(handle, entry.name)
        size = None if link or inside is None else scale.weight(handle, entry.name)
        return Entry(entry.name, path, "folder", size=size, inside=inside, link=link)
    if stat.S_ISREG(about.st_mode):
        return Entry(entry.name, path, "file", size=about.st_size, link=link)
    return Entry(entry.name, path, "other", link=link)


def _count_entries(handle: int, name: str) -> int | None:
    try:
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
    except OSError:
        return None
    try:
        with os.scandir(inner) as entries:
            # Beyond this, a list need not say how many there are.
            return sum(1 for _, _ in zip(entries, range(COUNTED_INSIDE), strict=False))
    finally:
        os.close(inner)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
