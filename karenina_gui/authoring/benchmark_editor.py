"""Editor of benchmarks: everything that an author does to benchmarks and their questions.

An edit is kept when the call returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from karenina_gui.authoring.bench import run_bench
from karenina_gui.authoring.calibration.calibration_editor import CalibrationEditor
from karenina_gui.authoring.cell_edits import CellEditor
from karenina_gui.authoring.changes import ChangeKind, Changes
from karenina_gui.authoring.comparison.linked_files import LinkedFiles
from karenina_gui.authoring.comparison.service import Comparisons
from karenina_gui.authoring.duplicates import Duplicates
from karenina_gui.authoring.find_replace import FindReplace
from karenina_gui.authoring.history import History
from karenina_gui.authoring.import_export import ImportExport
from karenina_gui.authoring.mutations import MutationCase, mutation_cases
from karenina_gui.authoring.publishing import Publishing
from karenina_gui.authoring.reviews import Reviews
from karenina_gui.authoring.sample_editor import SampleEditor
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.authoring.trait_playground import TraitPlayground
from karenina_gui.authoring.workspaces import Workspaces
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.formats.checkpoints.questions import template_in
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.benchmark_summaries import (
    QuestionFilter,
    QuestionSummary,
    RestoredQuestions,
)
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.edits import BenchmarkConflict, Conflict, Saved
from karenina_gui.schemas.question import PREVIOUS_IDS, EditableQuestion, Question, question_fingerprint
from karenina_gui.schemas.review import CheckItem
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.store.actors import one_command
from karenina_gui.store.frozen import Frozen
from karenina_gui.store.library import Library

CHECKED_AT_ONCE = 200
"""Questions whose templates are checked and tested between two writes."""


@dataclass(frozen=True)
class OpenQuestion:
    """A question as an editor opens it."""

    entry: BenchmarkEntry
    summary: QuestionSummary
    """With its number in addresses, its revision and when it was saved."""
    results: int = 0
    """Number of results that refer to its id."""

    @property
    def undecided(self) -> bool:
        """True if its text was edited after results referred to its id, and nobody has decided which id it gets."""
        text_id = question_fingerprint(self.entry.question.question)
        return bool(self.entry.id) and not self.summary.id_set and self.entry.id != text_id


@dataclass(frozen=True)
class OpenBenchmark:
    """A benchmark's own fields as an editor opens them."""

    document: BenchmarkDocument
    """Without its questions."""
    revision: int


