"""Review of questions: the checklist, finishing, returning to the author, and comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from karenina_gui.authoring.changes import ChangeKind
from karenina_gui.authoring.checklist import CheckedTemplate, checklist
from karenina_gui.authoring.workspaces import Workspaces
from karenina_gui.errors import InputError
from karenina_gui.schemas.benchmark_summaries import QuestionFilter, QuestionSummary
from karenina_gui.schemas.review import CheckItem, Comment, same_person
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.store.actors import one_command
from karenina_gui.store.library import Library

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
        own_numbers = {row.number for row in own}
        chosen = [number for number in numbers if number not in own_numbers]
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

    def separate(self, benchmark_id: int, separate: bool) -> None:
        """Let nobody finish their own questions, or anybody."""
        self._library.benchmarks.set_separate_review(benchmark_id, separate)
        self._editor.announce(benchmark_id, "replaced", [])

    def checklist(self, benchmark_id: int, number: int) -> list[CheckItem]:
        """Everything that should hold before a question is finished. Checks and tests its template."""
        question = self._library.questions.entry(benchmark_id, number).question
        # Before the summary is read, because the check stores the results that it shows.
        outline = self._editor.check_question(benchmark_id, number)
        template = None if outline is None else CheckedTemplate.of(question.answer_template or "", outline)
        return checklist(
            question,
            self._library.questions.summary(benchmark_id, number),
            template,
            root=self._editor.workspaces.root(benchmark_id) if question.workspace_path else None,
            open_comments=self._library.comments.open_counts(benchmark_id, [number]).get(number, 0),
        )


def _comment_text(text: str, if_empty: str) -> str:
    text = text.strip()
    if not text:
        raise InputError(if_empty)
    if len(text) > MAX_COMMENT:
        raise InputError(f"A comment has at most {MAX_COMMENT:,} characters; this one has {len(text):,}.")
    return text
