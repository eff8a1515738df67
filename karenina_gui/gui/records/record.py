"""Record of the library that several windows edit: fields are saved one by one, never over other edits."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from nicegui import background_tasks, ui
from pydantic import ValidationError

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.events import Signal
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.optimistic_edit import OptimisticEdit, Outcome, RemoteValue
from karenina_gui.gui.session.outbox import Outbox
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.edits import UnsavedEdit
from karenina_gui.schemas.problems import problem_at_its_field

T = TypeVar("T")
RecordEvent = Literal["saved", "elsewhere", "presence", "unsaved"]
"""Edited in this window, edited elsewhere, deleted or restored in any window, drafts (`unsaved`) added or removed."""


@dataclass(frozen=True)
class RecordField(Generic[T]):
    """Field of a record as plain JSON; `changes` converts a value to columns, given the current record."""

    record: EditableRecord[T]
    name: str
    """Last segment of the path of its drafts."""
    of: Callable[[T], Any]
    changes: Callable[[T, Any], dict[str, Any]]
    private: bool = False
    """True for text that may hold a pasted secret, which the browser does not keep."""

    def read(self) -> Any:
        """Return the value as this window knows it."""
        return self.of(self.record.state)

    @property
    def address(self) -> str:
        return f"{self.record.address}/{self.name}"

    @property
    def outbox(self) -> Outbox | None:
        return None if self.private else self.record.window.outbox

    def follow(self, edit: OptimisticEdit) -> None:
        # Also after saves of this window: one may change the value of another field.
        self.record.listen(lambda state: edit.on_remote_change(self.of(state)), "saved", "elsewhere")
        self.record.listen(lambda _: edit.retry(), "presence")
        self.record.note_edit(edit)

    async def save(self, value: Any, base: Any) -> Outcome:
        """Save a value that was typed over `base`."""
        return await self.record.save_field(self, value, base)

    def unsaved_edit(self) -> UnsavedEdit | None:
        """Return this user's draft of the field, or None."""
        return self.record.unsaved.get(self.name)

    def save_draft(self, value: Any, base: Any) -> Awaitable[None] | None:
        """Keep a draft until the user decides about it. None: the record keeps no drafts."""
        has_draft = self.record.KEEPS_DRAFTS and not self.private
        return self.record.save_draft(self.name, value, base) if has_draft else None

    def discard_draft(self) -> None:
        self.record.discard_draft(self.name)


