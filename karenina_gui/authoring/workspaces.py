"""Workspaces of agent tasks: their places on this machine, and their content."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from karenina_gui.authoring.changes import Changes
from karenina_gui.authoring.folder_watch import FolderWatch
from karenina_gui.authoring.staged_upload import StagedUpload
from karenina_gui.authoring.trash import Trash
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.authoring.workspace_listing import totals
from karenina_gui.authoring.workspace_names import PARTIAL
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.events import Signal
from karenina_gui.private_folders import folder_problem
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder, in_plain_words, printable_path
from karenina_gui.sandbox.workspace.safe_import import Intake
from karenina_gui.schemas.question import checked_workspace_path
from karenina_gui.schemas.workspace import RUN_COPY
from karenina_gui.store.library import Library

MOST_SUGGESTED = 500
"""Number of folders below a root that are offered."""
_BLOCK = 1 << 18


@dataclass(frozen=True)
class RootCheck:
    """Verdict on a folder that somebody wants as a root."""

    state: Literal["good", "missing", "refused"]
    """missing: it is not there, but can be made."""
    message: str = ""
    path: Path | None = None
    """The whole path; None if it is refused."""


@dataclass(frozen=True)
class Workspace:
    """State and place of a question's workspace."""

    state: Literal["no_root", "no_path", "missing", "refused", "there"]
    """no_root: none is set, or it is not there. missing: the path is good, the folder is not there."""
    message: str = ""
    root: Path | None = None
    files: WorkspaceFiles | None = None


@dataclass(frozen=True)
class RunCopy:
    """The working copy of a run, left behind because it was to be kept, or the run was killed."""

    path: str
    """Below the root."""
    size: int
    """Bytes."""
    in_use: bool
    """Another program that goes on made it, maybe a run."""


