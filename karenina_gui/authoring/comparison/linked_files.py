"""Checkpoint files on this computer that belong to benchmarks and are watched for changes from outside."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from karenina_gui.authoring.comparison.differences import compare
from karenina_gui.authoring.folder_watch import FolderWatch
from karenina_gui.errors import FileFormatError, InputError, KareninaError, NotFoundError
from karenina_gui.events import Signal
from karenina_gui.formats.atomic_file import write_atomically
from karenina_gui.formats.checkpoints.checkpoint import SUFFIXES, checkpoint_bytes, parse_checkpoint
from karenina_gui.formats.json_text import parse_content
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.private_folders import is_private
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.store.exchanges import NEVER_SEEN, LinkedFile
from karenina_gui.store.frozen import Frozen
from karenina_gui.store.library import Library

log = logging.getLogger(__name__)

RETRY = 2.0
"""Seconds until a file that cannot be read is tried again; another program may still be writing it."""
TRIES = 5
"""Number of such attempts. Each further change of the file counts as a new one."""

FileCondition = Literal["same", "changed", "missing", "broken"]


@dataclass(frozen=True)
class LinkedFileState:
    """Linked file as it was last seen."""

    path: Path
    condition: FileCondition = "same"
    changed: int = 0
    """Questions that differ from the content that the user last dealt with, like the other counts."""
    added: int = 0
    deleted: int = 0
    details: int = 0
    """Fields of the benchmark itself."""
    never_seen: bool = False
    """True if the file was linked with content that this benchmark never had; counts are of differences from it."""
    problem: str = ""
    """Reason why it cannot be read, if it is broken."""


@dataclass(frozen=True)
class ReadFile:
    """Content of a linked file."""

    path: Path
    sha256: str
    document: BenchmarkDocument
    notes: list[str] = field(default_factory=list)


class LinkedFiles:
    """Links between benchmarks and files; safe to use from any thread, except that of the windows.

    A file is only ever written by `write`.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._watch = FolderWatch(self._look_in)
        self._states: dict[int, LinkedFileState] = {}
        self._marks: dict[int, object] = {}
        """Size and times of each file when it was read, and the content that was known then."""
        self._stops: dict[int, Callable[[], None]] = {}
        # A file is compared by one thread at a time, however many changes are reported.
        self._lock = threading.RLock()
        self._timers: dict[int, threading.Timer] = {}
        self.changed: Signal[[int]] = Signal()
        """Another state of the linked file of this benchmark; emitted in any thread."""

    def start(self) -> None:
        """Watch all linked files, and look at them once."""
        for link in self._library.exchanges.links():
            self._follow(link)

    def close(self) -> None:
        with self._lock:
            for timer in self._timers.values():
                timer.cancel()
            for stop in self._stops.values():
                stop()
            self._stops.clear()

    def state(self, benchmark_id: int) -> LinkedFileState | None:
        """Last known state of the linked file; None: no file is linked, or it was not looked at yet."""
        return self._states.get(benchmark_id)

    def link(self, benchmark_id: int, text: str) -> LinkedFile:
        """Link an existing checkpoint by its path.

        A file with content that this benchmark never had counts as changed until it is compared. Raises `InputError`
        if the file is not a checkpoint.
        """
        path = checked_path(text)
        if not path.is_file():
            raise InputError(f"{path.name} doesn’t exist in this folder.")
        file = _read(path)
        here = self._library.benchmarks.document(benchmark_id)
        if self._has_known(benchmark_id, here, file):
            self._library.exchanges.set_link(benchmark_id, path, file.sha256, Frozen.of(file.document))
        else:
            self._library.exchanges.set_link(benchmark_id, path, NEVER_SEEN, Frozen.of(here))
        return self._link_of(benchmark_id)

    def holds_other_work(self, benchmark_id: int) -> bool:
        """True if the linked file has content that this benchmark never had, which `write` would replace.

        False for a file that cannot be read.
        """
        try:
            file = self.read(benchmark_id)
        except (FileFormatError, NotFoundError):
            return False
        return not self._has_known(benchmark_id, self._library.benchmarks.document(benchmark_id), file)

    def _has_known(self, benchmark_id: int, here: BenchmarkDocument, file: ReadFile) -> bool:
        """True if the benchmark (`here`) has the content of a file, or had it when it was exchanged or published."""
        versions = [here, *self._library.exchanges.ancestors(benchmark_id)]
        return any(not compare(version, file.document).some for version in versions)

    def write(self, benchmark_id: int, text: str = "") -> LinkedFile:
        """Write the benchmark into its linked file, or into a new one that is linked then.

        Raises `InputError` if the file was changed outside since the user last dealt with it, or cannot be written.
        """
        link = self._library.exchanges.link(benchmark_id)
        path = checked_path(text) if text.strip() or link is None else link.path
        document = self._library.benchmarks.document(benchmark_id)
        # Before the look at the file, because it takes seconds, in which the file may change.
        content, state = checkpoint_bytes(document), Frozen.of(document)
        with self._lock:
            # A file that was never looked at may be the only copy of somebody’s work.
            if path.exists() and (link is None or link.path != path or _sha256(path) != link.seen):
                raise InputError(f"{path.name} has other content than you last saw. Compare it first.")
            write_atomically(path, content, backup=True)
            self._library.exchanges.set_link(benchmark_id, path, hashlib.sha256(content).hexdigest(), state)
            self._library.exchanges.note(benchmark_id, state)
        return self._link_of(benchmark_id)

    def unlink(self, benchmark_id: int) -> None:
        """Watch the file no longer; it stays as it is."""
        self._library.exchanges.remove_link(benchmark_id)
        self._unfollow(benchmark_id)
        self.changed.emit(benchmark_id)

    def settle(self, benchmark_id: int, seen: BenchmarkDocument | None = None) -> None:
        """Note that the user has dealt with the file.

        `seen`: content that the user has seen; None: the file as it is now. Raises `InputError` if it cannot be read,
        or has other content by now.
        """
        file = self.read(benchmark_id)
        if seen is not None and compare(seen, file.document).some:
            raise InputError(f"{file.path.name} has changed again. Compare it again.")
        self._library.exchanges.set_link(benchmark_id, file.path, file.sha256, Frozen.of(file.document))
        self.look(benchmark_id)

    def read(self, benchmark_id: int) -> ReadFile:
        """Content of the linked file. Raises `NotFoundError` and `FileFormatError`."""
        link = self._library.exchanges.link(benchmark_id)
        if link is None:
            raise NotFoundError("No file is linked to this benchmark.")
        try:
            return _read(link.path)
        except FileNotFoundError as error:
            raise NotFoundError(f"{link.path.name} is no longer in its folder.") from error

    def look(self, benchmark_id: int, tries: int = TRIES) -> None:
        """Look at the file of a benchmark now."""
        with self._lock:
            link = self._library.exchanges.link(benchmark_id)
            if link is None:
                return
            before, mark = self._states.get(benchmark_id), (link, _mark_of(link.path))
            # Other files of the folder may change several times a second.
            if before is not None and before.condition != "broken" and self._marks.get(benchmark_id) == mark:
                return
            state = self._look_at(link)
            self._states[benchmark_id], self._marks[benchmark_id] = state, mark
            if state.condition == "broken" and tries > 0:
                self._try_later(benchmark_id, tries - 1)
        if state != before:
            self.changed.emit(benchmark_id)

    def _look_at(self, link: LinkedFile) -> LinkedFileState:
        try:
            file = _read(link.path)
            base = self._library.exchanges.linked_state(link.benchmark_id)
        except FileNotFoundError:
            return LinkedFileState(link.path, "missing")
        except KareninaError as error:
            return LinkedFileState(link.path, "broken", problem=str(error))
        if file.sha256 == link.seen or base is None:
            return LinkedFileState(link.path)
        differences = compare(base, file.document)
        counts = differences.counts
        # Written again with other dates or spaces alone, as version control does.
        if not differences.some:
            return LinkedFileState(link.path)
        return LinkedFileState(
            link.path,
            "changed",
            counts["changed"],
            counts["there"],
            counts["here"],
            details=len(differences.details),
            never_seen=link.seen == NEVER_SEEN,
        )

    def _try_later(self, benchmark_id: int, tries: int) -> None:
        if (earlier := self._timers.pop(benchmark_id, None)) is not None:
            earlier.cancel()
        # The last write of a program may come too soon after the others to be reported as a change of its own.
        timer = threading.Timer(RETRY, self.look, (benchmark_id, tries))
        timer.daemon = True
        self._timers[benchmark_id] = timer
        timer.start()

    def _link_of(self, benchmark_id: int) -> LinkedFile:
        link = self._library.exchanges.link(benchmark_id)
        assert link is not None
        self._unfollow(benchmark_id)
        self._follow(link)
        return link

    def _follow(self, link: LinkedFile) -> None:
        # A missing folder cannot be watched; its file is looked at again at the next start.
        stop = self._watch.start(link.path.parent, deep=False) if link.path.parent.is_dir() else None
        with self._lock:
            if stop is not None:
                self._stops[link.benchmark_id] = stop
        self.look(link.benchmark_id)

    def _unfollow(self, benchmark_id: int) -> None:
        with self._lock:
            self._states.pop(benchmark_id, None)
            if (stop := self._stops.pop(benchmark_id, None)) is not None:
                stop()

    def _look_in(self, folder: Path) -> None:
        """Look at the files in a folder in which something has changed."""
        try:
            for link in self._library.exchanges.links():
                if link.path.parent == folder:
                    self.look(link.benchmark_id)
        except Exception:  # in a thread of the watch, whose end nobody would notice
            log.exception("The linked files in %s can’t be looked at", folder)


