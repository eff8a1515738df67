"""What is typed into one field, on its way to the library: saved, refused, or beside what others saved meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Protocol

from nicegui import background_tasks

from karenina_gui.gui.parts.differences import merged
from karenina_gui.gui.parts.shared_record import Theirs
from karenina_gui.gui.parts.typed_text import without_unseen
from karenina_gui.schemas.summaries import UnsavedEdit

QUIET = 0.3
"""Seconds without a keystroke after which a field is saved."""
LATEST = 0.6
"""Seconds after the first keystroke by which it is saved, however fast somebody types on."""

PASSING = 0.2
"""Seconds in which the focus moves from one part of a control to the next."""


class Field(Protocol):
    """Where a field is kept; see `SharedField`."""

    def read(self) -> Any: ...
    def save(self, value: Any, base: Any) -> str | Theirs | None: ...
    def unsaved(self) -> UnsavedEdit | None: ...
    def keep(self, value: Any, base: Any) -> None: ...
    def forget(self) -> None: ...


class View(Protocol):
    """A control that shows a field."""

    def follow(self, value: Any) -> None:
        """Show what comes from elsewhere, unless something was typed that is still on its way; `FieldEdit.type` tells
        either."""

    def put(self, value: Any) -> None:
        """Show what the person has chosen."""

    def tell(self) -> None:
        """Something about the edit has changed: show its problem, and both versions where there are two."""


class FieldEdit:
    """Nothing is overwritten: what is saved replaces only what the person has seen. Nothing is lost: what cannot be
    saved is kept as a draft until it is decided."""

    def __init__(self, field: Field, view: View) -> None:
        self.field, self.view = field, view
        self.base = self.mine = field.read()
        self.problem: str | None = None
        """Why it is not saved, for people."""
        self.reopened = False
        """Whether what is not saved was typed at another time."""
        self._theirs: list[Any] = []
        self._dirty = False
        """Whether `mine` is typed and not in the library."""
        self._kept: tuple[Any, Any] | None = None
        """What was last kept as a draft, and over what it was typed; None: nothing is kept."""
        self.left_out = False
        """Whether signs that cannot be shown were left out of what was typed last."""
        self._shown_whole = True
        """Whether the control holds `mine`, and not such signs besides."""
        self._inside = False
        """Somebody is in the control."""
        self._saving = False
        self._task: asyncio.Task[None] | None = None
        self._typed_first = 0.0
        self._recall()

    @property
    def undecided(self) -> bool:
        """Whether there are two versions to choose from."""
        return self._dirty and bool(self._theirs)

    @property
    def theirs(self) -> Any:
        """What is saved instead, while it is undecided."""
        return self._theirs[0]

    def type(self, value: Any) -> None:
        """The person has changed the control. Signs that cannot be shown are left out, the rest is saved."""
        self.mine = without_unseen(deepcopy(value), self.base)
        self.left_out = self.mine != value
        self._shown_whole = not self.left_out
        if self._theirs and self.mine == self._theirs[0]:
            self._agree(self.mine)
        elif not self._theirs and self.mine == self.base:
            self._agree(self.base)
        else:
            if self._theirs == [self.base]:
                self._theirs = []  # typing on is a decision where nobody else has one
            self._dirty = True
            self._soon()

    def hear(self, value: Any) -> None:
        """What the library has now, maybe from another window."""
        if self._saving:
            return  # the outcome tells
        if self._dirty and value == self.mine:
            self._agree(value)
        elif value == (self._theirs[0] if self._theirs else self.base):
            return
        elif value == self.base and not self._dirty:
            self._theirs = []
        elif self._dirty or self._inside:
            self._theirs = [deepcopy(value)]
            self.flush()
        else:
            self._theirs = [deepcopy(value)]
            self.view.follow(value)

    def waits_for(self, value: Any) -> bool:
        """Whether this is still what the control shall show, and nobody has gone on typing meanwhile."""
        return self._theirs == [value] and not self._dirty

    def enter(self) -> None:
        self._inside = True

    def leave(self) -> None:
        self._inside = False
        if self._dirty:
            self.flush()
        elif self._theirs:
            background_tasks.create(self._catch_up(), name="show what came from elsewhere")
        if not self._shown_whole:
            self._shown_whole = True  # not while somebody types: that would take keystrokes back
            self.view.put(self.mine)

    def again(self) -> None:
        """What stood against saving may be gone."""
        if self.problem is not None:
            self.flush()

    def keep_mine(self) -> None:
        if self.undecided:
            self.base, self._theirs = self._theirs[0], []
            self.flush()

    def take_theirs(self) -> None:
        if self.undecided:
            theirs = self._theirs[0]
            self._agree(theirs)
            self.mine = deepcopy(theirs)
            self.view.put(theirs)

    def merge(self) -> None:
        """Put both texts into the control, each difference once."""
        if self.undecided:
            both = merged(str(self.base or ""), str(self.mine or ""), str(self._theirs[0] or ""))
            self.base, self._theirs, self.mine = self._theirs[0], [], both
            self.view.put(both)
            self.flush()

    def flush(self) -> None:
        """Save now what is typed; where that cannot be, keep it."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if not self._dirty:
            return
        outcome = self._outcome()
        if outcome is None:
            self._agree(self.field.read())
            return
        self.problem = outcome if isinstance(outcome, str) else None
        if isinstance(outcome, Theirs):
            self._theirs = [deepcopy(outcome.value)]
        if self._kept != (self.mine, self.base):
            # Once only: the page that this one took the place of must not bring back what is decided here.
            self._kept = (self.mine, self.base)
            self.field.keep(*self._kept)
        self.view.tell()

    def _outcome(self) -> str | Theirs | None:
        if self._theirs:
            return Theirs(self._theirs[0])
        self._saving = True
        try:
            return self.field.save(self.mine, self.base)
        finally:
            self._saving = False

    def _agree(self, value: Any) -> None:
        """The control and the library are one."""
        self.base = deepcopy(value)
        self._theirs = []
        self._dirty = self.reopened = False
        self.problem = None
        if self._kept is not None:
            self._kept = None
            self.field.forget()
        self.view.tell()

    def _recall(self) -> None:
        """What was typed here earlier and never decided."""
        draft = self.field.unsaved()
        if draft is None:
            return
        if draft.typed == self.base:
            self.field.forget()
            return
        self._kept = (draft.typed, draft.base)
        self._theirs = [self.base]
        self.mine, self.base = draft.typed, draft.base
        self._dirty = self.reopened = True

    def _soon(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._task is None or self._task.done():
            self._typed_first = now
        else:
            self._task.cancel()
        pause = max(0.0, min(QUIET, self._typed_first + LATEST - now))
        # Without a place on the page: what was typed last is saved even if the page is left meanwhile.
        self._task = background_tasks.create(self._later(pause), name="save what is typed")

    async def _catch_up(self) -> None:
        """Show what waited while somebody was in the control, unless they only went on to the next part of it."""
        await asyncio.sleep(PASSING)
        if self._theirs and not self._inside and not self._dirty:
            self.hear(self._theirs.pop())

    async def _later(self, pause: float) -> None:
        await asyncio.sleep(pause)
        self._task = None
        self.flush()


class FieldWithoutDraft:
    """Half of a `Field`: what cannot be saved stays in its control only."""

    def unsaved(self) -> UnsavedEdit | None:
        return None

    def keep(self, value: Any, base: Any) -> None:
        pass

    def forget(self) -> None:
        pass


class LonelyField(FieldWithoutDraft):
    """A field that nobody else edits: kept by a function that returns what is wrong, or None."""

    def __init__(self, value: Any, save: Callable[[Any], str | None]) -> None:
        self._value, self._save = value, save

    def read(self) -> Any:
        return self._value

    def save(self, value: Any, base: Any) -> str | Theirs | None:
        problem = self._save(value)
        if problem is None:
            self._value = value
        return problem
