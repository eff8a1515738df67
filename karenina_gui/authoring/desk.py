"""The desk: everything that an author does to benchmarks and their questions. An edit is kept when the call returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from karenina_gui.authoring.changes import Change, ChangeKind, Changes
from karenina_gui.authoring.exchange import Exchange
from karenina_gui.authoring.template_bench import TemplateBench
from karenina_gui.authoring.trait_bench import TraitBench
from karenina_gui.authoring.workspaces import Workspaces
from karenina_gui.errors import InputError
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.summaries import (
    BenchmarkConflict,
    BenchmarkSummary,
    Conflict,
    DeletedBenchmark,
    DeletedQuestion,
    QuestionFilter,
    QuestionSummary,
    Saved,
)
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.store.library import Library


@dataclass(frozen=True)
class OpenQuestion:
    """A question as an editor opens it."""

    entry: BenchmarkEntry
    summary: QuestionSummary
    """With its number in addresses, its revision and when it was saved."""


@dataclass(frozen=True)
class OpenBenchmark:
    """A benchmark's own fields as an editor opens them."""

    document: BenchmarkDocument
    """Without its questions."""
    revision: int


class Desk:
    """Safe to use from any thread. Errors of every call with an id: `NotFoundError`; for values: `InputError`."""

    def __init__(self, library: Library, sandbox: Sandbox) -> None:
        self._benchmarks = library.benchmarks
        self._questions = library.questions
        self.drafts = library.drafts
        """What people typed and could not be saved yet."""
        self.writes = library.writes
        """What waits because the computer refuses it for now."""
        self._changes = Changes()
        self.templates = TemplateBench(sandbox)
        """Checks templates and tries them on answers."""
        self.traits = TraitBench(sandbox)
        """Tries patterns and functions of rubrics on texts."""
        self.files = Exchange(library, self._changes)
        """Benchmarks and questions from files and into files."""
        self.workspaces = Workspaces(library, self._changes)
        """Workspaces of agent tasks."""

    def on_change(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Calls `callback` after each edit, in the thread that made it; returns what ends it."""
        return self._changes.subscribe(callback)

    # Benchmarks

    def benchmarks(self) -> list[BenchmarkSummary]:
        """The last edited first."""
        return self._benchmarks.summaries()

    def benchmark_numbers(self) -> list[int]:
        """Ids, that of the last edited first."""
        return self._benchmarks.numbers()

    def require_benchmark(self, benchmark_id: int) -> None:
        """Errors: `NotFoundError` where it is not, or is deleted."""
        self._benchmarks.require(benchmark_id)

    def benchmark(self, benchmark_id: int) -> BenchmarkSummary:
        return self._benchmarks.summary(benchmark_id)

    def frame(self, benchmark_id: int) -> BenchmarkDocument:
        """The benchmark without its questions."""
        return self._benchmarks.frame(benchmark_id)

    def open_benchmark(self, benchmark_id: int) -> OpenBenchmark:
        return OpenBenchmark(*self._benchmarks.opened(benchmark_id))

    def create_benchmark(self, name: str, description: str = "") -> int:
        """An empty one; returns its id."""
        if not name.strip():
            raise InputError("A benchmark needs a name.")
        benchmark_id = self._benchmarks.create(BenchmarkDocument(name=name.strip(), description=description))
        self._changes.tell(benchmark_id, "added")
        return benchmark_id

    def edit_benchmark(
        self, benchmark_id: int, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | BenchmarkConflict:
        """Change name, description, version, creator, rubric or custom_properties.

        `expected_revision`: save only if the benchmark and its questions are still as they were read (None: save in
        any case).
        """
        outcome = self._benchmarks.update(benchmark_id, changes, expected_revision=expected_revision)
        if isinstance(outcome, Saved):
            self._changes.tell(benchmark_id, "edited")
        return outcome

    def delete_benchmark(self, benchmark_id: int) -> None:
        """`restore_benchmark` brings it back with its runs."""
        self._benchmarks.delete(benchmark_id)
        self._changes.tell(benchmark_id, "removed")

    def deleted_benchmarks(self) -> list[DeletedBenchmark]:
        """What can be restored, the last deleted first."""
        return self._benchmarks.deleted()

    def deleted_benchmark(self, benchmark_id: int) -> DeletedBenchmark | None:
        """None: it is there, or there never was one."""
        return next(iter(self._benchmarks.deleted(benchmark_id)), None)

    def restore_benchmark(self, benchmark_id: int) -> None:
        self._benchmarks.restore(benchmark_id)
        self._changes.tell(benchmark_id, "added")

    # Questions

    def questions(self, benchmark_id: int, wanted: QuestionFilter | None = None) -> list[QuestionSummary]:
        """Light rows in order; `wanted` None: all."""
        return self._questions.summaries(benchmark_id, wanted)

    def searched_texts(self, benchmark_id: int, numbers: Sequence[int] | None = None) -> dict[int, str]:
        """Everything by which a question is found, by its number; `numbers` None: of all questions."""
        return self._questions.texts(benchmark_id, numbers)

    def keywords(self, benchmark_id: int) -> list[tuple[str, int]]:
        """Keywords in use, each with its number of questions."""
        return self._questions.keywords(benchmark_id)

    def question_id(self, benchmark_id: int, number: int) -> str:
        """The id of the question with this number in an address."""
        return self._questions.id_of(benchmark_id, number)

    def question(self, benchmark_id: int, question_id: str) -> OpenQuestion:
        return OpenQuestion(
            self._questions.entry(benchmark_id, question_id), self._questions.summary(benchmark_id, question_id)
        )

    def add_question(
        self, benchmark_id: int, text: str, raw_answer: str = "", author: dict[str, Any] | None = None
    ) -> OpenQuestion:
        """Append a new, unfinished question; `author` None: nobody is named.

        Errors: `DuplicateQuestionError` when its text is already there.
        """
        if not text.strip():
            raise InputError("Write the question first: it needs a text.")
        return self._add(benchmark_id, Question(question=text, raw_answer=raw_answer, author=author))

    def duplicate_question(self, benchmark_id: int, question_id: str) -> OpenQuestion:
        """A copy below the original, unfinished, to be changed: its text says that it is a copy."""
        original = self._questions.entry(benchmark_id, question_id).question
        taken = {row.id for row in self._questions.summaries(benchmark_id)}
        text = next(text for text in _copies(original.question) if question_fingerprint(text) not in taken)
        fields = original.model_dump(exclude={"id", "date_created", "date_modified"})
        return self._add(benchmark_id, Question.model_validate({**fields, "question": text}), after=question_id)

    def edit(
        self, benchmark_id: int, question_id: str, changes: dict[str, Any], *, expected_revision: int | None = None
    ) -> Saved | Conflict:
        """Change fields of a question, by name; its id stays, also when its text changes.

        `expected_revision`: save only if the question is still as it was read (None: save in any case).
        """
        if path := changes.get("workspace_path"):
            self.workspaces.check(benchmark_id, str(path))
        outcome = self._questions.update(benchmark_id, question_id, changes, expected_revision=expected_revision)
        if isinstance(outcome, Saved):
            self._changes.tell(benchmark_id, "edited", question_id)
        return outcome

    def delete_questions(self, benchmark_id: int, question_ids: Sequence[str]) -> list[int]:
        """Take questions out in one step; returns their numbers, with which `restore_questions` brings them back."""
        numbers = self._questions.delete(benchmark_id, question_ids)
        self._tell_of(benchmark_id, "removed", question_ids)
        return numbers

    def deleted_questions(self, benchmark_id: int) -> list[DeletedQuestion]:
        """What can be restored, the last deleted first."""
        return self._questions.deleted(benchmark_id)

    def restore_questions(self, benchmark_id: int, numbers: Sequence[int]) -> int:
        """Bring deleted questions back to their places and addresses; returns how many came back.

        One that was written anew meanwhile stays deleted.
        """
        restored = self._questions.restore(benchmark_id, numbers)
        ids = [self._questions.id_of(benchmark_id, numbers[0])] if restored == len(numbers) == 1 else []
        self._tell_of(benchmark_id, "added", ids)
        return restored

    def set_finished(self, benchmark_id: int, question_ids: Sequence[str], finished: bool) -> int:
        """Mark questions as finished, or not; returns how many changed. See `obstacles`."""
        changed = self._questions.set_finished(benchmark_id, question_ids, finished)
        self._tell_of(benchmark_id, "edited", question_ids)
        return changed

    def question_rubrics(self, benchmark_id: int) -> list[tuple[QuestionSummary, dict[str, Any]]]:
        """The questions that have traits of their own, in order, each with its rubric."""
        return self._questions.rubrics(benchmark_id)

    # Templates

    def check_question(self, benchmark_id: int, question_id: str) -> TemplateOutline | None:
        """Check the question's template as it is saved, and remember what came out; None: it has none."""
        before = self._questions.summary(benchmark_id, question_id).template_valid
        outline = self._check(benchmark_id, question_id)
        if outline is not None and outline.valid != before:
            self._changes.tell(benchmark_id, "edited", question_id)
        return outline

    def check_all(self, benchmark_id: int) -> int:
        """Check every template that was not checked since its last edit; returns how many of them have a problem."""
        rows = self._questions.summaries(benchmark_id, QuestionFilter(has_template=True, unchecked=True))
        problems = 0
        unchecked = [row.id for row in rows]
        for question_id in unchecked:
            outline = self._check(benchmark_id, question_id)
            problems += outline is not None and not outline.valid
        if unchecked:
            self._tell_of(benchmark_id, "edited", unchecked)
        return problems

    def obstacles(self, benchmark_id: int, question_id: str) -> list[str]:
        """What still stands against calling a question finished, one sentence each; empty: nothing."""
        found = []
        question = self._questions.entry(benchmark_id, question_id).question
        if not question.raw_answer.strip():
            found.append("It has no reference answer.")
        outline = self.check_question(benchmark_id, question_id)
        if outline is None:
            found.append("It has no answer template: only its rubric can be evaluated.")
        elif problem := outline.first_error:
            line = "" if problem.line is None else f" (line {problem.line})"
            found.append(f"Its answer template has an error{line}: {problem.message}")
        return found

    def _check(self, benchmark_id: int, question_id: str) -> TemplateOutline | None:
        source = self._questions.entry(benchmark_id, question_id).question.answer_template
        if is_default_template(source):
            return None
        assert source is not None
        outline = self.templates.check(source)
        self._questions.note_template_check(benchmark_id, question_id, source, outline.valid)
        return outline

    def _tell_of(self, benchmark_id: int, kind: ChangeKind, question_ids: Sequence[str]) -> None:
        """One piece of news, of however many questions."""
        if len(question_ids) == 1:
            self._changes.tell(benchmark_id, kind, question_ids[0])
        else:
            self._changes.tell(benchmark_id, "replaced")

    def _add(self, benchmark_id: int, question: Question, after: str | None = None) -> OpenQuestion:
        self._questions.add(benchmark_id, BenchmarkEntry(question=question, finished=False), after=after)
        self._changes.tell(benchmark_id, "added", question.id)
        return self.question(benchmark_id, question.id)


def _copies(text: str) -> Iterator[str]:
    yield f"{text} (copy)"
    yield from (f"{text} (copy {number})" for number in count(2))
