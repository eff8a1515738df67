"""Benchmarks and questions from files and into files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from karenina_gui.authoring.changes import Changes
from karenina_gui.formats.checkpoint import read_checkpoint, save_checkpoint
from karenina_gui.store.library import Library


@dataclass(frozen=True)
class ImportedBenchmark:
    benchmark_id: int
    notes: list[str] = field(default_factory=list)
    """One sentence for each thing in the file that is kept but cannot be used as it stands."""


class Exchange:
    """Errors: `FileFormatError` says what is wrong with a file and where; nothing is then changed."""

    def __init__(self, library: Library, changes: Changes) -> None:
        self._library = library
        self._changes = changes

    def import_benchmark(self, path: Path) -> ImportedBenchmark:
        """A checkpoint becomes a new benchmark. None of its code is run."""
        document, notes = read_checkpoint(path)
        benchmark_id = self._library.benchmarks.create(document)
        self._changes.tell(benchmark_id, "added")
        return ImportedBenchmark(benchmark_id, notes)

    def export_benchmark(self, benchmark_id: int, path: Path) -> Path:
        """Write a checkpoint with everything that is known of the benchmark; returns where it stands."""
        return save_checkpoint(self._library.benchmarks.document(benchmark_id), path)
