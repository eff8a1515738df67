"""Benchmarks and questions from files and into files."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from karenina_gui.authoring.benchmark_update import BenchmarkUpdater
from karenina_gui.authoring.changes import Changes
from karenina_gui.formats.checkpoints.checkpoint import read_checkpoint, save_checkpoint
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.formats.tables.near_duplicates import difference, plain_wording
from karenina_gui.formats.tables.similar_questions import SimilarPair, similar_pairs
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.store.actors import one_command
from karenina_gui.store.frozen import Frozen
from karenina_gui.store.library import Library

if TYPE_CHECKING:
    from karenina_gui.formats.tables.question_import import ImportedQuestion, ImportPlan, ImportReport


@dataclass(frozen=True)
class ImportedBenchmark:
    benchmark_id: int
    notes: list[str] = field(default_factory=list)
    """One sentence for each thing in the file that is kept but cannot be used as it stands."""
    name: str = ""


@dataclass(frozen=True)
class BenchmarkFile:
    """A checkpoint that was read, but not imported yet."""

    document: BenchmarkDocument
    notes: list[str]
    same_name: int | None
    """Id of the benchmark of the same name; None: the name is free."""
    file: str = ""
    """Name of the file."""


Sameness = Literal["same", "other_answer", "other_text", "near"]


@dataclass(frozen=True)
class ExistingQuestion:
    """A question of a file that the benchmark has already: it stays as it is there."""

    row: int
    question_id: str
    """Id of the one in the benchmark."""
    sameness: Sameness
    """`other_text`: only the id is the same. `near`: the texts differ in spaces, quotation marks, and the like."""
    text: str = ""
    """Text of the question in the file."""
    difference: str = ""
    """Difference of the texts, such as `line breaks`, if `sameness` is `near`."""
    answer: str = ""
    """Reference answer in the benchmark."""
    known_text: str = ""
    """Text of the question in the benchmark."""


@dataclass(frozen=True)
class SimilarQuestion:
    """A new question of a file, and the most similar one in the benchmark, or earlier in the file."""

    row: int
    similarity: float
    """From 0 to 1."""
    text: str
    """Text of the other question."""
    answer: str
    """Reference answer of the other question."""
    question_id: str | None = None
    """Id of the other question in the benchmark; None: it is in the file."""
    other_row: int | None = None
    """Row of the other question in the file; None: it is in the benchmark."""


@dataclass(frozen=True)
class ImportedQuestions:
    report: ImportReport
    """Content of the file, with the rows that were refused and those that it holds twice."""
    added: list[int]
    """Numbers of the questions that are new in the benchmark; deleting them undoes the import."""
    existing: list[ExistingQuestion] = field(default_factory=list)
    updated: dict[int, str] = field(default_factory=dict)
    """{number: its reference answer before} of the questions that got the answer of the file."""


class ImportExport:
    """Reads benchmarks and questions from files, and writes them into files.

    Raises `FileFormatError` that says what is wrong with a file and where; nothing is then changed.
    """

    def __init__(self, library: Library, changes: Changes) -> None:
        self._library = library
        self._changes = changes
        self.updates = BenchmarkUpdater(library, changes)

    def import_benchmark(self, path: Path) -> ImportedBenchmark:
        """Make a new benchmark of a checkpoint; none of its code is run."""
        return self.add_file(self.read_benchmark(path))

    def read_benchmark(self, path: Path) -> BenchmarkFile:
        """Read a checkpoint, and look for the benchmark of its name."""
        document, notes = read_apart(read_checkpoint, path)
        named = (summary.id for summary in self._library.benchmarks.summaries() if summary.name == document.name)
        return BenchmarkFile(document, notes, next(named, None), path.name)

    def add_file(self, file: BenchmarkFile, *, numbered: bool = False) -> ImportedBenchmark:
        """Make a new benchmark of a file. `numbered`: a second copy is called `name (2)`."""
        name = self._free_name(file.document.name) if numbered else file.document.name
        with one_command("import", file=file.file):
            benchmark_id = self.add_benchmark(file.document.model_copy(update={"name": name}))
        # The file is the common ancestor of what becomes of it here and elsewhere.
        self._library.exchanges.note(benchmark_id, Frozen.of(file.document))
        return ImportedBenchmark(benchmark_id, file.notes, name)

    def _free_name(self, name: str) -> str:
        taken = {summary.name for summary in self._library.benchmarks.summaries()}
        names = (f"{name} ({number})" if number > 1 else name for number in count(1))
        return next(name for name in names if name not in taken)

    def import_with_workspaces(self, path: Path, workspaces: Path) -> ImportedBenchmark:
        """Make a new benchmark of a checkpoint, with the workspaces that belong to it.

        A copy of them stands with the application's data.
        """
        with one_command("import", file=path.name):
            imported = self.add_file(self.read_benchmark(path), numbered=True)
            # A number of its own each time, since an earlier import may have been worked on.
            root = next(
                folder
                for number in count(1)
                if not (folder := self._library.folder / f"{path.stem}-workspaces-{number}").exists()
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
        """Questions of a file that the benchmark has.

        They have their ids, or their exact texts under ids of its own. Where the file's near duplicates are decided on
        one by one, those of the benchmark's questions count, too.
        """
        wordings = self._library.questions.wordings(benchmark_id)
        by_text = {text: question_id for question_id, (text, _) in wordings.items()}
        alike = {plain_wording(text): question_id for text, question_id in by_text.items()}
        existing = []
        for imported in report.imported:
            question_id = _known_as(imported, wordings, by_text)
            if question_id is not None:
                existing.append(_existing(imported, question_id, *wordings[question_id]))
            elif report.kept_rows is not None and (near := alike.get(plain_wording(imported.question.question))):
                text = imported.question.question
                parts = difference(text, wordings[near][0])
                existing.append(
                    ExistingQuestion(imported.row, near, "near", text, parts, wordings[near][1], wordings[near][0])
                )
        return existing

    def similar_questions(
        self, benchmark_id: int, report: ImportReport, existing: Sequence[ExistingQuestion]
    ) -> list[SimilarQuestion]:
        """New questions of a file that differ from another one in a few words, the most similar first."""
        wordings = self._library.questions.wordings(benchmark_id)
        there = {question.row for question in existing}
        new = [imported for imported in report.imported if imported.row not in there]
        texts = [*(text for text, _ in wordings.values()), *(imported.question.question for imported in new)]
        similar: dict[int, SimilarQuestion] = {}
        there_with_answers = list(wordings.items())
        for pair in similar_pairs(texts, compared=len(wordings)):
            row = new[pair.second - len(wordings)].row
            if pair.kind == "similar" and row not in similar:
                similar[row] = _similar(row, pair, there_with_answers, new)
        return list(similar.values())

    def add_questions(self, benchmark_id: int, report: ImportReport) -> ImportedQuestions:
        """Append the questions of a file to a benchmark, all in one step, apart from those that it has."""
        existing = self.known_questions(benchmark_id, report)
        new = new_questions(report, existing)
        entries = [BenchmarkEntry(question=imported.question, finished=report.finished) for imported in new]
        answers = {imported.row: imported.question.raw_answer for imported in report.imported}
        with one_command("import"):
            added = self._library.questions.add_all(benchmark_id, entries)
            targets = {
                question.row: question.question_id
                for question in existing
                if question.sameness == "other_answer" and question.row in report.updated
            } | dict(report.answer_targets)
            updated = self.set_reference_answers(
                benchmark_id,
                {
                    self._library.questions.number_of(benchmark_id, question_id): answers[row]
                    for row, question_id in targets.items()
                    if row in answers
                },
            )
        self._changes.emit(benchmark_id, "replaced")
        return ImportedQuestions(report, added, existing, updated)

    def set_reference_answers(self, benchmark_id: int, answers: dict[int, str]) -> dict[int, str]:
        """Replace reference answers by question number; returns the earlier ones, which undo it."""
        before = {}
        for number, answer in answers.items():
            before[number] = self._library.questions.entry(benchmark_id, number).question.raw_answer
            self._library.questions.update(benchmark_id, number, {"raw_answer": answer})
            self._changes.emit(benchmark_id, "edited", number)
        return before

    def import_questions(self, benchmark_id: int, path: Path, plan: ImportPlan) -> ImportedQuestions:
        """Append questions from a table (CSV, XLSX, JSON, JSON Lines) to a benchmark, all in one step."""
        # Here, since it loads the readers of all kinds of tables, which most starts of the application do not need.
        from karenina_gui.formats.tables.question_import import import_questions

        with one_command("import", file=path.name):
            return self.add_questions(benchmark_id, import_questions(path, plan))

    def left_out(self, benchmark_id: int) -> int:
        """Number of questions that an export leaves out because they have no id yet."""
        return sum(not row.id for row in self._library.questions.summaries(benchmark_id))

    def question_table(self, benchmark_id: int, kind: Literal["csv", "xlsx"]) -> bytes:
        """The questions as a spreadsheet that `import_questions` reads, apart from those without an id."""
        from karenina_gui.formats.tables.question_export import write_questions_csv, write_questions_xlsx

        questions = [entry.question for entry in self._library.benchmarks.document(benchmark_id).entries]
        file = BytesIO()
        (write_questions_csv if kind == "csv" else write_questions_xlsx)([one for one in questions if one.id], file)
        return file.getvalue()

    def export_benchmark(self, benchmark_id: int, path: Path) -> Path:
        """Write a checkpoint with everything that is known of the benchmark, apart from questions without an id.

        Returns the path of the file, which names the published version that the benchmark equals, if any.
        """
        document = self._library.benchmarks.document(benchmark_id)
        written = save_checkpoint(document, path, self._library.published.equal_to(benchmark_id, document))
        self._library.exchanges.note(benchmark_id, Frozen.of(document))
        return written


def new_questions(report: ImportReport, existing: Sequence[ExistingQuestion]) -> list[ImportedQuestion]:
    """The questions of a file that come in."""
    kept_rows = report.kept_rows or frozenset()
    out = {question.row for question in existing if question.sameness != "near" or question.row not in kept_rows}
    out |= report.skipped | set(report.answer_targets)
    return [imported for imported in report.imported if imported.row not in out]


def _known_as(imported: ImportedQuestion, wordings: dict[str, tuple[str, str]], by_text: dict[str, str]) -> str | None:
    """The id under which a benchmark has the question.

    A row with an id of its own is known by that alone.
    """
    question = imported.question
    if question.id in wordings:
        return question.id
    return by_text.get(question.question) if question.id == question_fingerprint(question.question) else None


def _existing(new: ImportedQuestion, question_id: str, text: str, answer: str) -> ExistingQuestion:
    sameness = _sameness(new, text, answer)
    return ExistingQuestion(new.row, question_id, sameness, new.question.question, answer=answer, known_text=text)


def _similar(
    row: int, pair: SimilarPair, wordings: Sequence[tuple[str, tuple[str, str]]], new: Sequence[ImportedQuestion]
) -> SimilarQuestion:
    """The earlier question of a pair, as that of a row."""
    if pair.first < len(wordings):
        question_id, (text, answer) = wordings[pair.first]
        return SimilarQuestion(row, pair.similarity, text, answer, question_id=question_id)
    other = new[pair.first - len(wordings)]
    question = other.question
    return SimilarQuestion(row, pair.similarity, question.question, question.raw_answer, other_row=other.row)


def _sameness(imported: ImportedQuestion, text: str, answer: str) -> Sameness:
    if imported.question.question != text:
        return "other_text"
    return "same" if imported.question.raw_answer == answer else "other_answer"
