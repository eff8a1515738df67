"""A question while somebody edits it: saves each field as it is made, and merges what others do meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.window import Window
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.summaries import Conflict, QuestionSummary

OnChange = Callable[[Question], Any]


class QuestionDraft:
    """Parts of the editor read `question` and call `save`; they are told when it changes elsewhere."""

    def __init__(self, window: Window, benchmark_id: int, number: int) -> None:
        self.window = window
        self.desk = window.studio.desk
        self.benchmark_id = benchmark_id
        self.id = self.desk.question_id(benchmark_id, number)
        opened = self.desk.question(benchmark_id, self.id)
        self.question = opened.entry.question
        self.summary: QuestionSummary = opened.summary
        self._revision = opened.summary.revision
        self._elsewhere = _Listeners()
        self._saved = _Listeners()
        window.listen(window.studio.edited, self._on_change)

    def save(self, name: str, value: Any) -> str | None:
        """Keep one field; returns what is wrong with the value, or None when it is in the store.

        A field that somebody else changed in the meantime is kept as it is here; a message offers theirs.
        """
        if getattr(self.question, name) == value:
            return None
        try:
            outcome = self.desk.edit(self.benchmark_id, self.id, {name: value}, expected_revision=self._revision)
            if isinstance(outcome, Conflict):
                theirs = getattr(outcome.entry.question, name)
                if theirs != getattr(self.question, name):
                    self.window.tell(
                        "This field was also changed in another window. Yours was kept; Undo takes the other one.",
                        undo=lambda: self._take(name, theirs),
                    )
                outcome = self.desk.edit(self.benchmark_id, self.id, {name: value})
        except (InputError, ValidationError) as error:
            return _sentence(error)
        self._reload()
        self.window.note_saved(outcome.at)
        self._saved.tell(self.question)
        return None

    def on_saved(self, callback: OnChange) -> None:
        """Called after each edit made here."""
        self._saved.add(callback)

    def on_elsewhere(self, callback: OnChange) -> None:
        """Called after an edit made in another place."""
        self._elsewhere.add(callback)

    def _take(self, name: str, value: Any) -> None:
        self.save(name, value)
        self._elsewhere.tell(self.question)

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id != self.benchmark_id or change.question_id not in (self.id, None):
            return
        before = self._revision
        try:
            self._reload()
        except NotFoundError:
            return
        told = self._elsewhere if self._revision != before else self._saved
        told.tell(self.question)

    def _reload(self) -> None:
        opened = self.desk.question(self.benchmark_id, self.id)
        self.question, self.summary, self._revision = opened.entry.question, opened.summary, opened.summary.revision


class _Listeners:
    """Called in the places where they were added, for as long as these are on the page."""

    def __init__(self) -> None:
        self._added: list[tuple[ui.element, OnChange]] = []

    def add(self, callback: OnChange) -> None:
        self._added.append((ui.context.slot.parent, callback))

    def tell(self, question: Question) -> None:
        for place, callback in self._added:
            if not place.is_deleted:
                with place:
                    callback(question)


def _sentence(error: InputError | ValidationError) -> str:
    if isinstance(error, InputError):
        return str(error)
    return str(error.errors()[0]["msg"]).removeprefix("Value error, ")