class Workspaces:
    """Finds, makes and copies workspaces; safe to use from any thread.

    A root belongs to this machine: no file of a benchmark ever has it. Every call with a benchmark's id raises
    `NotFoundError` if there is none, and calls with paths raise `InputError`.
    """

    def __init__(self, library: Library, changes: Changes) -> None:
        self._benchmarks = library.benchmarks
        self._questions = library.questions
        self._changes = changes
        self._trash = Trash(library.folder / "trash")
        self._incoming = library.folder / "incoming"
        self.changed_outside: Signal[[Path]] = Signal()
        """Something in this watched folder has changed; at most five times a second."""
        self._watch = FolderWatch(self.changed_outside.emit)

    def root(self, benchmark_id: int) -> Path | None:
        """The folder below which the benchmark's workspaces are; None: not set."""
        return self._benchmarks.on_this_computer(benchmark_id).workspace_root

    def set_root(self, benchmark_id: int, text: str | None, *, make: bool = False) -> Path | None:
        """Remember the root for this machine; None forgets it.

        `make`: a folder that is not there is made. Raises `InputError` if the folder cannot be a root.
        """
        if text is None:
            self._benchmarks.set_workspace_root(benchmark_id, None)
            self._changes.emit(benchmark_id, "edited")
            return None
        check = self.check_root(text)
        if check.path is None or (check.state == "missing" and not make):
            raise InputError(check.message)
        if check.state == "missing":
            with in_plain_words(str(check.path)):
                check.path.mkdir(parents=True)
        self._benchmarks.set_workspace_root(benchmark_id, str(check.path))
        self._changes.emit(benchmark_id, "edited")
        return check.path

    def check_root(self, text: str) -> RootCheck:
        """Look for anything that stands against this folder as a root."""
        if not text.strip():
            return RootCheck("refused", "Enter the path of a folder on this computer.")
        try:
            return self._check_root(Path(text.strip()).expanduser())
        except (OSError, RuntimeError, ValueError) as fault:
            return RootCheck("refused", f"Invalid path: {getattr(fault, 'strerror', None) or fault}.")

    def suggested_root(self, name: str) -> Path:
        """Path of a new folder in the home folder for the workspaces of the benchmark with this name."""
        plain = "-".join(re.findall(r"\w+", name.lower()))[:60] or "benchmark"
        folder = Path("~/karenina-workspaces").expanduser()
        names = (plain, *(f"{plain}-{number}" for number in range(2, 1000)))
        return next(folder / name for name in names if not (folder / name).exists())

    def subfolders(self, folder: Path) -> list[str]:
        """Names of the folders in a folder of this computer, without hidden ones; empty if it can’t be read."""
        with suppress(OSError), os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
            return sorted(names, key=str.casefold)[:MOST_SUGGESTED]
        return []

    def open(self, root: Path, workspace_path: str) -> WorkspaceFiles:
        """Open the files of the workspace.

        Raises `InputError` if it leaves the root, or is no folder.
        """
        return WorkspaceFiles(resolve(root, workspace_path), self._trash, self._incoming)

    def check(self, benchmark_id: int, workspace_path: str) -> None:
        """Make sure that the path stays inside the root.

        Raises `InputError` if it leaves the root, by what it says or by a link that is there now.
        """
        path, root = _check(workspace_path), self.root(benchmark_id)
        if root is not None and root.is_dir():
            ConfinedFolder(root).real_path(path)

    def find(self, benchmark_id: int, workspace_path: str | None) -> Workspace:
        """Look how a question's workspace stands just now."""
        root = self.root(benchmark_id)
        if root is None:
            return Workspace("no_root")
        if problem := folder_problem(root):
            return Workspace("no_root", problem, root)
        if not root.is_dir():
            return Workspace("no_root", f"Folder {root} not found. Was it moved, or is a disk disconnected?", root)
        if not workspace_path:
            return Workspace("no_path", root=root)
        try:
            return Workspace("there", root=root, files=self.open(root, workspace_path))
        except NotFoundError:
            return Workspace("missing", root=root)
        except InputError as error:
            return Workspace("refused", str(error), root)

    def missing(self, benchmark_id: int, question_ids: Collection[str]) -> list[str]:
        """Ids among these of the questions whose workspace is not there, or leads outside the root.

        Without a root: of all that have one.
        """
        paths, root = dict(self._questions.workspace_paths(benchmark_id)), self.root(benchmark_id)
        return [id_ for id_ in question_ids if id_ in paths and not (root and _is_there(root, paths[id_]))]

    def create_folder(self, benchmark_id: int, workspace_path: str) -> None:
        """Make a question's workspace, with the folders above it.

        Raises `InputError` if it would leave the root.
        """
        _make_folders(ConfinedFolder(self._root(benchmark_id)), _check(workspace_path))

    def copy(
        self, benchmark_id: int, source: str, workspace_path: str, begun: Callable[[Intake], None] = lambda _: None
    ) -> list[str]:
        """Make a workspace as the copy of another folder below the root; all of it or nothing.

        Returns one sentence for everything that was left out. `begun` gets the intake, which counts and can be stopped.

        Raises `InputError` also if the new workspace is there already, or the other one is too large.
        """
        path, root = _check(workspace_path), self._root(benchmark_id)
        closed, template = ConfinedFolder(root), resolve(root, source)
        above, _, name = path.rpartition("/")
        # A link that leads nowhere takes the name too.
        if os.path.lexists(closed.path / path):
            raise InputError(f"{printable_path(path)} already exists. Choose another name.")
        # The copy would be copied into itself.
        if Path(closed.path / closed.real_path(path)).is_relative_to(template.path):
            raise InputError(f"{printable_path(path)} is inside the folder being copied. Choose another name.")
        with StagedUpload(closed, above, self._trash, self._incoming) as arrival:
            intake = arrival.inside(name)
            begun(intake)
            notes = copy_into(template, intake)
            _make_folders(closed, above)
            arrival.commit("ask")
        return notes

    def discard(self, benchmark_id: int, workspace_path: str) -> None:
        """Move a whole workspace into the trash."""
        with (
            ConfinedFolder(self._root(benchmark_id)).parent(_check(workspace_path)) as (folder, name),
            in_plain_words(workspace_path),
        ):
            os.stat(name, dir_fd=folder, follow_symlinks=False)
            self._trash.discard(folder, name)

    def suggestions(self, benchmark_id: int) -> list[str]:
        """Names of folders below the root."""
        root = self.root(benchmark_id)
        if root is None or folder_problem(root):
            return []
        try:
            with os.scandir(root) as entries:
                names = [entry.name for entry in entries if entry.is_dir() and not _is_apart(entry.name)]
        except OSError:
            return []
        return sorted(names)[:MOST_SUGGESTED]

    def templates(self, benchmark_id: int) -> list[str]:
        """Folders below the root that a workspace can be a copy of: those of its questions, and those suggested."""
        root = self.root(benchmark_id)
        of_questions = [] if root is None else [path for path in self._paths(benchmark_id) if _is_there(root, path)]
        return sorted({*of_questions, *self.suggestions(benchmark_id)})

    def run_copies(self, benchmark_id: int) -> list[RunCopy]:
        """Working copies of runs that are left beside the workspaces."""
        root = self.root(benchmark_id)
        if root is None or not root.is_dir() or folder_problem(root):
            return []
        closed = ConfinedFolder(root)
        above = {"", *(path.rpartition("/")[0] for path in self._paths(benchmark_id))}
        return [_run_copy(closed, path) for folder in sorted(above) for path in _run_copies_in(closed, folder)]

    def remove_run_copies(self, benchmark_id: int, paths: Sequence[str]) -> list[str]:
        """Delete working copies for good, and nothing else; returns one sentence for each that could not be.

        Whoever calls has seen to it that no run of `sharing` goes on.
        """
        closed, problems = ConfinedFolder(self._root(benchmark_id)), []
        for path in paths:
            try:
                with closed.parent(path) as (folder, name), in_plain_words(path):
                    # Checked once more: the list may be old, and the folder's name comes from a browser.
                    match = RUN_COPY.match(name)
                    if match is not None and not _is_running(match["process"]):
                        shutil.rmtree(name, dir_fd=folder)
            except NotFoundError:
                continue
            except InputError as error:
                problems.append(str(error))
        return problems

    def sharing(self, benchmark_id: int) -> list[int]:
        """Benchmarks whose roots are the same folder, or one of them inside the other; this one is among them."""
        roots = {other: Path(root).resolve() for other, root in self._benchmarks.workspace_roots().items()}
        mine = roots.get(benchmark_id)
        if mine is None:
            return [benchmark_id]
        return [other for other, root in roots.items() if root.is_relative_to(mine) or mine.is_relative_to(root)]

    def watch(self, folder: Path, *, deep: bool = True) -> Callable[[], None] | None:
        """Watch a folder; returns a function that ends it. None: this computer cannot watch it."""
        return self._watch.start(folder, deep=deep)

    def _root(self, benchmark_id: int) -> Path:
        root = self.root(benchmark_id)
        if root is None:
            raise InputError("Set the workspace root first.")
        return root

    def _paths(self, benchmark_id: int) -> list[str]:
        """Workspaces of the benchmark's questions, no matter if they are there."""
        paths = []
        for path in sorted({path for _, path in self._questions.workspace_paths(benchmark_id)}):
            with suppress(InputError):
                paths.append(_check(path))
        return paths

    def _check_root(self, path: Path) -> RootCheck:
        if not path.is_absolute():
            return RootCheck("refused", "Enter the full path, such as /home/you/tasks.")
        # Every folder of this computer would then be a possible workspace.
        if path.resolve() == Path(path.resolve().anchor):
            return RootCheck("refused", "This is the root of a disk. Choose a folder for workspaces.")
        if problem := folder_problem(path):
            return RootCheck("refused", problem)
        if not path.exists():
            return RootCheck("missing", f"Folder {path} doesn’t exist.", path)
        if not path.is_dir():
            return RootCheck("refused", "This is a file. Choose a folder for workspaces.")
        try:
            os.scandir(path).close()
        except PermissionError:
            return RootCheck("refused", "You don’t have permission to read this folder.")
        return RootCheck("good", "", path)


