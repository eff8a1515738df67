"""Many files on their way into a workspace: put together out of sight, then moved in, all of them or none."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from karenina_gui.authoring.trash import DeletedItem, Trash, move, open_folder
from karenina_gui.authoring.workspace_names import free_name, same_as
from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.archives import is_archive as is_archive, unpack as unpack
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words, names, printable_path
from karenina_gui.sandbox.workspace.safe_import import Intake as Intake, IntakeLimits as IntakeLimits

WhenTaken = Literal["ask", "keep_both", "replace"]
FORGOTTEN = 24 * 3600
"""Seconds after which files that a killed program left here are thrown away."""


@dataclass(frozen=True)
class CommittedUpload:
    """Files and folders that were moved in; `WorkspaceFiles.take_back` undoes it."""

    paths: list[str]
    """Paths of the files and folders, without those inside the folders."""
    replaced: list[DeletedItem]


class StagedUpload:
    """Files that are put together before they are moved in, all of them or none.

    A context, or to be discarded by hand: files that were not settled by then are thrown away. `intake` puts them
    together. Every call raises `InputError` if something stands in the way.
    """

    def __init__(self, folder: ConfinedFolder, path: str, trash: Trash, incoming: Path) -> None:
        self._folder = folder
        self._path = path
        self._trash = trash
        # For the owner alone: nobody else should read or change files before they are checked and in their place.
        incoming.mkdir(parents=True, exist_ok=True, mode=0o700)
        _sweep(incoming)
        self._staging = Path(tempfile.mkdtemp(dir=incoming))
        self.intake = Intake(ConfinedFolder(self._staging), IntakeLimits())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def inside(self, name: str) -> Intake:
        """An intake that puts everything into one folder of this name; `intake` from now on."""
        (self._staging / name).mkdir()
        self.intake = Intake(ConfinedFolder(self._staging / name), self.intake.limits)
        return self.intake

    def existing_names(self) -> list[str]:
        """Names that the folder has already."""
        with self._folder.folder(self._path) as target:
            there = names(target)
        return [name for name in sorted(entry.name for entry in self._staging.iterdir()) if same_as(name, there)]

    def commit(self, when_taken: WhenTaken) -> CommittedUpload:
        """Move everything in, or nothing.

        With "ask", raises `InputError` if a name is taken.
        """
        moved: list[tuple[str, str]] = []
        replaced: list[DeletedItem] = []
        with (
            self._folder.folder(self._path) as target,
            open_folder(self._staging) as source,
            in_plain_words(self._path),
        ):
            there = set(names(target))
            try:
                for name in sorted(names(source)):
                    new = name
                    if taken := same_as(name, there):
                        if when_taken == "ask":
                            raise InputError(f"{printable_path(taken)} already exists.")
                        if when_taken == "replace":
                            replaced.append(DeletedItem(self._join(taken), self._trash.discard(target, taken)))
                        new = taken if when_taken == "replace" else free_name(name, there)
                    move(source, name, target, new)
                    moved.append((name, new))
                    there.add(new)
            # Also when the program is told to stop: half of the files would be worse than none.
            except BaseException:
                for name, new in moved:
                    move(target, new, source, name)
                for removed in replaced:
                    self._trash.put_back(removed.discarded, target, removed.discarded.name)
                raise
        self.discard()
        return CommittedUpload([self._join(new) for _, new in moved], replaced)

    def discard(self) -> None:
        """Throw away everything that was not moved in."""
        shutil.rmtree(self._staging, ignore_errors=True)

    def _join(self, name: str) -> str:
        return f"{self._path}/{name}" if self._path else name


def _sweep(incoming: Path) -> None:
    oldest = time.time() - FORGOTTEN
    for folder in incoming.iterdir():
        # Another window may be sweeping at the same time.
        with suppress(OSError):
            if folder.lstat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
