"""State machine of the edit of one field; `docs/architecture.md` draws it.

At most one save of a field is in progress. Text typed meanwhile is saved next, based on the result: otherwise a window
would conflict with itself as soon as the disk is slow.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol

from nicegui import background_tasks, ui
from nicegui.elements.mixins.value_element import ValueElement

from karenina_gui.gui.kit.code_editor import CodeEditor
from karenina_gui.gui.kit.diff import merge_texts
from karenina_gui.gui.kit.typed_text import strip_control_chars
from karenina_gui.gui.records.continued_text import continues_stored, grew_from
from karenina_gui.gui.session.outbox import BufferedText, Outbox, TextAt, buffer_in_outbox
from karenina_gui.gui.session.unsaved_edits import Edits, edits_here
from karenina_gui.schemas.edits import UnsavedEdit

QUIET = 0.3
"""Seconds without a keystroke until a field is saved."""
LATEST = 0.6
"""Seconds from the first keystroke until a field is saved even during typing."""


class SaveTimer:
    """Timer that each keystroke restarts; `save` is called when it ends."""

    def __init__(self, save: Callable[[], Any]) -> None:
        self._save = save
        self._task: asyncio.Task[None] | None = None
        self._typed_first = 0.0

    def restart(self) -> None:
        """Wait for a pause, but no longer than `LATEST` since the first keystroke."""
        now = asyncio.get_running_loop().time()
        if self._task is None or self._task.done():
            self._typed_first = now
        else:
            self._task.cancel()
        pause = max(0.0, min(QUIET, self._typed_first + LATEST - now))
        # Without an element as context, so that the last input is saved even if the user leaves the page.
        self._task = background_tasks.create(self._save_after(pause), name="save what is typed")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _save_after(self, pause: float) -> None:
        await asyncio.sleep(pause)
        self._task = None
        self._save()


@dataclass(frozen=True)
class RemoteValue:
    """Conflict: another window has saved this value meanwhile; nothing was saved."""

    value: Any


Outcome = str | RemoteValue | None
"""Result of a save. None: saved. Text: invalid, with the message."""


class Field(Protocol):
    """Storage of a field; see `RecordField`."""

    @property
    def address(self) -> str:
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

    address = ""
    outbox: Outbox | None = None

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
        address: str = "",
        outbox: Outbox | None = None,
    ) -> None:
        """`outbox` keeps typed text in the browser under `address`; None: no outbox."""
        self._value, self._save = value, save
        self.address, self.outbox = address, outbox

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


PASSING = 0.2
"""Seconds that a move of the focus between two parts of a control may take."""


class State(Enum):
    """State of an edit: the control's value (`mine`) against the library's."""

    CLEAN = auto()
    """Both are equal."""
    BEHIND = auto()
    """Another window has saved a value that the control does not show yet; nothing was typed."""
    TYPING = auto()
    """Text is typed, and will be saved after a pause."""
    SAVING = auto()
    """Text is being saved; there may be newer text by now."""
    OVERTAKEN = auto()
    """Text is being saved, and the library's value has changed meanwhile."""
    INVALID = auto()
    """Text was refused, and kept as a draft; `problem` says why."""
    CONFLICT = auto()
    """Text is typed over a value that another window has replaced; the user decides."""


SAVED = frozenset([State.CLEAN, State.BEHIND])
IN_PROGRESS = frozenset([State.SAVING, State.OVERTAKEN])


class View(Protocol):
    """Control that shows a field."""

    def follow(self, value: Any) -> None:
        """Show a value saved elsewhere unless unsaved text is on its way; calls `OptimisticEdit.type` in both cases."""

    def set_value(self, value: Any) -> None:
        """Show the version that the user chose."""

    def show_status(self) -> None:
        """Refresh the problem and, in a conflict, both versions."""

    def focus(self) -> None: ...