def resolve(root: Path, workspace_path: str) -> ConfinedFolder:
    """Open the real folder of a workspace inside its root.

    Raises `InputError` if it leads outside or is no folder, `NotFoundError` if it is not there.
    """
    folder = ConfinedFolder(root).below(_check(workspace_path))
    with folder.folder():
        return folder


def _make_folders(closed: ConfinedFolder, path: str) -> None:
    above = ""
    for part in path.split("/") if path else ():
        # What is there already and is no folder is found in the next step.
        with closed.folder(above) as handle, in_plain_words(part), suppress(FileExistsError):
            os.mkdir(part, 0o755, dir_fd=handle)
        above = f"{above}/{part}" if above else part
    with closed.folder(above):
        pass


def _is_apart(name: str) -> bool:
    """Check for a folder that is no workspace of an author."""
    return name.startswith(".") or RUN_COPY.match(name) is not None


def _is_there(root: Path, path: str) -> bool:
    try:
        resolve(root, path)
    except InputError:
        return False
    return True


def _run_copies_in(closed: ConfinedFolder, folder: str) -> list[str]:
    """Paths of working copies in a folder; empty if the folder cannot be read."""
    with suppress(InputError), closed.folder(folder) as handle, os.scandir(handle) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        return [f"{folder}/{name}" if folder else name for name in names if RUN_COPY.match(name)]
    return []