class BenchmarkEditor:
    """Everything that an author does to benchmarks; safe to use from any thread.

    Every call with an id raises `NotFoundError` if there is nothing of this id, and calls with values raise
    `InputError`.
    """

    def __init__(self, library: Library, sandbox: Sandbox) -> None:
        self.library = library
        """The stores that the commands edit. Read from them directly."""
        self._benchmarks = library.benchmarks
        self._questions = library.questions
        self._changes = Changes()
        self.changed = self._changes.made
        """An edit was saved; emitted in the thread that made it."""
        self._sandbox = sandbox
        self.files = ImportExport(library, self._changes)
        """Benchmarks and questions from files and into files."""
        self.workspaces = Workspaces(library, self._changes)
        """Workspaces of agent tasks."""
        self.cells = CellEditor(self)
        """Cells, keywords, and authors of many questions."""
        self.samples = SampleEditor(self)
        """Sample answers of questions."""
        self.reviews = Reviews(self)
        """Reviews of questions: checklist, comments, returned ones."""
        self.duplicates = Duplicates(self)
        """Questions that repeat each other."""

        self.replacements = FindReplace(self, sandbox)
        """Find and replace over all questions."""
        self.calibrations = CalibrationEditor(self)
        """Calibrations: answers labeled by authors, and what judges say about them."""
        self.history = History(library, self._changes)
        """Undo, redo, and earlier versions."""
        self.links = LinkedFiles(library)
        """Checkpoint files that are watched for changes."""
        self.comparisons = Comparisons(library, self._changes, self.links)
        """Comparison with other versions, and taking over differences."""
        self.publishing = Publishing(library, self._changes)
        """Published versions."""

    # Benchmarks

    def open_benchmark(self, benchmark_id: int) -> OpenBenchmark:
        return OpenBenchmark(*self._benchmarks.frame_with_revision(benchmark_id))

    def create_benchmark(self, name: str, description: str = "") -> int:
        """Create an empty benchmark and return its id."""
        if not name.strip():
            raise InputError("Enter a name for the benchmark.")
        benchmark_id = self._benchmarks.create(BenchmarkDocument(name=name.strip(), description=description))
        self._changes.emit(benchmark_id, "added")
        return benchmark_id

    def duplicate_benchmark(self, benchmark_id: int) -> int:
        """Copy a benchmark with its questions and their reviews, and return the id of the copy.

        Runs and trust stay with the original; workspaces are shared, because they are folders on this computer.
        Questions without an id are left out.
        """
        document = self._benchmarks.document(benchmark_id)
        taken = {summary.name for summary in self._benchmarks.summaries()}
        names = (f"{document.name} (copy{f' {number}' if number > 1 else ''})" for number in count(1))
        with one_command("duplicate"):
            copy_id = self._benchmarks.create(
                document.model_copy(update={"name": next(name for name in names if name not in taken)}),
                reviews_of=benchmark_id,
            )
            if root := self._benchmarks.on_this_computer(benchmark_id).workspace_root:
                self._benchmarks.set_workspace_root(copy_id, str(root))
        self.library.exchanges.note(copy_id, Frozen.of(document))
        self._changes.emit(copy_id, "added")
        return copy_id

    def edit_benchmark(
        self, benchmark_id: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | BenchmarkConflict:
        """Change name, description, version, creator, rubric or custom_properties.

        `expected_revision`: save only if the benchmark and its questions are still as they were read (None: save in
        any case).
        """
        outcome = self._benchmarks.update(benchmark_id, changes, expected_revision=expected_revision)
        if isinstance(outcome, Saved):
            self._changes.emit(benchmark_id, "edited")
        return outcome

    def delete_benchmark(self, benchmark_id: int) -> None:
        """Delete a benchmark; `restore_benchmark` brings it back with its runs."""
        self._benchmarks.delete(benchmark_id)
        self._changes.emit(benchmark_id, "removed")

    def set_trusted(self, benchmark_id: int, trusted: bool) -> None:
        """Let code that needs all of Python run even if this computer has no lock for it, or no longer."""
        self._benchmarks.set_trusted(benchmark_id, trusted)
        self._changes.emit(benchmark_id, "replaced")

    def restore_benchmark(self, benchmark_id: int) -> None:
        self._benchmarks.restore(benchmark_id)
        self._changes.emit(benchmark_id, "added")

    # Questions

    def question(self, benchmark_id: int, number: int) -> OpenQuestion:
        return OpenQuestion(*self._questions.load_details(benchmark_id, number))

    def add_question(
        self, benchmark_id: int, text: str = "", raw_answer: str = "", author: dict[str, Any] | None = None
    ) -> OpenQuestion:
        """Append a new, unfinished question. Without a text it has no id until one is written.

        `author` None: nobody is named. Raises `DuplicateQuestionError` if another question has the text.
        """
        schema = Question if text.strip() else EditableQuestion
        return self._add(benchmark_id, schema(question=text, raw_answer=raw_answer, author=author))

    def duplicate_question(self, benchmark_id: int, number: int) -> OpenQuestion:
        """An unfinished copy below the original. It has no id until its text differs or an id is set."""
        original = self._questions.entry(benchmark_id, number).question
        fields = original.model_dump(exclude={"id", "date_created", "date_modified"})
        # They name results of the original, which the copy must not claim.
        metadata = {name: value for name, value in (original.custom_metadata or {}).items() if name != PREVIOUS_IDS}
        copy = EditableQuestion.model_validate({**fields, "custom_metadata": metadata or None})
        with one_command("duplicate"):
            return self._add(benchmark_id, copy, after=number)

    def edit(
        self, benchmark_id: int, number: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | Conflict:
        """Change fields of a question, by name.

        Its id is the MD5 of its text until results refer to it; then the id stays until a person decides (see
        `OpenQuestion.undecided`). `id` among the changes sets an id or keeps it on purpose; None: the text's id. A
        question whose id changes although results refer to it names the old one among its `PREVIOUS_IDS`.

        `expected_revision`: save only if the question is still as it was read (None: save in any case).

        Raises `DuplicateQuestionError` if another question has the text or the id.
        """
        if path := changes.get("workspace_path"):
            self.workspaces.check(benchmark_id, str(path))
        outcome = self._questions.update(benchmark_id, number, changes, expected_revision=expected_revision)
        if isinstance(outcome, Saved):
            self._changes.emit(benchmark_id, "edited", number, outcome.revision)
        return outcome

    def delete_questions(self, benchmark_id: int, numbers: Sequence[int]) -> list[int]:
        """Take questions out in one step; returns the numbers of those that were there, for `restore_questions`."""
        deleted = self._questions.delete(benchmark_id, numbers)
        self.announce(benchmark_id, "removed", numbers)
        return deleted

    def restore_questions(self, benchmark_id: int, numbers: Sequence[int]) -> RestoredQuestions:
        """Bring deleted questions back to their places and addresses, apart from those whose id is taken by now."""
        restored = self._questions.restore(benchmark_id, numbers)
        self.announce(benchmark_id, "added", restored.numbers)
        return restored

    def set_finished(self, benchmark_id: int, numbers: Sequence[int], finished: bool) -> int:
        """Mark questions as finished, or not; returns how many changed. One without an id stays unfinished."""
        changed = self._questions.set_finished(benchmark_id, numbers, finished)
        self.announce(benchmark_id, "edited", numbers)
        return changed

    # Templates and functions

    def templates(self, benchmark_id: int) -> TemplatePlayground:
        """Checks templates of the benchmark and tries them on answers."""
        return TemplatePlayground(self._sandbox, partial(self._benchmarks.trusts, benchmark_id))

    def traits(self, benchmark_id: int) -> TraitPlayground:
        """Tries patterns and functions of the benchmark's rubrics on texts."""
        return TraitPlayground(self._sandbox, partial(self._benchmarks.trusts, benchmark_id))

    def check_question(self, benchmark_id: int, number: int) -> TemplateOutline | None:
        """Check the question's template as it is saved, and remember the outcome; None: it has none."""
        before = self._questions.summary(benchmark_id, number)
        entry, playground = self._questions.entry(benchmark_id, number), self._playground(benchmark_id)
        outline = _check(playground, entry)
        if outline is None:
            return None
        test = run_bench(playground, entry.question, outline)
        self._questions.note_template_tests(benchmark_id, [(number, entry.question, test)])
        if self._questions.summary(benchmark_id, number) != before:
            self._changes.emit(benchmark_id, "edited", number)
        return outline

    def check_template(self, benchmark_id: int, number: int, source: str) -> TemplateOutline:
        """Check a template that is typed for the question, even one that was deleted meanwhile; nothing is stored."""
        try:
            entry = self._questions.entry(benchmark_id, number)
        except NotFoundError:
            return self.templates(benchmark_id).check(source)
        return self.templates(benchmark_id).check(source, from_file=source == template_in(entry.source))

    def check_entry(self, entry: BenchmarkEntry, *, trusted: bool) -> TemplateOutline | None:
        """Check the template of a question as it was read; nothing is stored. None: it has none.

        `trusted`: see `Benchmarks.trusts`.
        """
        return _check(TemplatePlayground(self._sandbox, lambda: trusted), entry)

    def check_all(self, benchmark_id: int, *, again: bool = False) -> int:
        """Check and test every template that was not since its last edit; returns how many of them have an error.

        `again`: all templates, even if nothing was edited.
        """
        unchecked = QuestionFilter(has_template=True, unchecked=not again)
        numbers = self._questions.numbers(benchmark_id, unchecked)
        # In batches, so that neither memory nor the wait of other writers grows with the benchmark.
        batches = (numbers[start : start + CHECKED_AT_ONCE] for start in range(0, len(numbers), CHECKED_AT_ONCE))
        problems = sum(self._test_batch(benchmark_id, batch) for batch in batches)
        if numbers:
            self.announce(benchmark_id, "edited", numbers)
        return problems

    def obstacles(self, benchmark_id: int, number: int) -> list[str]:
        """Everything that a question lacks before it is finished, one sentence each; empty: nothing."""
        return [item.text for item in self.missing(benchmark_id, number)]

    def missing(self, benchmark_id: int, number: int) -> list[CheckItem]:
        """Everything that a question lacks before it is finished."""
        return [item for item in self.reviews.checklist(benchmark_id, number) if item.state == "missing"]

    def mutations(
        self, benchmark_id: int, question: Question, source: str, outline: TemplateOutline
    ) -> list[MutationCase]:
        """Try wrong values on a checked template of the question; returns what it gets wrong."""
        return mutation_cases(source, outline, self.templates(benchmark_id), question.raw_answer)

    def _playground(self, benchmark_id: int) -> TemplatePlayground:
        """Playground for many templates, which asks once whether their code is trusted."""
        trusted = self._benchmarks.trusts(benchmark_id)
        return TemplatePlayground(self._sandbox, lambda: trusted)

    def _test_batch(self, benchmark_id: int, numbers: Sequence[int]) -> int:
        """Check and test templates as they are saved, and store the results; returns how many have an error.

        Skips questions that have none.
        """
        playground = self._playground(benchmark_id)
        tests = [
            (number, entry.question, run_bench(playground, entry.question, outline))
            for number, entry in self._questions.entries(benchmark_id, numbers).items()
            if (outline := _check(playground, entry))
        ]
        self._questions.note_template_tests(benchmark_id, tests)
        return sum(not test.valid for *_, test in tests)

    def announce(self, benchmark_id: int, kind: ChangeKind, numbers: Sequence[int]) -> None:
        """Emit one change, of however many questions."""
        if len(numbers) == 1:
            self._changes.emit(benchmark_id, kind, numbers[0])
        else:
            self._changes.emit(benchmark_id, "replaced")

    def _add(self, benchmark_id: int, question: Question, after: int | None = None) -> OpenQuestion:
        number = self._questions.add(benchmark_id, BenchmarkEntry(question=question, finished=False), after=after)
        self._changes.emit(benchmark_id, "added", number)
        return self.question(benchmark_id, number)


def _check(playground: TemplatePlayground, entry: BenchmarkEntry) -> TemplateOutline | None:
    """Check the template of a question as it was read; None: it has none."""
    source = entry.question.answer_template
    # The template that every new question gets checks nothing, so it counts as none.
    if source is None or is_default_template(source):
        return None
    return playground.check(source, from_file=source == template_in(entry.source))
