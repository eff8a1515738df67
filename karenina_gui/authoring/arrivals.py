"""Many files on their way into a workspace: put together out of sight, then moved in, or nothing of them."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from karenina_gui.authoring.trash import Removed, Trash, move, opened
from karenina_gui.authoring.workspace_names import free_name, same_as
from karenina_gui.errors import InputError
from karenina_gui.sandbox.workspace.archives import is_archive as is_archive, unpack as unpack
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words, names, shown
from karenina_gui.sandbox.workspace.intake import Intake as Intake, IntakeLimits as IntakeLimits

WhenTaken = Literal["ask", "keep both", "replace"]
FORGOTTEN = 24 * 3600
"""Seconds after which what a program left here that was killed is thrown away."""


@dataclass(frozen=True)
class Arrived:
    """What was moved in; `WorkspaceFiles.take_back` undoes it."""

    paths: list[str]
    """Files and folders, without what is in the folders."""
    replaced: list[Removed]


class Arrival:
    """A context, or to be discarded by hand: what was not settled by then is thrown away.

    `intake` puts things together. Errors of every call: `InputError`.
    """

    def __init__(self, folder: ConfinedFolder, path: str, trash: Trash, incoming: Path) -> None:
        self._folder = folder
        self._path = path
        self._trash = trash
        incoming.mkdir(parents=True, exist_ok=True, mode=0o700)
        _sweep(incoming)
        self._place = Path(tempfile.mkdtemp(dir=incoming))
        self.intake = Intake(ConfinedFolder(self._place), IntakeLimits())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def inside(self, name: str) -> Intake:
        """An intake whose things all come into one folder of this name; `intake` from now on."""
        (self._place / name).mkdir()
        self.intake = Intake(ConfinedFolder(self._place / name), self.intake.limits)
        return self.intake

    def taken(self) -> list[str]:
        """Names that the folder has already."""
        with self._folder.folder(self._path) as target:
            there = names(target)
        return [name for name in sorted(each.name for each in self._place.iterdir()) if same_as(name, there)]

    def settle(self, when_taken: WhenTaken) -> Arrived:
        """Move everything in, or nothing. "ask": a name that is taken is an `InputError`."""
        moved: list[tuple[str, str]] = []
        replaced: list[Removed] = []
        with self._folder.folder(self._path) as target, opened(self._place) as source, in_plain_words(self._path):
            there = set(names(target))
            try:
                for name in sorted(names(source)):
                    new = name
                    if taken := same_as(name, there):
                        if when_taken == "ask":
                            raise InputError(f"There is already something called {shown(taken)}.")
                        if when_taken == "replace":
                            replaced.append(Removed(self._joined(taken), self._trash.discard(target, taken)))
                        new = taken if when_taken == "replace" else free_name(name, there)
                    move(source, name, target, new)
                    moved.append((name, new))
                    there.add(new)
            except BaseException:
                for name, new in moved:
                    move(target, new, source, name)
                for removed in replaced:
                    self._trash.put_back(removed.discarded, target, removed.discarded.name)
                raise
        self.discard()
        return Arrived([self._joined(new) for _, new in moved], replaced)

    def discard(self) -> None:
        """Throw away what was not moved in."""
        shutil.rmtree(self._place, ignore_errors=True)

    def _joined(self, name: str) -> str:
        return f"{self._path}/{name}" if self._path else name


def _sweep(incoming: Path) -> None:
    oldest = time.time() - FORGOTTEN
    for place in incoming.iterdir():
        with suppress(OSError):
            if place.lstat().st_mtime < oldest:
                shutil.rmtree(place, ignore_errors=True)
