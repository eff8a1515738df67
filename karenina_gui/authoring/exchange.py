"""Benchmarks and questions from files and into files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from karenina_gui.authoring.changes import Changes
from karenina_gui.formats.checkpoint import read_checkpoint, save_checkpoint
from karenina_gui.formats.tabular import ImportPlan, ImportReport, import_questions
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.question import Question
from karenina_gui.store.library import Library


@dataclass(frozen=True)
class ImportedBenchmark:
    benchmark_id: int
    notes: list[str] = field(default_factory=list)
    """One sentence for each thing in the file that is kept but cannot be used as it stands."""


@dataclass(frozen=True)
class ImportedQuestions:
    report: ImportReport
    """What the file held, with the rows that were refused and those that it holds twice."""
    added: int
    known: list[Question] = field(default_factory=list)
    """Questions that the benchmark has already; it was left as it is there."""


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

    def import_questions(self, benchmark_id: int, path: Path, plan: ImportPlan) -> ImportedQuestions:
        """Questions from a table (CSV, JSON, JSON Lines) are appended to a benchmark, all in one step."""
        report = import_questions(path, plan)
        entries = [BenchmarkEntry(question=question, finished=report.finished) for question in report.questions]
        known = self._library.questions.add_all(benchmark_id, entries)
        self._changes.tell(benchmark_id, "replaced")
        return ImportedQuestions(report, len(entries) - len(known), [entry.question for entry in known])

    def export_benchmark(self, benchmark_id: int, path: Path) -> Path:
        """Write a checkpoint with everything that is known of the benchmark; returns where it stands."""
        return save_checkpoint(self._library.benchmarks.document(benchmark_id), path)
