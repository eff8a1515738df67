"""Benchmarks and questions from files and into files."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from karenina_gui.authoring.changes import Changes
from karenina_gui.formats.checkpoints.checkpoint import read_checkpoint, save_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.store.actors import one_command
from karenina_gui.store.library import Library

if TYPE_CHECKING:
    from karenina_gui.formats.tables.question_import import ImportedQuestion, ImportPlan, ImportReport


@dataclass(frozen=True)
class ImportedBenchmark:
    benchmark_id: int
    notes: list[str] = field(default_factory=list)
    """One sentence for each thing in the file that is kept but cannot be used as it stands."""


Sameness = Literal["same", "other_answer", "other_text"]


@dataclass(frozen=True)
class ExistingQuestion:
    """A question of a file that the benchmark has already: it stays as it is there."""

    row: int
    question_id: str
    """Id of the one in the benchmark."""
    sameness: Sameness
    """`other text`: only the id is the same."""


@dataclass(frozen=True)
class ImportedQuestions:
    report: ImportReport
    """Content of the file, with the rows that were refused and those that it holds twice."""
    added: list[int]
    """Numbers of the questions that are new in the benchmark; deleting them undoes the import."""
    known: list[ExistingQuestion] = field(default_factory=list)


class ImportExport:
    """Reads benchmarks and questions from files, and writes them into files.

    Raises `FileFormatError` that says what is wrong with a file and where; nothing is then changed.
    """

    def __init__(self, library: Library, changes: Changes) -> None:
        self._library = library
        self._changes = changes

    def import_benchmark(self, path: Path) -> ImportedBenchmark:
        """Make a new benchmark of a checkpoint; none of its code is run."""
        document, notes = read_checkpoint(path)
        with one_command("import", file=path.name):
            benchmark_id = self._library.benchmarks.create(document)
        self._changes.emit(benchmark_id, "added")
        return ImportedBenchmark(benchmark_id, notes)

    def import_with_workspaces(self, path: Path, workspaces: Path) -> ImportedBenchmark:
        """Make a new benchmark of a checkpoint, with the workspaces that belong to it.

        A copy of them stands with the application's data.
        """
        with one_command("import", file=path.name):
            imported = self.import_benchmark(path)
            # A number of its own each time, since an earlier import may have been worked on.
            root = next(
                place
                for number in count(1)
                if not (place := self._library.folder / f"{path.stem}-workspaces-{number}").exists()
            )
            shutil.copytree(workspaces, root)
            self._library.benchmarks.set_workspace_root(imported.benchmark_id, str(root))
        return imported

    def add_benchmark(self, document: BenchmarkDocument) -> int:
        """Keep a new benchmark; returns its id."""
        benchmark_id = self._library.benchmarks.create(document)
        self._changes.emit(benchmark_id, "added")
        return benchmark_id

    def questions(self, benchmark_id: int) -> list[Question]:
        """The benchmark's questions with their ids, texts and reference answers only, to match a file with."""
        wordings = self._library.questions.wordings(benchmark_id)
        return [Question(id=key, question=text, raw_answer=answer) for key, (text, answer) in wordings.items()]

    def known_questions(self, benchmark_id: int, report: ImportReport) -> list[ExistingQuestion]:
        """Questions of a file that the benchmark has: under their ids, or their exact texts under ids of its own."""
        wordings = self._library.questions.wordings(benchmark_id)
        by_text = {text: question_id for question_id, (text, _) in wordings.items()}
        known = []
        for found in report.found:
            question_id = _known_as(found, wordings, by_text)
            if question_id is not None:
                text, answer = wordings[question_id]
                known.append(ExistingQuestion(found.row, question_id, _sameness(found, text, answer)))
        return known

    def add_questions(self, benchmark_id: int, report: ImportReport) -> ImportedQuestions:
        """Append the questions of a file to a benchmark, all in one step, apart from those that it has."""
        known = self.known_questions(benchmark_id, report)
        rows = {each.row for each in known}
        new = [found for found in report.found if found.row not in rows]
        entries = [BenchmarkEntry(question=found.question, finished=report.finished) for found in new]
        with one_command("import"):
            added = self._library.questions.add_all(benchmark_id, entries)
        self._changes.emit(benchmark_id, "replaced")
        return ImportedQuestions(report, added, known)

    def import_questions(self, benchmark_id: int, path: Path, plan: ImportPlan) -> ImportedQuestions:
        """Append questions from a table (CSV, XLSX, JSON, JSON Lines) to a benchmark, all in one step."""
        # Here, since it loads the readers of all kinds of tables, which most starts of the application do not need.
        from karenina_gui.formats.tables.question_import import import_questions

        with one_command("import", file=path.name):
            return self.add_questions(benchmark_id, import_questions(path, plan))

    def left_out(self, benchmark_id: int) -> int:
        """Number of questions that an export leaves out because they have no id yet."""
        return sum(not row.id for row in self._library.questions.summaries(benchmark_id))

    def export_benchmark(self, benchmark_id: int, path: Path) -> Path:
        """Write a checkpoint with everything that is known of the benchmark, apart from questions without an id.

        Returns the path of the file.
        """
        return save_checkpoint(self._library.benchmarks.document(benchmark_id), path)


def _known_as(found: ImportedQuestion, wordings: dict[str, tuple[str, str]], by_text: dict[str, str]) -> str | None:
    """The id under which a benchmark has the question.

    A row with an id of its own is known by that alone.
    """
    question = found.question
    if question.id in wordings:
        return question.id
    return by_text.get(question.question) if question.id == question_fingerprint(question.question) else None


def _sameness(found: ImportedQuestion, text: str, answer: str) -> Sameness:
    if found.question.question != text:
        return "other_text"
    return "same" if found.question.raw_answer == answer else "other_answer"