def checked_path(text: str) -> Path:
    """Path of a checkpoint as it was typed. Raises `InputError` if it cannot be one."""
    path = Path(text.strip()).expanduser()
    if not path.is_absolute():
        raise InputError("Enter the whole path of the file, such as /home/you/benchmark.jsonld.")
    if path.suffix.lower() not in SUFFIXES:
        raise InputError("A benchmark file ends in .jsonld or .json.")
    if not path.parent.is_dir():
        raise InputError(f"The folder {path.parent} doesn’t exist.")
    if is_private(path):
        raise InputError("The application stores its own data here. Choose another folder.")
    return path


def _read(path: Path) -> ReadFile:
    """Read a file. Raises `FileNotFoundError`, and `FileFormatError` if it is incomplete or no benchmark."""
    return read_apart(_read_here, path)


def _read_here(path: Path) -> ReadFile:
    content = _bytes(path)
    document, notes = parse_checkpoint(parse_content(content, path), path=path)
    return ReadFile(path, hashlib.sha256(content).hexdigest(), document, notes)


def _mark_of(path: Path) -> tuple[int, ...] | None:
    """Numbers that change with the content of a file; None: it is missing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _sha256(path: Path) -> str:
    return hashlib.sha256(_bytes(path)).hexdigest()


def _bytes(path: Path) -> bytes:
    # Linked before, or a link that was changed since.
    if is_private(path):
        raise FileFormatError(f"{path.name} can’t be read: it is in the application’s own data.", path=str(path))
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise FileFormatError(f"{path.name} can’t be read: {error.strerror}.", path=str(path)) from error
