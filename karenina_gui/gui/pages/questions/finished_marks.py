"""Finished marks of questions, as one person sets them, with undo."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nicegui import run

from karenina_gui.errors import InputError
from karenina_gui.gui.pages.questions.rows import quoted_title
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.benchmark_summaries import QuestionFilter, QuestionSummary
from karenina_gui.text import quantity, verb

OWN = "Not finished: this is your own question. In this benchmark, another person has to finish it."
OWN_MANY = "{count} of them are your own questions. In this benchmark, another person has to finish them."


class FinishedMarks:
    def __init__(self, window: Window, benchmark_id: int) -> None:
        self._window, self._benchmark_id = window, benchmark_id
        self._editor = window.services.editor

    async def confirm(self, number: int) -> None:
        """Mark an edited question as reviewed again."""
        refused = await self._carry_out([number], True)
        if refused is not None and not refused[0]:
            self._window.notify("Marked as reviewed.")

    async def set(self, numbers: list[int], finished: bool) -> None:
        """Mark questions as finished or unfinished. A message offers undo."""
        rows = await self._rows(numbers)
        if finished:
            rows = self._refuse_without_text(rows)
        # An edited question that is finished again counts as reviewed again.
        changing = [row.number for row in rows if row.finished != finished or row.changed_since_review]
        outcome = await self._carry_out(changing, finished) if rows else None
        if outcome is not None:
            own, command_id = outcome
            word = "finished" if finished else "unfinished"
            self._offer_undo(
                _marked_message(rows, len(changing) - len(own), len(rows) - len(changing), word), command_id
            )

    def _offer_undo(self, message: str, command_id: int | None) -> None:
        # Where nothing was changed, there is nothing to undo.
        undo = None if command_id is None else partial(self._window.undo, command_id)
        self._window.notify(message, undo=undo)

    async def _rows(self, numbers: list[int]) -> list[QuestionSummary]:
        question_filter = QuestionFilter(numbers=tuple(numbers))
        library = self._window.services.library
        return await run.io_bound(library.questions.summaries, self._benchmark_id, question_filter) or []

    async def _carry_out(self, numbers: list[int], finished: bool) -> tuple[list[QuestionSummary], int | None] | None:
        """Set the mark; returns questions that this person may not finish, and the command. None: nothing was done."""
        try:
            marked = await self._window.write_long(as_one(self._mark), numbers, finished)
        except InputError as error:
            self._window.notify(str(error), "bad")
            return None
        self._window.note_saved()
        # In one step with the others, since a person who selects all should not have to pick their own out first.
        if own := marked.outcome:
            self._window.notify(OWN if len(own) == 1 else OWN_MANY.format(count=len(own)), "bad")
        return own, marked.command_id

    def _mark(self, numbers: list[int], finished: bool) -> list[QuestionSummary]:
        if finished:
            person = self._window.preferences.author.get("name", "")
            return self._editor.reviews.finish(self._benchmark_id, numbers, person).own
        self._editor.set_finished(self._benchmark_id, numbers, False)
        return []

    def _refuse_without_text(self, rows: list[QuestionSummary]) -> list[QuestionSummary]:
        """Report questions that cannot be finished, and return the others."""
        if message := _unfinished_reason([row for row in rows if not row.id]):
            self._window.notify(message, "bad")
        return [row for row in rows if row.id]


def _marked_message(rows: Sequence[QuestionSummary], changed: int, already: int, word: str) -> str:
    if len(rows) == 1:
        return f"Marked as {word}: {quoted_title(rows[0])}."
    rest = f" ({already:,} already {verb(already, 'was', 'were')})" if already else ""
    return f"Marked as {word}: {quantity(changed, 'question')}{rest}."


def _unfinished_reason(questions: Sequence[QuestionSummary]) -> str | None:
    """Return why questions without an id cannot be finished. None: `questions` is empty."""
    if not questions:
        return None
    if len(questions) > 1:
        return f"{len(questions):,} questions stay unfinished. Write their text first."
    if questions[0].text.strip():
        return "Not marked finished. Edit the text of this copy first."
    return "Not marked finished. Write the question first."
