"""Edits of all selected questions: keywords and author."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from nicegui import run, ui

from karenina_gui.authoring.cell_edits import BulkOutcome, split_keywords
from karenina_gui.errors import InputError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import (
    button,
    field,
    focus_on,
    menu_button,
    menu_item,
    on_enter,
    select,
    text_input,
)
from karenina_gui.gui.pages.questions.rows import quoted_title
from karenina_gui.gui.session.window import Window, as_one
from karenina_gui.schemas.benchmark_summaries import QuestionFilter, QuestionSummary
from karenina_gui.text import quantity

NOTHING = "No question changed."
REFUSED_SHOWN = 3
"""Refused cells that are named one by one in a message."""


@dataclass(frozen=True)
class DeletedSelection:
    """Questions that were deleted together, as they were before; at least one."""

    questions: list[QuestionSummary]
    command_id: int | None

    @property
    def text(self) -> str:
        """Message about the deletion."""
        count = len(self.questions)
        return f"Deleted {quoted_title(self.questions[0]) if count == 1 else quantity(count, 'question')}."


class BulkEdits:
    """Dialogs for the selected questions of one window. A message after each edit offers undo."""

    def __init__(self, window: Window, benchmark_id: int) -> None:
        self._window, self._benchmark_id = window, benchmark_id
        self._cells = window.services.editor.cells
        self._questions = window.services.library.questions

    async def duplicate(self, number: int) -> int | None:
        """Copy a question; returns the number of the copy. None: it could not be copied, and a message says why."""
        editor = self._window.services.editor
        try:
            copy = await self._window.write(editor.duplicate_question, self._benchmark_id, number)
        except InputError as error:
            self._window.notify(str(error), "bad")
            return None
        self._window.note_saved(copy.summary.updated_at)
        return copy.summary.number

    def draw_menu(self, chosen: Callable[[], Sequence[int]]) -> None:
        """Draw the button of the edits for the questions that are chosen when it is pressed."""
        container = ui.context.slot.parent

        def offer(title: str, act: Callable[[Sequence[int]], None]) -> None:
            def start() -> None:
                with container:  # not in the menu, which closes
                    act(chosen())

            menu_item(title, start)

        with menu_button("more_horiz", "More edits"):
            offer("Edit keywords…", self.edit_keywords)
            offer("Set author…", self.edit_author)

    def edit_keywords(self, numbers: Sequence[int]) -> None:
        """Ask which keywords to add and remove."""
        chosen = list(numbers)
        rows = self._questions.summaries(self._benchmark_id, QuestionFilter(numbers=tuple(chosen)))
        used = Counter(word for row in rows for word in row.keywords)
        title = f"Keywords of {quantity(len(rows), 'question')}"
        with dialog("Edit keywords", title, classes="dialog-narrow") as sheet:
            with field("Add", "separated by commas"):
                adding = text_input("Keywords to add")
            with field("Remove", "" if used else "These questions have no keywords."):
                counted = {word: f"{word} ({used[word]:,})" for word in sorted(used)}
                removing = select("Keywords to remove", counted, [], multiple=True)
                removing.classes("tags").set_enabled(bool(used))

            async def apply() -> None:
                sheet.close()
                add, remove = split_keywords(str(adding.value or "")), list(removing.value)
                await self.carry_out(lambda: self._cells.change_keywords(self._benchmark_id, chosen, add, remove))

            on_enter(adding, apply)
            with dialog_actions():
                button("Cancel", sheet.close, look="quiet")
                button("Apply", apply, look="main")
        focus_on(adding)

    def edit_author(self, numbers: Sequence[int]) -> None:
        """Ask for the author."""
        chosen, own = list(numbers), self._window.preferences.author
        with dialog("Set author", f"Author of {quantity(len(chosen), 'question')}", classes="dialog-narrow") as sheet:
            with field("Name", "Leave it empty to remove the author."):
                name = text_input("Author", own.get("name", ""))

            async def apply() -> None:
                sheet.close()
                written = str(name.value or "").strip()
                author = own if written == own.get("name") else {"name": written} if written else None
                await self.carry_out(lambda: self._cells.set_author(self._benchmark_id, chosen, author))

            on_enter(name, apply)
            with dialog_actions():
                button("Cancel", sheet.close, look="quiet")
                button("Apply", apply, look="main")
        focus_on(name)

    async def delete(self, numbers: Sequence[int]) -> DeletedSelection | None:
        """Delete questions as one command. None: that was not possible."""
        question_filter = QuestionFilter(numbers=tuple(numbers))
        summaries = await run.io_bound(self._questions.summaries, self._benchmark_id, question_filter)
        deleting = as_one(self._window.services.editor.delete_questions)
        try:
            deleted = await self._window.write_long(deleting, self._benchmark_id, list(numbers))
        except InputError as error:
            self._window.notify(str(error), "bad")
            return None
        if not summaries:
            return None
        self._window.note_saved()
        return DeletedSelection(summaries, deleted.command_id)

    async def carry_out(self, edit: Callable[[], BulkOutcome]) -> BulkOutcome | None:
        """Carry out an edit as one command and report it. None: it was refused as a whole."""
        try:
            done = await self._window.write(as_one(edit))
        except InputError as error:
            self._window.notify(str(error), "bad")
            return None
        outcome = done.outcome
        if message := refusal_text(outcome):
            self._window.notify(message, "bad")
        if outcome.changed or outcome.added:
            self._window.note_saved()
            self._window.notify(_done_text(outcome), undo=self._undo(done.command_id))
        elif not message:
            self._window.notify(NOTHING)
        return outcome

    def _undo(self, command_id: int | None) -> Callable[[], Awaitable[bool]]:
        return lambda: self._window.undo(command_id)


def refusal_text(outcome: BulkOutcome) -> str:
    """Sentences about what was not saved; empty: all was."""
    reasons = list(dict.fromkeys(cell.reason for cell in outcome.refused))
    parts = [" ".join(reasons[:REFUSED_SHOWN])] if reasons else []
    if more := len(reasons) - REFUSED_SHOWN:
        parts += [f"{quantity(more, 'more cell')} not saved."] if more > 0 else []
    if outcome.left_out:
        parts.append(f"The table has no column for {quantity(outcome.left_out, 'pasted column')}.")
    return f"Not saved: {' '.join(parts)}" if reasons else " ".join(parts)


def _done_text(outcome: BulkOutcome) -> str:
    parts = []
    if outcome.changed:
        parts.append(f"Edited {quantity(len(outcome.changed), 'question')}.")
    if outcome.added:
        parts.append(f"Added {quantity(len(outcome.added), 'question')}.")
    return " ".join(parts)
