"""Workspaces of agent tasks: where they are on this machine, and what is in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from karenina_gui.authoring.changes import Changes
from karenina_gui.authoring.folder_watch import FolderWatch
from karenina_gui.authoring.trash import Trash
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.listeners import Listeners
from karenina_gui.sandbox.confined_folder import ConfinedFolder, in_plain_words
from karenina_gui.schemas.question import checked_workspace_path
from karenina_gui.store.library import Library

MOST_SUGGESTED = 500
"""Folders below a root that are offered."""


@dataclass(frozen=True)
class RootCheck:
    """What can be said of a folder that somebody wants as a root."""

    state: Literal["good", "missing", "refused"]
    """missing: it is not there, but can be made."""
    message: str = ""
    path: Path | None = None
    """The whole path; None where it is refused."""


@dataclass(frozen=True)
class Workspace:
    """Where a question's workspace stands."""

    state: Literal["no root", "no path", "missing", "refused", "there"]
    """no root: none is set, or it is not there. missing: the path is good, the folder is not there."""
    message: str = ""
    root: Path | None = None
    files: WorkspaceFiles | None = None


class Workspaces:
    """Safe to use from any thread. A root belongs to this machine: no file of a benchmark ever has it.

    Errors of every call with a benchmark's id: `NotFoundError`; for paths: `InputError`.
    """

    def __init__(self, library: Library, changes: Changes) -> None:
        self._benchmarks = library.benchmarks
        self._questions = library.questions
        self._changes = changes
        self._data = library.folder
        self._trash = Trash(library.folder / "trash")
        self._outside: Listeners[[Path]] = Listeners()
        self._watch = FolderWatch(self._outside.tell)

    def root(self, benchmark_id: int) -> Path | None:
        """The folder below which the benchmark's workspaces are; None: not set."""
        kept = self._benchmarks.workspace_root(benchmark_id)
        return Path(kept) if kept else None

    def set_root(self, benchmark_id: int, text: str | None, *, make: bool = False) -> Path | None:
        """Remember the root for this machine; None forgets it. `make`: a folder that is not there is made."""
        if text is None:
            self._benchmarks.set_workspace_root(benchmark_id, None)
            self._changes.tell(benchmark_id, "edited")
            return None
        found = self.check_root(text)
        if found.path is None or (found.state == "missing" and not make):
            raise InputError(found.message)
        if found.state == "missing":
            with in_plain_words(str(found.path)):
                found.path.mkdir(parents=True)
        self._benchmarks.set_workspace_root(benchmark_id, str(found.path))
        self._changes.tell(benchmark_id, "edited")
        return found.path

    def check_root(self, text: str) -> RootCheck:
        """What stands against this folder as a root."""
        if not text.strip():
            return RootCheck("refused", "Write the path of a folder on this computer.")
        try:
            return self._checked_root(Path(text.strip()).expanduser())
        except (OSError, RuntimeError, ValueError) as fault:
            return RootCheck("refused", f"This path cannot be used: {getattr(fault, 'strerror', None) or fault}.")

    def open(self, root: Path, workspace_path: str) -> WorkspaceFiles:
        """The files of the workspace. Errors: `InputError` when it leaves the root, or is no folder."""
        return WorkspaceFiles(resolve(root, workspace_path), self._trash)

    def find(self, benchmark_id: int, workspace_path: str | None) -> Workspace:
        """How a question's workspace stands just now."""
        root = self.root(benchmark_id)
        if root is None:
            return Workspace("no root")
        if not root.is_dir():
            return Workspace("no root", f"The folder {root} is not there. Was it moved, or is a disk missing?", root)
        if not workspace_path:
            return Workspace("no path", root=root)
        try:
            return Workspace("there", root=root, files=self.open(root, workspace_path))
        except NotFoundError:
            return Workspace("missing", root=root)
        except InputError as error:
            return Workspace("refused", str(error), root)

    def missing(self, benchmark_id: int, question_ids: Collection[str]) -> list[str]:
        """Ids among these of the questions whose workspace is not there, or leads outside the root; without a root:
        of all that have one."""
        paths, root = self._questions.workspace_paths(benchmark_id), self.root(benchmark_id)
        return [each for each in question_ids if each in paths and not _is_there(root, paths[each])]

    def make(self, benchmark_id: int, workspace_path: str) -> None:
        """Make a question's workspace, with those above it. Errors: `InputError` when it would leave the root."""
        root = self.root(benchmark_id)
        if root is None:
            raise InputError("Set the root of the workspaces first.")
        closed = ConfinedFolder(root)
        above = ""
        for part in _checked(workspace_path).split("/"):
            # What is there already and is no folder is found in the next step.
            with closed.folder(above) as handle, in_plain_words(part), suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=handle)
            above = f"{above}/{part}" if above else part
        with closed.folder(above):
            pass

    def suggestions(self, benchmark_id: int) -> list[str]:
        """Names of folders below the root."""
        root = self.root(benchmark_id)
        if root is None:
            return []
        try:
            with os.scandir(root) as found:
                names = [each.name for each in found if each.is_dir() and not each.name.startswith(".")]
        except OSError:
            return []
        return sorted(names)[:MOST_SUGGESTED]

    def on_outside_change(self, callback: Callable[[Path], None]) -> None:
        """Calls `callback` with a watched folder when something in it has changed, at most five times a second."""
        self._outside.add(callback)

    def watch(self, folder: Path, *, deep: bool = True) -> Callable[[], None] | None:
        """Watch a folder; returns what ends it. None: this computer cannot watch it."""
        return self._watch.start(folder, deep=deep)

    def _checked_root(self, path: Path) -> RootCheck:
        if not path.is_absolute():
            return RootCheck("refused", "Give the whole path of the folder, such as /home/you/tasks.")
        if path.resolve() == Path(path.resolve().anchor):
            return RootCheck("refused", "This is the whole disk. Choose a folder made for the workspaces.")
        data = self._data.resolve()
        if data == path.resolve() or data in path.resolve().parents:
            return RootCheck("refused", "The application keeps its own data here. Choose another folder.")
        if not path.exists():
            return RootCheck("missing", f"There is no folder {path} yet.", path)
        if not path.is_dir():
            return RootCheck("refused", "This is a file. Choose the folder that holds the workspaces.")
        try:
            os.scandir(path).close()
        except PermissionError:
            return RootCheck("refused", "This folder cannot be read: this computer does not allow it.")
        return RootCheck("good", "", path)


def resolve(root: Path, workspace_path: str) -> ConfinedFolder:
    """The real folder of a workspace inside its root. Errors: `InputError` where it leads outside or is no folder,
    `NotFoundError` where it is not there."""
    folder = ConfinedFolder(root).below(_checked(workspace_path))
    with folder.folder():
        return folder


def _checked(workspace_path: str) -> str:
    try:
        path = checked_workspace_path(workspace_path)
    except ValueError as fault:
        raise InputError(str(fault)) from fault
    if path is None:
        raise InputError("The question has no workspace yet.")
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def _is_there(root: Path | None, workspace_path: str) -> bool:
    if root is None:
        return False
    with suppress(InputError, NotFoundError):
        resolve(root, workspace_path)
        return True
    return False