class OptimisticEdit:
    """Edit of one field.

    A save replaces only the value that the user has seen. Text that cannot be saved is kept as a draft until the user
    decides about it.
    """

    def __init__(self, field: Field, view: View) -> None:
        self.field, self.view = field, view
        self.state = State.CLEAN
        self.base = self.mine = field.read()
        """Stored value that the user has seen, and the value of the control."""
        self._theirs: RemoteValue | None = None
        """Stored value that the user has not seen or not accepted: in `BEHIND` and `CONFLICT`."""
        self.problem: str | None = None
        """Message about why it is not saved; it stays until the next result."""
        self.reopened = False
        """True if the unsaved text is from an earlier session of the page."""
        self.on_settled: Callable[[Any], None] | None = None
        """Called with text that the browser need not keep any more: saved, kept as a draft, or discarded."""
        self.on_change: Callable[[], None] | None = None
        """Called after each change of the state or of `mine`."""
        self._draft: tuple[Any, Any] | None = None
        """Typed text and its base in the last draft; None: no draft."""
        self.left_out = False
        """True if unsupported characters were removed from the last input."""
        self._last_input: Any = None
        """Last input of the control, including unsupported characters."""
        self._shown_whole = True
        """True if the control holds `mine`, without unsupported characters."""
        self._has_focus = False
        """True while the focus is in the control."""
        self._timer = SaveTimer(self.flush)
        self._edits: Edits | None = edits_here()
        self._element = ui.context.slot.parent if self._edits is not None else None
        self._recall()
        field.follow(self)

    @property
    def dirty(self) -> bool:
        """True if the input is not in the library."""
        return self.state not in SAVED

    @property
    def saving(self) -> bool:
        """True while a save is in progress."""
        return self.state in IN_PROGRESS

    @property
    def undecided(self) -> bool:
        """True while two versions conflict."""
        return self.state is State.CONFLICT

    @property
    def delay(self) -> str | None:
        """Message about why the current save is delayed, or None."""
        return self._edits.delay if self._edits is not None and self.saving else None

    @property
    def remote(self) -> Any:
        """Saved version in a conflict."""
        assert self._theirs is not None  # by the definition of a conflict
        return self._theirs.value

    def on_delay_changed(self) -> None:
        self.view.show_status()

    # Input

    def type(self, value: Any) -> None:
        """Process an input of the user: remove unsupported characters, schedule a save."""
        self._last_input = deepcopy(value)
        self.mine = strip_control_chars(deepcopy(value), self.base)
        self.left_out = self.mine != value
        self._shown_whole = not self.left_out
        if self.saving:
            self._note()  # the result of the current save becomes the base
        elif self.mine == self._stored:
            self._agree(self.base if self._theirs is None else self.mine)
        else:
            if self._theirs == RemoteValue(self.base):
                self._theirs = None  # without another edit, typing on resolves the conflict
            self._mark_unsaved()
            self._timer.restart()

    def enter(self) -> None:
        self._has_focus = True

    def leave(self) -> None:
        self._has_focus = False
        if self.dirty:
            self.flush()
        elif self.state is State.BEHIND:
            background_tasks.create(self._catch_up(), name="show what came from elsewhere")
        if not self._shown_whole:
            self._shown_whole = True  # not during typing, which would drop keystrokes
            self.view.set_value(self.mine)

    def keep_in_browser(self, name: str, control: ui.input | CodeEditor, part_at: TextAt | None = None) -> None:
        """Keep text typed into this control in the browser until it is saved.

        `name`: the field's name in messages. `part_at`: see `part_in`; None: the value is one text.
        """
        field, outbox = self.field, self.field.outbox
        if outbox is None:
            return

        def text_at(path: str) -> BufferedText | None:
            return part_at and part_at(path) if path else BufferedText(self.recover, self.confirm, control)

        outbox.watch(field.address, name, text_at)
        self.on_settled = lambda typed: outbox.settle(field.address, typed, self.base)
        if isinstance(control, CodeEditor):
            control.keep_in_browser(field.address, self.base)
        else:
            buffer_in_outbox(control, field.address, self.base)

    def part_in(
        self, control: ValueElement[Any] | None, text: str, with_text: Callable[[str], Any | None]
    ) -> BufferedText:
        """Return one of several texts in the value, for the browser.

        `text`: the present one. `with_text` returns the value with another, or None if that is refused.
        """

        def confirm(_: Any = None) -> None:
            self.confirm(self.base if self._last_input is None else self._last_input)

        def save(value: Any, base: Any) -> bool:
            if value == text:
                confirm()
                return False
            whole = with_text(value)
            if whole is None:
                return False
            is_same = base == text or continues_stored(base, text, value)
            if is_same and self.dirty:
                # Another text of the field is being saved, such as one that the browser returned too.
                self.view.set_value(whole)
                self.type(whole)
                return True
            return self.recover(whole, self.base if is_same else None)

        return BufferedText(save, confirm, control)

    def confirm(self, value: Any) -> None:
        """Confirm a saved value again, because the browser may have missed the confirmation."""
        if not self.dirty and value in (self._last_input, self.base):
            self._settle(value)

    def recover(self, value: Any, base: Any) -> bool:
        """Take over text typed over `base` in a page that is gone; return False if nothing was restored.

        If the library has another value by now, both versions conflict. Newer unsaved text of this page has priority.
        """
        now = self.field.read()
        if value == now:
            self._settle(value)
            return False
        if self.saving or (self.dirty and self.mine != value and not self._is_draft_of(value, base)):
            return False
        self.mine, self._last_input = deepcopy(value), deepcopy(value)
        self.view.set_value(self.mine)
        if self.state in IN_PROGRESS:
            return True  # the same text was unsaved here, and the control has lost the focus as it was redrawn
        if base == now or continues_stored(base, now, value):
            self.base = deepcopy(now)
        else:
            self.base, self._theirs, self.reopened = deepcopy(base), RemoteValue(deepcopy(now)), True
        self._mark_unsaved()
        self.flush()
        return True

    def _is_draft_of(self, value: Any, base: Any) -> bool:
        """Check if this page shows a draft, untouched, that an earlier page saved before `value` was complete."""
        untouched = self._draft == (self.mine, self.base) and self._last_input is None
        return untouched and base == self.base and grew_from(self.mine, value)

    # Other windows

    def on_remote_change(self, value: Any) -> None:
        """Process the library's current value, which another window may have saved."""
        if self.saving:
            self.state = State.OVERTAKEN  # the result of the save decides
        elif self.dirty and value == self.mine:
            self._agree(value)
        elif value == self._stored:
            return
        elif self.dirty:
            self._theirs, self.state = RemoteValue(deepcopy(value)), State.CONFLICT
            self.flush()
        elif value == self.base:
            self._theirs, self.state = None, State.CLEAN
            self._note()
        else:
            self._theirs, self.state = RemoteValue(deepcopy(value)), State.BEHIND
            self._note()
            if self._has_focus:
                self._timer.stop()
            else:
                self.view.follow(value)

    def is_pending(self, value: Any) -> bool:
        """True if the control still has to show this value, and the user has not typed meanwhile."""
        return self.state is State.BEHIND and self._theirs == RemoteValue(value)

    async def _catch_up(self) -> None:
        """Show the pending value after the focus has left, unless it moved to another part of the control."""
        await asyncio.sleep(PASSING)
        if self.state is State.BEHIND and not self._has_focus:
            self.view.follow(self._stored)

    # Decisions

    def keep_local(self) -> None:
        if self.undecided:
            self._overwrite(self.mine)
            self.flush()

    def accept_remote(self) -> None:
        if self.undecided:
            theirs = self.remote
            self._agree(theirs)
            self.mine = deepcopy(theirs)
            self.view.set_value(theirs)

    def merge(self) -> None:
        """Merge both versions into the control."""
        if self.undecided:
            both = merge_texts(str(self.base or ""), str(self.mine or ""), str(self.remote or ""))
            self._overwrite(both)
            self.view.set_value(both)
            self.flush()

    def _overwrite(self, value: Any) -> None:
        """Decide that a value replaces the one of the other window."""
        self.base, self._theirs, self.mine = self.remote, None, value
        self.state = State.TYPING

    # Saving

    def retry(self) -> None:
        """Retry a save that failed, because its cause may be gone."""
        if self.problem is not None:
            self.flush()

    def flush(self) -> None:
        """Save unsaved text now, or keep it as a draft."""
        self._timer.stop()
        if self.dirty and not self.saving:
            self._save()

    def _save(self) -> None:
        value = deepcopy(self.mine)
        if self._theirs is not None:
            self._conclude(value, self._theirs)
            return
        self.state = State.SAVING
        try:
            outcome = self.field.save(value, self.base)
        except BaseException:
            self.state = State.TYPING
            raise
        if inspect.isawaitable(outcome):
            # Without an element as context, so that the last input is saved even if the user leaves the page.
            background_tasks.create(self._wait(value, outcome), name="save a field")
        else:
            self._conclude(value, outcome)

    async def _wait(self, value: Any, coming: Awaitable[Outcome]) -> None:
        self._note()
        if self.delay:
            self.view.show_status()
        try:
            outcome = await coming
        except Exception as error:
            self._conclude(value, f"Not saved: {error}")
            raise
        self._conclude(value, outcome)

    def _conclude(self, value: Any, outcome: Outcome) -> None:
        """Process the result of saving `value`; the user may have typed more since."""
        overtaken = self.state is State.OVERTAKEN
        if outcome is None and self.mine == value:
            self._agree(self.field.read())
        elif outcome is None:
            self.base, self.problem = deepcopy(self.field.read()), None
            self.state = State.TYPING
            self._settle(value)
            self.view.show_status()
            self.flush()
        elif self.mine != value and not isinstance(outcome, RemoteValue):
            self.state = State.TYPING  # the result is about an outdated text: the current one decides
            self.flush()
        else:
            self._keep(outcome)
        if overtaken and not self.saving:
            self.on_remote_change(self.field.read())

    def _keep(self, outcome: str | RemoteValue) -> None:
        """Keep text that was not saved, with the reason."""
        if isinstance(outcome, RemoteValue):
            self.problem, self._theirs = None, RemoteValue(deepcopy(outcome.value))
        else:
            self.problem = outcome
        self.state = State.INVALID if self._theirs is None else State.CONFLICT
        self._save_draft()
        self.view.show_status()
        self._note()

    def _save_draft(self) -> None:
        """Keep the text as a draft."""
        # Once per text: a page that this page replaced must not restore a draft that was decided here.
        if self._draft != (self.mine, self.base):
            self._draft = (self.mine, self.base)
            typed = self._last_input if self._last_input is not None else self.mine
            waits = self.field.save_draft(*self._draft)
            if waits is not None:
                background_tasks.create(self._settle_after(waits, typed), name="keep a draft")

    async def _settle_after(self, waits: Awaitable[None], typed: Any) -> None:
        await waits
        self._settle(typed)

    def _recall(self) -> None:
        """Load the draft of an earlier session of the page."""
        draft = self.field.unsaved_edit()
        if draft is None:
            return
        if draft.typed == self.base:
            # The draft was saved by other means meanwhile.
            self.field.discard_draft()
            return
        self._draft = (draft.typed, draft.base)
        self._theirs = RemoteValue(self.base)
        self.mine, self.base = draft.typed, draft.base
        self.reopened = True
        self._mark_unsaved()

    # States

    @property
    def _stored(self) -> Any:
        """Value of the library, as far as this edit has heard."""
        return self.base if self._theirs is None else self._theirs.value

    def _agree(self, value: Any) -> None:
        """Mark the control and the library as equal."""
        self.base = deepcopy(value)
        self._theirs, self.state = None, State.CLEAN
        self.reopened = False
        self.problem = None
        if self._draft is not None:
            self._draft = None
            self.field.discard_draft()
        # The browser knows the text as it was typed, with unsupported characters.
        self._settle(self._last_input if self._last_input is not None else value)
        self.view.show_status()
        self._note()

    def _mark_unsaved(self) -> None:
        if not self.saving:
            self.state = State.TYPING if self._theirs is None else State.CONFLICT
        self._note()

    def _settle(self, typed: Any) -> None:
        if self.on_settled is not None:
            self.on_settled(typed)

    def _note(self) -> None:
        if self._edits is not None and self._element is not None:
            self._edits.note(self, self._element)
        if self.on_change is not None:
            self.on_change()