def _run_copy(closed: ConfinedFolder, path: str) -> RunCopy:
    match = RUN_COPY.match(path)
    size = 0
    with suppress(InputError):
        size = totals(closed.below(path)).size
    return RunCopy(path, size, match is not None and _is_running(match["process"]))


def _is_running(process: str) -> bool:
    """Check if another program of this number goes on; the caller knows better of this one."""
    number = int(process)
    # 0 would mean this program's whole group.
    if number in (0, os.getpid()):
        return False
    # Signal 0 does nothing but ask.
    try:
        os.kill(number, 0)
    # It goes on, for another person.
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _check(workspace_path: str) -> str:
    try:
        path = checked_workspace_path(workspace_path)
    except ValueError as fault:
        raise InputError(str(fault)) from fault
    if path is None:
        raise InputError("The question has no workspace yet.")
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def copy_into(source: ConfinedFolder, intake: Intake) -> list[str]:
    """Copy everything; returns one sentence for each link and each special file that was left out.

    Links stay links if they lead to something inside. Raises `InputError`, and then nothing is copied.
    """
    links: dict[str, str] = {}
    notes: list[str] = []
    with intake, source.folder() as handle:
        for path, name, folder in _walk(handle):
            with in_plain_words(path):
                about = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISLNK(about.st_mode):
                    links[path] = os.readlink(name, dir_fd=folder)
                elif stat.S_ISDIR(about.st_mode):
                    intake.make_folder(path)
                elif stat.S_ISREG(about.st_mode):
                    intake.write(path, _blocks(folder, name), executable=bool(about.st_mode & stat.S_IXUSR))
                else:
                    notes.append(f"Skipped {printable_path(path)}: it is not an ordinary file.")
        out = _link(intake, links)
        notes += [f"Skipped {printable_path(path)}: it is a link to a place outside the folder." for path in out]
    return notes


def _walk(handle: int) -> Iterator[tuple[str, str, int]]:
    """Path, name and handle of the folder above it, of everything below; folders that cannot be read are a fault."""

    # `os.fwalk` would leave them out without a word, and the copy would lack them.
    def fail(fault: OSError) -> None:
        raise fault

    for above, folders, files, inner in os.fwalk(".", onerror=fail, dir_fd=handle, follow_symlinks=False):
        folders[:] = [folder for folder in sorted(folders) if not RUN_COPY.match(folder) and not PARTIAL.match(folder)]
        for name in [*folders, *sorted(files)]:
            if not PARTIAL.match(name):
                yield (PurePosixPath(above) / name).as_posix(), name, inner


def _blocks(folder: int, name: str) -> Iterator[bytes]:
    # A link or a pipe may have taken its place since it was looked at.
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _link(intake: Intake, links: dict[str, str]) -> list[str]:
    """Make the links anew, and take those away that lead out of the copy; returns these."""
    for path, target in links.items():
        intake.link(path, target)
    out: list[str] = []
    while leading_out := [path for path in links if path not in out and intake.leads_out(path)]:
        for path in leading_out:  # without it another one may lead elsewhere
            intake.unlink(path)
        out += leading_out
    return sorted(out)
