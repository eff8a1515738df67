"""Comparison of a benchmark with a file, another benchmark, a published version, or an earlier state of itself."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karenina_gui.authoring.changes import Changes
from karenina_gui.authoring.comparison.differences import Differences, compare
from karenina_gui.authoring.comparison.fields import question_values
from karenina_gui.authoring.comparison.merging import Choice, steps_of
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.formats.checkpoints.checkpoint import read_checkpoint
from karenina_gui.formats.checkpoints.root import stated_version
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.store.actors import one_command
from karenina_gui.store.exchanges import NEVER_SEEN
from karenina_gui.store.frozen import Frozen
from karenina_gui.store.library import Library

if TYPE_CHECKING:
    from karenina_gui.authoring.comparison.linked_files import LinkedFiles

KEPT_FILES = 8
"""Files that stay comparable; they are compressed in memory."""
LINKED = "linked"
"""Stands for the linked file in addresses."""
EDITED_MEANWHILE = (
    "The benchmark was edited in the meantime, so nothing was applied. The differences are up to date again: "
    "check them."
)


@dataclass(frozen=True)
class OtherVersion:
    """Version that a benchmark is compared with."""

    address: str
    """Such as `version:3`, as addresses of the page hold it."""
    title: str
    document: BenchmarkDocument
    base: BenchmarkDocument | None = None
    """Common ancestor with the benchmark, if known."""
    notes: tuple[str, ...] = ()
    """Sentences about parts of the file that cannot be used as they stand."""

    @property
    def heading(self) -> str:
        """Title at the beginning of a line; names of files and versions stay as they are."""
        described = self.address.startswith(("run:", "command:"))
        return self.title[0].upper() + self.title[1:] if described else self.title


@dataclass(frozen=True)
class BenchmarkComparison:
    """A benchmark next to another version."""

    benchmark_id: int
    revision: int
    """Revision of the benchmark when it was read."""
    name: str
    """Name of the benchmark."""
    other: OtherVersion
    differences: Differences


@dataclass(frozen=True)
class _ComparedFile:
    name: str
    state: Frozen
    notes: tuple[str, ...]


class Comparisons:
    """Compares benchmarks and takes over differences; safe to use from any thread."""

    def __init__(self, library: Library, changes: Changes, links: LinkedFiles) -> None:
        self._library = library
        self._changes = changes
        self._links = links
        self._files: OrderedDict[str, _ComparedFile] = OrderedDict()
        self._lock = threading.Lock()

    def add_file(self, path: Path) -> str:
        """Read a checkpoint to compare with, and return its address. Raises `FileFormatError`."""
        document, notes = read_apart(read_checkpoint, path)
        return self.add_document(path.name, document, notes)

    def add_document(self, name: str, document: BenchmarkDocument, notes: Sequence[str] = ()) -> str:
        """Keep the content of a file of this name to compare with, and return its address."""
        state = Frozen.of(document)
        key = state.key[:16]
        # By content, so that a file that is chosen twice has one address, and none reveals a path of this computer.
        with self._lock:
            self._files[key] = _ComparedFile(name, state, tuple(notes))
            self._files.move_to_end(key)
            while len(self._files) > KEPT_FILES:
                self._files.popitem(last=False)
        return f"file:{key}"

    def open(self, benchmark_id: int, address: str) -> BenchmarkComparison:
        """Compare a benchmark with the version at an address.

        Raises `NotFoundError` if that version is gone, and `FileFormatError` if the linked file cannot be read.
        """
        other = self._other(benchmark_id, address)
        return self._compare(benchmark_id, other)

    def again(self, comparison: BenchmarkComparison) -> BenchmarkComparison:
        """Compare with the same version again, after edits of the benchmark."""
        return self._compare(comparison.benchmark_id, comparison.other)

    def apply(self, comparison: BenchmarkComparison, choice: Choice) -> int:
        """Apply differences to the benchmark, as one command; returns the number of affected questions.

        Raises `InputError` if one of them is another one by now, or cannot be applied; nothing is then changed.
        """
        steps = steps_of(comparison.differences, choice)
        table = "question" if steps.questions else "benchmark"
        with one_command(f"{table}.apply", file=comparison.other.title, count=max(steps.questions, 1)):
            while not self._library.merges.apply(comparison.benchmark_id, steps, expected_revision=comparison.revision):
                # Edits of other questions are no reason to refuse: the choice is still about the same differences.
                fresh = self.again(comparison)
                if _facts_of(fresh.differences, choice) != _facts_of(comparison.differences, choice):
                    raise InputError(EDITED_MEANWHILE)
                comparison = fresh
        self._changes.emit(comparison.benchmark_id, "replaced")
        if steps.details:
            self._changes.emit(comparison.benchmark_id, "edited")
        return steps.questions

    def _compare(self, benchmark_id: int, other: OtherVersion) -> BenchmarkComparison:
        here, revision = self._library.benchmarks.document_with_revision(benchmark_id)
        # Two benchmarks of a library have names of their own on purpose.
        names = not other.address.startswith("benchmark:")
        differences = compare(here, other.document, other.base, names=names)
        return BenchmarkComparison(benchmark_id, revision, here.name, other, differences)

    def _other(self, benchmark_id: int, address: str) -> OtherVersion:
        kind, _, key = address.partition(":")
        if kind == "file":
            return self._file(benchmark_id, address, key)
        if address == LINKED:
            return self._link_version(benchmark_id)
        if not key.isdecimal():
            raise NotFoundError("The address doesn’t name a version to compare with.")
        title, document = self._version_in_library(benchmark_id, kind, int(key))
        base = self._ancestor_of_both(benchmark_id, int(key), document) if kind == "benchmark" else None
        return OtherVersion(address, title, document, base)

    def _ancestor_of_both(self, benchmark_id: int, other: int, document: BenchmarkDocument) -> BenchmarkDocument | None:
        """State from which two benchmarks of the library were made, such as by *Duplicate benchmark*."""
        exchanges = self._library.exchanges
        here = self._library.benchmarks.document(benchmark_id)
        # A file that the other benchmark came from says nothing about this one unless they share questions.
        theirs = [ancestor for ancestor in exchanges.ancestors(other) if nearest(here, [ancestor])]
        return nearest(document, [*exchanges.ancestors(benchmark_id), *theirs])

    def _version_in_library(self, benchmark_id: int, kind: str, number: int) -> tuple[str, BenchmarkDocument]:
        library = self._library
        if kind == "benchmark":
            document = library.benchmarks.document(number)
            return document.name, document
        if kind == "version":
            return library.published.get(number).label, library.published.document(number)
        if kind == "run":
            run = library.runs.summary(number)
            return f"the benchmark of the run “{run.name}”", library.snapshots.document(run.benchmark_hash)
        if kind == "command":
            return "an earlier state", library.versions.document(benchmark_id, number)
        raise NotFoundError("The address doesn’t name a version to compare with.")

    def _file(self, benchmark_id: int, address: str, key: str) -> OtherVersion:
        with self._lock:
            file = self._files.get(key)
        if file is None:
            raise NotFoundError("This file is no longer open. Choose it again.")
        document = file.state.document
        base = self._ancestor_of_file(benchmark_id, document)
        return OtherVersion(address, file.name, document, base, file.notes)

    def _ancestor_of_file(self, benchmark_id: int, document: BenchmarkDocument) -> BenchmarkDocument | None:
        """The published version that the file names, whatever was edited in it since; otherwise the nearest state."""
        if sha256 := stated_version(document):
            published = self._library.published
            for version in published.all(benchmark_id):
                if version.sha256 == sha256:
                    return published.document(version.id)
        return nearest(document, self._library.exchanges.ancestors(benchmark_id))

    def _link_version(self, benchmark_id: int) -> OtherVersion:
        file = self._links.read(benchmark_id)
        exchanges = self._library.exchanges
        link = exchanges.link(benchmark_id)
        if link is not None and link.seen == NEVER_SEEN:
            base = self._ancestor_of_file(benchmark_id, file.document)
        else:
            base = exchanges.linked_state(benchmark_id)
        return OtherVersion(LINKED, file.path.name, file.document, base, tuple(file.notes))


def nearest(document: BenchmarkDocument, ancestors: Sequence[BenchmarkDocument]) -> BenchmarkDocument | None:
    """The ancestor from which the fewest questions differ, the newest of several; None: none has one unchanged."""
    values = {entry.id: question_values(entry) for entry in document.entries}

    def differing(ancestor: BenchmarkDocument) -> int:
        before = {entry.id: question_values(entry) for entry in ancestor.entries}
        return sum(values.get(key) != before.get(key) for key in values.keys() | before.keys())

    related = [one for one in ancestors if any(values.get(e.id) == question_values(e) for e in one.entries)]
    return min(related, key=differing, default=None)


def _facts_of(differences: Differences, choice: Choice) -> list[Any]:
    """Everything that a choice applies and replaces."""
    questions = (differences.by_key.get(key) for key in choice.questions)
    return [
        *((one.kind, one.fields, one.here and question_values(one.here)) for one in questions if one),
        *(detail for detail in differences.details if detail.name in choice.details),
    ]