class EditableRecord(ABC, Generic[T]):
    """Record with its fields; informs parts of a page of edits in this and other windows."""

    DELETED = "Not saved: this was deleted. Restore it to save your edits."
    KEEPS_DRAFTS: ClassVar[bool] = True
    """False: text that cannot be saved may hold a secret, and stays only in its control."""

    def __init__(self, window: Window, address: str) -> None:
        self.window, self.address = window, address
        self.editor = window.services.editor
        self.deleted = False
        self._writing = 0
        """Number of this window's writes in progress."""
        self._changed_meanwhile = False
        self._edits: list[tuple[ui.element, OptimisticEdit]] = []
        self._changed: Signal[[RecordEvent]] = Signal()
        self.state, self._revision = self._read()
        drafts = window.services.library.drafts.of(window.browser_id, address)
        self.unsaved = {edit.address.removeprefix(f"{address}/"): edit for edit in drafts}
        """This user's drafts by field name."""
        self._listen()

    def note_edit(self, edit: OptimisticEdit) -> None:
        self._edits = [(element, other) for element, other in self._edits if not element.is_deleted]
        self._edits.append((ui.context.slot.parent, edit))

    @property
    def edits(self) -> list[OptimisticEdit]:
        """Edits of the fields that are on the page."""
        return [edit for element, edit in self._edits if not element.is_deleted]

    @abstractmethod
    def _read(self) -> tuple[T, Any]:
        """Read the record and its revision, which is equal as long as nothing was saved.

        Raises `NotFoundError` if it is deleted.
        """

    @abstractmethod
    def _write(self, changes: dict[str, Any], revision: Any) -> tuple[Any, str] | None:
        """Save if the revision still matches, and return the next one and the time; else return None.

        Runs in a thread, so it must not touch elements.
        """

    def _on_written(self, before: T) -> None:
        """Emit a successful write; those of a benchmark are emitted by the editor."""

    @abstractmethod
    def _listen(self) -> None:
        """Subscribe to edits of this record in any window."""

    def field(
        self,
        name: str,
        of: Callable[[T], Any] | None = None,
        changes: Callable[[T, Any], dict[str, Any]] | None = None,
        *,
        private: bool = False,
    ) -> RecordField[T]:
        """Return a field by name; `of` and `changes` convert if it is shown in another shape."""
        return RecordField(
            self, name, of or (lambda state: getattr(state, name)), changes or (lambda _, value: {name: value}), private
        )

    def form_field(self, spec: FormField[T]) -> RecordField[T]:
        return self.field(spec.name, spec.value_of, spec.changes)

    async def save(self, name: str, value: Any) -> str | None:
        """Save one field; return the problem, or None.

        If another window has changed this field since it was shown here, nothing is saved, and callbacks for
        `elsewhere` receive the current record.
        """
        field = self.field(name)
        outcome = await self.save_field(field, value, field.read())
        return "Not saved: this was changed in another window." if isinstance(outcome, RemoteValue) else outcome

    async def save_field(self, field: RecordField[T], value: Any, base: Any) -> Outcome:
        """Save a field if the library still has `base` as its value, regardless of other fields."""
        while not self.deleted:
            now = field.read()
            # Equality of dicts ignores the order of keys, which users can change: JSON tells it apart.
            if now == value and json.dumps(now, default=str) == json.dumps(value, default=str):
                return None  # the same, in the same order
            if now != base:
                return RemoteValue(now)
            try:
                saved = await self._attempt(field, value)
            except NotFoundError:
                self._note_presence(present=False)
                break
            except (InputError, ValueError) as error:
                return _sentence(error, field.name)
            if saved is not None:
                self.window.note_saved(saved)
                return None
        return self.DELETED

    async def _attempt(self, field: RecordField[T], value: Any) -> str | None:
        """Write one changed field and return the time; None: the record has another revision by now."""
        before, changes, revision = self.state, field.changes(self.state, value), self._revision
        self._writing += 1
        try:
            saved, self.state, self._revision = await self.window.write(self._write_and_read, changes, revision)
        finally:
            self._writing -= 1
        later = asyncio.get_running_loop().call_soon  # after the caller has processed its own result
        if saved is None:
            self._changed.emit("elsewhere")
        else:
            self._on_written(before)
            self._changed.emit("saved")
            if self._revision != saved[0]:
                later(self._changed.emit, "elsewhere")
        if self._changed_meanwhile and not self._writing:
            later(self._reload)
        return saved and saved[1]

    def _write_and_read(self, changes: dict[str, Any], revision: Any) -> tuple[tuple[Any, str] | None, T, Any]:
        saved = self._write(changes, revision)
        return saved, *self._read()

    async def save_draft(self, name: str, value: Any, base: Any) -> None:
        """Keep a draft of a value that cannot be saved."""
        address, person = f"{self.address}/{name}", self.window.browser_id
        self.unsaved[name] = UnsavedEdit(address, value, base, "")
        await self.window.write(self.window.services.library.drafts.save, address, person, value, base)
        self._note_unsaved()

    def discard_draft(self, name: str) -> None:
        """Delete a draft in the background."""
        self.unsaved.pop(name, None)
        self._note_unsaved()
        background_tasks.create(self._discard_draft(name), name="forget a draft")

    async def _discard_draft(self, name: str) -> None:
        await self.window.write(
            self.window.services.library.drafts.discard, f"{self.address}/{name}", self.window.browser_id
        )
        self.window.note_undecided()

    def _note_unsaved(self) -> None:
        self._changed.emit("unsaved")
        self.window.note_undecided()

    def listen(self, callback: Callable[[T], Any], *events: RecordEvent) -> None:
        """Call back with the record after these events, while the current element is on the page."""
        slot = ui.context.slot
        element = slot.parent

        def call(event: RecordEvent) -> None:
            if element.is_deleted:
                end()
            elif event in events:
                with slot:
                    callback(self.state)

        end = self._changed.subscribe(call)

    def _reload(self) -> None:
        if self._writing:
            # Events may arrive before the result of the own write: read once it is finished.
            self._changed_meanwhile = True
            return  # read again after the write
        before, self._changed_meanwhile = self._revision, False
        try:
            self.state, self._revision = self._read()
        except NotFoundError:
            self._note_presence(present=False)
            return
        self._note_presence(present=True)
        self._changed.emit("elsewhere" if self._revision != before else "saved")

    def _note_presence(self, *, present: bool) -> None:
        if self.deleted == present:
            self.deleted = not present
            self._changed.emit("presence")


def _sentence(error: InputError | ValueError, name: str) -> str:
    """Format an error as a message at its field, without the field's name."""
    if isinstance(error, ValidationError):
        return problem_at_its_field(error)
    if not isinstance(error, InputError):
        return str(error)  # of a form, which writes sentences
    message = str(error).removeprefix(f"{name}: ")
    return message[:1].upper() + message[1:] + ("" if message.endswith(".") else ".")
