"""The life of what is typed into one field: saved, waiting for the disk, invalid, or in conflict with another edit.

           type                flush               stored
    clean ──────▶ typed ──────────────▶ saving ──────────────▶ clean
                    ▲                    │ │ │
                    │ type               │ │ └─ changed elsewhere ─▶ conflict ─ mine, theirs or both ─▶ saving
                    ├────────────────────┤ └─── invalid ───────────▶ typed, with its problem
                    │                    └───── cannot be written ─▶ saving (the library retries)

One save of a field is under way at a time. What is typed meanwhile is saved next, based on the outcome: without this
rule a window would conflict with itself as soon as the disk is slow.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

from nicegui import background_tasks, ui

from karenina_gui.gui.frame.edits import Edits, edits_here
from karenina_gui.gui.frame.outbox import Outbox
from karenina_gui.gui.parts.differences import merged
from karenina_gui.gui.parts.typed_text import without_unseen
from karenina_gui.schemas.summaries import UnsavedEdit

QUIET = 0.3
"""Seconds without a keystroke after which a field is saved."""
LATEST = 0.6
"""Seconds after the first keystroke by which it is saved, however fast somebody types on."""

PASSING = 0.2
"""Seconds in which the focus moves from one part of a control to the next."""


@dataclass(frozen=True)
class Theirs:
    """Not saved: somebody else has saved this value meanwhile."""

    value: Any


Outcome = str | Theirs | None
"""None: saved. A text: invalid, with the reason for people."""


class Field(Protocol):
    """Where a field is stored; see `SharedField`."""

    @property
    def place(self) -> str:
        """Record and field, by which drafts and the browser's outbox name it."""

    @property
    def outbox(self) -> Outbox | None:
        """Keeps in the browser what is typed until it is stored; None: nothing does, as for what may hold a secret."""

    def read(self) -> Any: ...
    def save(self, value: Any, base: Any) -> Outcome | Awaitable[Outcome]: ...
    def unsaved(self) -> UnsavedEdit | None: ...
    def keep(self, value: Any, base: Any) -> Awaitable[None] | None: ...
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
        self.on_settled: Callable[[Any], None] | None = None
        """Called with what was typed once it needs no other keeper: it is stored, kept as a draft, or given up."""
        self._theirs: list[Any] = []
        self._dirty = False
        """Whether `mine` is typed and not in the library."""
        self._kept: tuple[Any, Any] | None = None
        """What was last kept as a draft, and over what it was typed; None: nothing is kept."""
        self.left_out = False
        """Whether signs that cannot be shown were left out of what was typed last."""
        self._typed: Any = None
        """What the control held when it was typed in last, such signs included."""
        self._shown_whole = True
        """Whether the control holds `mine`, and not such signs besides."""
        self._inside = False
        """Somebody is in the control."""
        self._saving = False
        self._heard_meanwhile = False
        self._task: asyncio.Task[None] | None = None
        self._typed_first = 0.0
        self._edits: Edits | None = edits_here()
        self._place = ui.context.slot.parent if self._edits is not None else None
        self._recall()

    @property
    def dirty(self) -> bool:
        """Whether something was typed here that the library does not have."""
        return self._dirty

    @property
    def saving(self) -> bool:
        """Whether a save is under way."""
        return self._saving

    @property
    def delay(self) -> str | None:
        """Why the save under way has to wait, for people; None: it need not."""
        return self._edits.delay if self._edits is not None and self._saving else None

    def tell_delay(self) -> None:
        self.view.tell()

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
        self._typed = deepcopy(value)
        self.mine = without_unseen(deepcopy(value), self.base)
        self.left_out = self.mine != value
        self._shown_whole = not self.left_out
        if self._saving:
            self._mark_dirty()  # the outcome of the save under way decides what this is based on
        elif self._theirs and self.mine == self._theirs[0]:
            self._agree(self.mine)
        elif not self._theirs and self.mine == self.base:
            self._agree(self.base)
        else:
            if self._theirs == [self.base]:
                self._theirs = []  # typing on is a decision where nobody else has one
            self._mark_dirty()
            self._soon()

    def confirm(self, value: Any) -> None:
        """The person may not know yet that this is stored."""
        if not self._dirty and value in (self._typed, self.base):
            self._settle(value)

    def recover(self, value: Any, base: Any) -> bool:
        """Take over what was typed here over `base` in a page that is gone; False: there is nothing to restore.

        Where the library has something else by now, both versions are shown. Text that is typed here and is not saved
        yet stays.
        """
        now = self.field.read()
        if value == now:
            self._settle(value)
            return False
        if self._saving or (self._dirty and self.mine != value):
            return False
        self.mine, self._typed = deepcopy(value), deepcopy(value)
        self.view.put(self.mine)
        self._mark_dirty()
        if base == now or _goes_on(base, now, value):
            self.base = deepcopy(now)
        else:
            self.base, self._theirs, self.reopened = deepcopy(base), [deepcopy(now)], True
        self.flush()
        return True

    def hear(self, value: Any) -> None:
        """What the library has now, maybe from another window."""
        if self._saving:
            self._heard_meanwhile = True
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
        if self._dirty and not self._saving:
            self._save()

    def _save(self) -> None:
        value = deepcopy(self.mine)
        if self._theirs:
            self._conclude(value, Theirs(self._theirs[0]))
            return
        self._saving = True
        try:
            outcome = self.field.save(value, self.base)
        except BaseException:
            self._saving = False
            raise
        if inspect.isawaitable(outcome):
            # Without a place on the page: what was typed last is saved even if the page is left meanwhile.
            background_tasks.create(self._wait(value, outcome), name="save a field")
        else:
            self._saving = False
            self._conclude(value, outcome)

    async def _wait(self, value: Any, coming: Awaitable[Outcome]) -> None:
        self._note()
        if self.delay:
            self.view.tell()
        try:
            outcome = await coming
        except Exception as error:
            self._saving = False
            self._conclude(value, f"Not saved: {error}")
            raise
        self._saving = False
        self._conclude(value, outcome)

    def _conclude(self, value: Any, outcome: Outcome) -> None:
        """`value` is what the outcome is about; more may have been typed since."""
        heard, self._heard_meanwhile = self._heard_meanwhile, False
        if outcome is None:
            if self.mine == value:
                self._agree(self.field.read())
            else:
                self.base, self.problem = deepcopy(self.field.read()), None
                self._settle(value)
                self.view.tell()
                self.flush()
        elif self.mine != value and not isinstance(outcome, Theirs):
            self.flush()
        else:
            self.problem = outcome if isinstance(outcome, str) else None
            if isinstance(outcome, Theirs):
                self._theirs = [deepcopy(outcome.value)]
            self._keep()
            self.view.tell()
            self._note()
        if heard and not self._saving:
            self.hear(self.field.read())

    def _keep(self) -> None:
        """As a draft, once only: the page that this one took the place of must not bring back what is decided here."""
        if self._kept != (self.mine, self.base):
            self._kept = (self.mine, self.base)
            typed = self._typed if self._typed is not None else self.mine
            waits = self.field.keep(*self._kept)
            if waits is not None:
                background_tasks.create(self._settle_after(waits, typed), name="keep a draft")

    async def _settle_after(self, waits: Awaitable[None], typed: Any) -> None:
        await waits
        if self.on_settled is not None:
            self.on_settled(typed)

    def _agree(self, value: Any) -> None:
        """The control and the library are one."""
        self.base = deepcopy(value)
        self._theirs = []
        self._dirty = self.reopened = False
        self.problem = None
        if self._kept is not None:
            self._kept = None
            self.field.forget()
        self._settle(self._typed if self._typed is not None else value)
        self.view.tell()
        self._note()

    def _settle(self, typed: Any) -> None:
        if self.on_settled is not None:
            self.on_settled(typed)

    def _mark_dirty(self) -> None:
        self._dirty = True
        self._note()

    def _note(self) -> None:
        if self._edits is not None and self._place is not None:
            self._edits.note(self, self._place)

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
        self._note()

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


