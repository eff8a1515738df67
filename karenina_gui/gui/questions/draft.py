"""A question while somebody edits it: saves each field as it is made, and never over what others did meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.frame.window import Window
from karenina_gui.schemas.problems import problem_at_its_field
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
        self._presence = _Listeners()
        self.deleted = False
        self._unsaved: dict[str, Any] = {}
        """What was typed while the question was deleted."""
        window.listen(window.studio.edited, self._on_change)

    def save(self, name: str, value: Any) -> str | None:
        """Keep one field; returns why it is not in the store, or None when it is.

        When somebody else has changed this field since it was shown here, nothing is saved: those who listen to
        `on_elsewhere` hear what it is now, and choose.
        """
        if self.deleted:
            self._unsaved[name] = value
            return "Not saved: the question is deleted. Restore it to keep what you type."
        if getattr(self.question, name) == value:
            return None
        before = getattr(self.question, name)
        try:
            outcome = self.desk.edit(self.benchmark_id, self.id, {name: value}, expected_revision=self._revision)
            while isinstance(outcome, Conflict) and getattr(outcome.entry.question, name) == before:
                # Another field was changed: both edits stand.
                outcome = self.desk.edit(self.benchmark_id, self.id, {name: value}, expected_revision=outcome.revision)
        except NotFoundError:
            self._note_presence(present=False)
            return self.save(name, value)
        except (InputError, ValidationError) as error:
            return _sentence(error, name)
        self._reload()
        if isinstance(outcome, Conflict):
            self._elsewhere.tell(self.question)
            return "Not saved: this was changed in another window."
        self.window.note_saved(outcome.at)
        self._saved.tell(self.question)
        return None

    def restore(self) -> None:
        """Bring a deleted question back, with what was typed into it meanwhile."""
        if not self.desk.restore_questions(self.benchmark_id, [self.summary.number]):
            self.window.tell("This question was written anew meanwhile. Delete the other one first.", "bad")

    def on_saved(self, callback: OnChange) -> None:
        """Called after each edit made here."""
        self._saved.add(callback)

    def on_elsewhere(self, callback: OnChange) -> None:
        """Called after an edit made in another place."""
        self._elsewhere.add(callback)

    def on_presence(self, callback: OnChange) -> None:
        """Called when the question is deleted, here or elsewhere, and when it is restored."""
        self._presence.add(callback)

    def _on_change(self, change: Change) -> None:
        if change.benchmark_id != self.benchmark_id or change.question_id not in (self.id, None):
            return
        before = self._revision
        try:
            self._reload()
        except NotFoundError:
            self._note_presence(present=False)
            return
        self._note_presence(present=True)
        told = self._elsewhere if self._revision != before else self._saved
        told.tell(self.question)

    def _note_presence(self, *, present: bool) -> None:
        if self.deleted != present:
            return
        self.deleted = not present
        if present:
            unsaved, self._unsaved = self._unsaved, {}
            for name, value in unsaved.items():
                self.save(name, value)
        self._presence.tell(self.question)

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


def _sentence(error: InputError | ValidationError, name: str) -> str:
    """What is wrong, for the place of the field itself, which needs no naming."""
    if isinstance(error, ValidationError):
        return problem_at_its_field(error)
    message = str(error).removeprefix(f"{name}: ")
    return message[:1].upper() + message[1:] + ("" if message.endswith(".") else ".")
