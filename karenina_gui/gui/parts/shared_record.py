"""Something in the library while it is edited here: its fields are saved one by one, never over what others did."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from nicegui import background_tasks, ui
from pydantic import ValidationError

from karenina_gui.authoring.changes import Change
from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.frame.outbox import Outbox
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.field_edit import Outcome, Theirs
from karenina_gui.schemas.problems import problem_at_its_field
from karenina_gui.schemas.summaries import Saved, UnsavedEdit

T = TypeVar("T")


@dataclass(frozen=True)
class SharedField(Generic[T]):
    """One field of a record, as plain JSON; `changes` says which columns hold it, given the record as it stands."""

    record: SharedRecord[T]
    name: str
    """Last piece of the place where its drafts are kept."""
    of: Callable[[T], Any]
    changes: Callable[[T, Any], dict[str, Any]]

    def read(self) -> Any:
        """Its value as this window last heard of it."""
        return self.of(self.record.state)

    @property
    def place(self) -> str:
        return f"{self.record.place}/{self.name}"

    @property
    def outbox(self) -> Outbox | None:
        return self.record.window.outbox

    async def save(self, value: Any, base: Any) -> Outcome:
        """Save a value that was typed over `base`."""
        return await self.record.put(self, value, base)

    def unsaved(self) -> UnsavedEdit | None:
        """What this person typed here earlier, and what was never decided."""
        return self.record.unsaved.get(self.name)

    async def keep(self, value: Any, base: Any) -> None:
        """Keep what cannot be saved, until it is decided."""
        await self.record.keep(self.name, value, base)

    def forget(self) -> None:
        self.record.forget(self.name)


class SharedRecord(ABC, Generic[T]):
    """Parts of a page read `state` and its fields; they are told of edits made here and elsewhere."""

    DELETED = "Not saved: this was deleted. Restore it to save your edits."

    def __init__(self, window: Window, place: str) -> None:
        self.window, self.place = window, place
        self.desk = window.studio.desk
        self.deleted = False
        self._writing = 0
        """Number of writes of this window that are under way."""
        self._changed_meanwhile = False
        self._elsewhere: Listeners[T] = Listeners()
        self._saved: Listeners[T] = Listeners()
        self._presence: Listeners[T] = Listeners()
        self._unsaved: Listeners[T] = Listeners()
        self.state, self._revision = self._read()
        found = self.desk.drafts.of(window.person, place)
        self.unsaved = {edit.place.removeprefix(f"{place}/"): edit for edit in found}
        """What this person typed and could not be saved, by the names of the fields."""
        self._listen()

    @abstractmethod
    def _read(self) -> tuple[T, int]:
        """The record as it stands, and its revision. Errors: `NotFoundError` once it is deleted."""

    @abstractmethod
    def _write(self, changes: dict[str, Any], revision: int) -> Saved | None:
        """Save if it is still this revision; None: it is not. Called off the event loop, so it must not draw."""

    def _written(self) -> None:
        """Tell others of a write that has succeeded; those of a benchmark are told by the desk."""

    def _listen(self) -> None:
        """Hear of edits of this record, wherever they are made."""
        self.window.listen(self.window.studio.edited, self._on_change)

    def _concerns(self, change: Change) -> bool:
        """Whether an edit of a benchmark is one of this record."""
        return False

    def field(
        self,
        name: str,
        of: Callable[[T], Any] | None = None,
        changes: Callable[[T, Any], dict[str, Any]] | None = None,
    ) -> SharedField[T]:
        """A field by its name; `of` and `changes` for one that is shown in another shape than it is kept."""
        return SharedField(
            self, name, of or (lambda state: getattr(state, name)), changes or (lambda _, value: {name: value})
        )

    async def save(self, name: str, value: Any) -> str | None:
        """Save one field; returns why it is not in the library, or None when it is.

        When somebody else has changed this field since it was shown here, nothing is saved: those who listen to
        `on_elsewhere` hear what it is now, and choose.
        """
        field = self.field(name)
        outcome = await self.put(field, value, field.read())
        return "Not saved: this was changed in another window." if isinstance(outcome, Theirs) else outcome

    async def put(self, field: SharedField[T], value: Any, base: Any) -> Outcome:
        """Save a field if it still has the value `base` in the library, whatever else of the record has changed."""
        while not self.deleted:
            now = field.read()
            if now == value and json.dumps(now, default=str) == json.dumps(value, default=str):
                return None  # the same, in the same order
            if now != base:
                return Theirs(now)
            try:
                saved = await self._attempt(field, value)
            except NotFoundError:
                self._note_presence(present=False)
                break
            except (InputError, ValidationError) as error:
                return _sentence(error, field.name)
            if saved is not None:
                self.window.note_saved(saved.at)
                return None
        return self.DELETED

    async def _attempt(self, field: SharedField[T], value: Any) -> Saved | None:
        """Write the record as this window knows it with one field changed; None: it has changed since."""
        changes, revision = field.changes(self.state, value), self._revision
        self._writing += 1
        try:
            saved, self.state, self._revision = await self.window.write(self._write_and_read, changes, revision)
        finally:
            self._writing -= 1
        later = asyncio.get_running_loop().call_soon  # after the caller has noted the outcome of its own save
        if saved is None:
            self._elsewhere.tell(self.state)
        else:
            self._written()
            self._saved.tell(self.state)
            if self._revision != saved.revision:
                later(self._elsewhere.tell, self.state)
        if self._changed_meanwhile and not self._writing:
            later(self._look_again)
        return saved

    def _write_and_read(self, changes: dict[str, Any], revision: int) -> tuple[Saved | None, T, int]:
        saved = self._write(changes, revision)
        return saved, *self._read()

    async def keep(self, name: str, value: Any, base: Any) -> None:
        """Keep what this person typed and cannot be saved."""
        place, person = f"{self.place}/{name}", self.window.person
        self.unsaved[name] = UnsavedEdit(place, value, base, "")
        await self.window.write(self.desk.drafts.keep, place, person, value, base)
        self._note_unsaved()

    def forget(self, name: str) -> None:
        """It is decided; the draft goes in the background."""
        self.unsaved.pop(name, None)
        self._note_unsaved()
        background_tasks.create(self._forget(name), name="forget a draft")

    async def _forget(self, name: str) -> None:
        await self.window.write(self.desk.drafts.forget, f"{self.place}/{name}", self.window.person)
        self.window.note_undecided()

    def _note_unsaved(self) -> None:
        self._unsaved.tell(self.state)
        self.window.note_undecided()

    def on_saved(self, callback: Callable[[T], Any]) -> None:
        """Called after each edit made here."""
        self._saved.add(callback)

    def on_elsewhere(self, callback: Callable[[T], Any]) -> None:
        """Called after an edit made in another place."""
        self._elsewhere.add(callback)

    def on_presence(self, callback: Callable[[T], Any]) -> None:
        """Called when the record is deleted, here or elsewhere, and when it is restored."""
        self._presence.add(callback)

    def on_unsaved(self, callback: Callable[[T], Any]) -> None:
        """Called when there is more or less that waits to be decided, see `unsaved`."""
        self._unsaved.add(callback)

    def _on_change(self, change: Change) -> None:
        if self._concerns(change):
            self._look_again()

    def _look_again(self) -> None:
        if self._writing:
            self._changed_meanwhile = True
            return  # the outcome tells
        before, self._changed_meanwhile = self._revision, False
        try:
            self.state, self._revision = self._read()
        except NotFoundError:
            self._note_presence(present=False)
            return
        self._note_presence(present=True)
        (self._elsewhere if self._revision != before else self._saved).tell(self.state)

    def _note_presence(self, *, present: bool) -> None:
        if self.deleted == present:
            self.deleted = not present
            self._presence.tell(self.state)


class Listeners(Generic[T]):
    """Called in the places where they were added, for as long as these are on the page."""

    def __init__(self) -> None:
        self._added: list[tuple[ui.element, Callable[[T], Any]]] = []

    def add(self, callback: Callable[[T], Any]) -> None:
        self._added.append((ui.context.slot.parent, callback))

    def tell(self, state: T) -> None:
        for place, callback in self._added:
            if not place.is_deleted:
                with place:
                    callback(state)


def _sentence(error: InputError | ValidationError, name: str) -> str:
    """What is wrong, for the place of the field itself, which needs no naming."""
    if isinstance(error, ValidationError):
        return problem_at_its_field(error)
    message = str(error).removeprefix(f"{name}: ")
    return message[:1].upper() + message[1:] + ("" if message.endswith(".") else ".")