def _goes_on(base: Any, now: Any, value: Any) -> bool:
    """True if the library has the beginning of what was typed: its acknowledgement was lost with the connection."""
    texts = [text or "" for text in (base, now, value)]
    return (
        all(isinstance(text, str) for text in texts) and texts[1].startswith(texts[0]) and texts[2].startswith(texts[1])
    )


class FieldWithoutDraft:
    """Half of a `Field`: what cannot be saved stays in its control only."""

    @property
    def place(self) -> str:
        return ""

    @property
    def outbox(self) -> Outbox | None:
        return None

    def unsaved(self) -> UnsavedEdit | None:
        return None

    def keep(self, value: Any, base: Any) -> None:
        pass

    def forget(self) -> None:
        pass


class LonelyField(FieldWithoutDraft):
    """A field that nobody else edits: saved by a function that returns what is wrong, or None."""

    def __init__(
        self,
        value: Any,
        save: Callable[[Any], str | Awaitable[str | None] | None],
        place: str = "",
        outbox: Outbox | None = None,
    ) -> None:
        """`outbox` keeps what is typed in the browser, under `place`; None: nothing does."""
        self._value, self._save = value, save
        self._place, self._outbox = place, outbox

    @property
    def place(self) -> str:
        return self._place

    @property
    def outbox(self) -> Outbox | None:
        return self._outbox

    def read(self) -> Any:
        return self._value

    def save(self, value: Any, base: Any) -> Outcome | Awaitable[Outcome]:
        problem = self._save(value)
        if inspect.isawaitable(problem):
            return self._after(value, problem)
        return self._noted(value, problem)

    async def _after(self, value: Any, coming: Awaitable[str | None]) -> Outcome:
        return self._noted(value, await coming)

    def _noted(self, value: Any, problem: str | None) -> Outcome:
        if problem is None:
            self._value = value
        return problem
