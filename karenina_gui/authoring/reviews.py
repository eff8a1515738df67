"""Review of questions: the checklist, finishing, returning to the author, and comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from karenina_gui.authoring.changes import ChangeKind
from karenina_gui.authoring.workspaces import Workspaces
from karenina_gui.errors import InputError
from karenina_gui.schemas.benchmark_summaries import QuestionFilter, QuestionSummary
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.review import CheckItem, Comment, same_person
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.store.actors import one_command
from karenina_gui.store.library import Library
from karenina_gui.text import quantity

MAX_COMMENT = 5_000
"""Characters of a comment."""


class ReviewedBenchmarks(Protocol):
    """The editor of benchmarks, as reviews use it."""

    library: Library
    workspaces: Workspaces

    def check_question(self, benchmark_id: int, number: int) -> TemplateOutline | None: ...
    def announce(self, benchmark_id: int, kind: ChangeKind, numbers: Sequence[int]) -> None: ...


@dataclass(frozen=True)
class FinishedQuestions:
    """Result of an attempt to finish questions."""

    changed: int = 0
    own: list[QuestionSummary] = field(default_factory=list)
    """Questions of the person, who may not finish them."""


class Reviews:
    """Commands of reviewers. `by` is a person's name as set in the browser; empty: not set."""

    def __init__(self, editor: ReviewedBenchmarks) -> None:
        self._editor = editor
        self._library = editor.library

    def finish(self, benchmark_id: int, numbers: Sequence[int], by: str) -> FinishedQuestions:
        """Mark questions as finished; one without an id stays unfinished.

        Where nobody may finish their own questions, those of this person stay unfinished too. Raises `InputError`
        there if no name is given.
        """
        own: list[QuestionSummary] = []
        if self._library.benchmarks.on_this_computer(benchmark_id).separate_review:
            if not by.strip():
                raise InputError(
                    "Enter your name in the settings. In this benchmark, authors can’t finish their own questions."
                )
            rows = self._library.questions.summaries(benchmark_id, QuestionFilter(numbers=tuple(numbers)))
            own = [row for row in rows if same_person(row.author, by)]
        # The others are finished all the same: a selection often holds both.
        kept = {row.number for row in own}
        chosen = [number for number in numbers if number not in kept]
        changed = self._library.questions.set_finished(benchmark_id, chosen, True, by=by.strip() or None)
        self._editor.announce(benchmark_id, "edited", chosen)
        return FinishedQuestions(changed, own)

    def return_to_author(self, benchmark_id: int, number: int, by: str, note: str) -> None:
        """Mark a question as unfinished and waiting for its author. Raises `InputError` for an empty note."""
        text = _comment_text(note, "Say what the author should change.")
        with one_command("return"):
            self._library.questions.set_returned(benchmark_id, number, True)
            self._library.comments.add(number, by.strip(), text, kind="returned")
        self._editor.announce(benchmark_id, "edited", [number])

    def ask_again(self, benchmark_id: int, number: int) -> None:
        """Put a returned question up for review again."""
        self._library.questions.set_returned(benchmark_id, number, False)
        self._editor.announce(benchmark_id, "edited", [number])

    def comment(self, benchmark_id: int, number: int, by: str, text: str, part: str | None = None) -> int:
        """Add a comment and return its id. `part`: part of the question; None: the whole. Raises `InputError`."""
        comment_id = self._library.comments.add(
            number, by.strip(), _comment_text(text, "Write a comment first."), part=part
        )
        self._editor.announce(benchmark_id, "edited", [number])
        return comment_id

    def set_done(self, benchmark_id: int, comment: Comment, done: bool) -> None:
        self._library.comments.set_done(comment.id, done)
        self._editor.announce(benchmark_id, "edited", [comment.number])

    def delete_comment(self, benchmark_id: int, comment: Comment) -> None:
        self._library.comments.delete(comment.id)
        self._editor.announce(benchmark_id, "edited", [comment.number])

    def separate(self, benchmark_id: int, wanted: bool) -> None:
        """Let nobody finish their own questions, or anybody."""
        self._library.benchmarks.set_separate_review(benchmark_id, wanted)
        self._editor.announce(benchmark_id, "replaced", [])

    def checklist(self, benchmark_id: int, number: int) -> list[CheckItem]:
        """Everything that should hold before a question is finished. Checks and tests its template."""
        question = self._library.questions.entry(benchmark_id, number).question
        # Before the summary is read, because the check stores the results that it shows.
        outline = self._editor.check_question(benchmark_id, number)
        summary = self._library.questions.summary(benchmark_id, number)
        open_comments = sum(not each.done and each.kind == "comment" for each in self._library.comments.of(number))
        return [
            _text_item(question),
            _answer_item(question),
            _template_item(outline),
            *_test_items(summary, outline),
            *self._workspace_items(benchmark_id, question),
            *([CheckItem("advice", f"{quantity(open_comments, 'open comment')}.", "review")] if open_comments else []),
        ]

    def _workspace_items(self, benchmark_id: int, question: Question) -> list[CheckItem]:
        if not question.workspace_path:
            return []
        root = self._editor.workspaces.root(benchmark_id)
        if root is None:
            return [CheckItem("missing", "No workspace root on this computer.", "workspace")]
        if not (root / question.workspace_path).is_dir():
            return [CheckItem("missing", f"The workspace folder “{question.workspace_path}” is missing.", "workspace")]
        return [CheckItem("done", "Workspace is there.", "workspace")]


def _comment_text(text: str, if_empty: str) -> str:
    text = text.strip()
    if not text:
        raise InputError(if_empty)
    if len(text) > MAX_COMMENT:
        raise InputError(f"A comment has at most {MAX_COMMENT:,} characters; this one has {len(text):,}.")
    return text


def _text_item(question: Question) -> CheckItem:
    if question.id:
        return CheckItem("done", "Question text.", "question")
    lacks = "No question text." if not question.question.strip() else "An unedited copy: edit the text, or set an id."
    return CheckItem("missing", lacks, "question")


def _answer_item(question: Question) -> CheckItem:
    if question.raw_answer.strip():
        return CheckItem("done", "Reference answer.", "question")
    return CheckItem("missing", "No reference answer.", "question")


def _template_item(outline: TemplateOutline | None) -> CheckItem:
    if outline is None:
        return CheckItem("missing", "No answer template: only the rubric can be evaluated.", "template")
    if problem := outline.first_error:
        place = "" if problem.line is None else f" in line {problem.line}"
        return CheckItem("missing", f"The answer template has an error{place}.", "template")
    return CheckItem("done", "Answer template without errors.", "template")


def _test_items(summary: QuestionSummary, outline: TemplateOutline | None) -> list[CheckItem]:
    if outline is None or not outline.valid:
        return []
    if summary.samples_wrong:
        wrong = f"{quantity(summary.samples_wrong, 'sample answer')} with a wrong verdict."
        samples = CheckItem("missing", wrong, "template")
    elif summary.samples_unread:
        samples = CheckItem("advice", f"{quantity(summary.samples_unread, 'sample answer')} not read yet.", "template")
    elif summary.samples:
        samples = CheckItem("done", f"{quantity(summary.samples, 'sample answer')} as expected.", "template")
    else:
        samples = CheckItem("advice", "No sample answers test the template.", "template")
    mutation = {
        "accepts_wrong": CheckItem("advice", "The template accepts wrong values.", "template"),
        "refuses_expected": CheckItem("missing", "The template fails its own expected values.", "template"),
    }.get(summary.mutation or "")
    return [samples, mutation or CheckItem("done", "Wrong values fail.", "template")]
