"""Fields that an edit reads and saves, and the results of a save."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from karenina_gui.gui.session.outbox import Outbox
from karenina_gui.schemas.edits import UnsavedEdit


@dataclass(frozen=True)
class RemoteValue:
    """Conflict: another window has saved this value meanwhile; nothing was saved."""

    value: Any


Outcome = str | RemoteValue | None
"""Result of a save. None: saved. Text: invalid, with the message."""


class Field(Protocol):
    """Storage of a field; see `RecordField`."""

    @property
    def place(self) -> str:
        """Path of record and field, the key of drafts and of the browser's outbox."""

    @property
    def outbox(self) -> Outbox | None:
        """Outbox that keeps typed text in the browser until it is saved; None for fields that may hold a secret."""

    def follow(self, edit: Any) -> None:
        """Tell an `OptimisticEdit` of values from elsewhere, and when the record is deleted or restored."""

    def read(self) -> Any: ...
    def save(self, value: Any, base: Any) -> Outcome | Awaitable[Outcome]: ...
    def unsaved_edit(self) -> UnsavedEdit | None: ...
    def save_draft(self, value: Any, base: Any) -> Awaitable[None] | None: ...
    def discard_draft(self) -> None: ...


class FieldWithoutDraft:
    """Base of fields without drafts: text that cannot be saved stays only in its control."""

    @property
    def place(self) -> str:
        return ""

    @property
    def outbox(self) -> Outbox | None:
        return None

    def follow(self, edit: Any) -> None:
        pass

    def unsaved_edit(self) -> UnsavedEdit | None:
        return None

    def save_draft(self, value: Any, base: Any) -> None:
        pass

    def discard_draft(self) -> None:
        pass


class CallbackField(FieldWithoutDraft):
    """Field that no other window edits; `save` returns the problem, or None."""

    def __init__(
        self,
        value: Any,
        save: Callable[[Any], str | Awaitable[str | None] | None],
        place: str = "",
        outbox: Outbox | None = None,
    ) -> None:
        """`outbox` keeps typed text in the browser under `place`; None: no outbox."""
        self._value, self._save = value, save
        self._address, self._outbox = place, outbox

    @property
    def place(self) -> str:
        return self._address

    @property
    def outbox(self) -> Outbox | None:
        return self._outbox

    def read(self) -> Any:
        return self._value

    def save(self, value: Any, base: Any) -> Outcome | Awaitable[Outcome]:
        problem = self._save(value)
        if inspect.isawaitable(problem):
            return self._await_save(value, problem)
        return self._store(value, problem)

    async def _await_save(self, value: Any, coming: Awaitable[str | None]) -> Outcome:
        return self._store(value, await coming)

    def _store(self, value: Any, problem: str | None) -> Outcome:
        if problem is None:
            self._value = value
        return problem
