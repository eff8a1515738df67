"""Unsaved edits of one window, for its status bar."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Protocol

from nicegui import Client, app, ui

from karenina_gui.events import Signal
from karenina_gui.gui.session.nicegui_internals import DisposeHook

LONGEST = 2.0
"""Seconds after which a slow disk is not waited for."""


class Edit(Protocol):
    """Edit of one field; see `OptimisticEdit`."""

    problem: str | None

    @property
    def dirty(self) -> bool: ...
    @property
    def undecided(self) -> bool: ...
    def on_delay_changed(self) -> None:
        """Show a change of `Edits.delay` at the field."""


class Edits:
    """All edits of one window that are not in the library."""

    def __init__(self) -> None:
        self._dirty: dict[Edit, ui.element] = {}
        """The element of each edit."""
        self.delay: str | None = None
        """Message about why saves are delayed; None: they are not."""
        self._watched: set[ui.element] = set()
        """Elements with a hook that tells of their removal."""
        self._emitted = (0, 0)
        """Counts at the last emission of `changed`."""
        self.changed: Signal[[]] = Signal()
        """Emitted when `pending` or `refused` changes."""

    @property
    def pending(self) -> int:
        """Number of edits that are about to be saved or wait for the disk."""
        return sum(not _is_refused(edit) for edit in self._dirty)

    async def finish(self) -> None:
        """Wait until nothing is about to be saved, at most `LONGEST` seconds."""
        loop = asyncio.get_running_loop()
        until = loop.time() + LONGEST
        while self.pending and loop.time() < until:
            await asyncio.sleep(0.02)

    @property
    def refused(self) -> int:
        """Number of edits on the page that are invalid or in conflict."""
        # An edit whose element is gone cannot be corrected on this page.
        return sum(_is_refused(edit) and not element.is_deleted for edit, element in self._dirty.items())

    def note_delay(self, cause: str | None) -> None:
        """Record why the disk refuses writes; None: it accepts them again."""
        message = None if cause is None else f"Not saved: {cause}. Retrying…"
        if message != self.delay:
            self.delay = message
            for edit, element in list(self._dirty.items()):
                if not element.is_deleted:
                    edit.on_delay_changed()

    def note(self, edit: Edit, element: ui.element) -> None:
        """Record a change of an edit, which belongs to this element of the page."""
        self._dirty.pop(edit, None)
        if edit.dirty:
            self._dirty[edit] = element
            self._watch(element)
        self._tell()

    def _watch(self, element: ui.element) -> None:
        if element.is_deleted or element in self._watched:
            return
        self._watched.add(element)
        with element:
            DisposeHook(partial(self._leave, element))

    def _leave(self, element: ui.element) -> None:
        self._watched.discard(element)
        # The hook runs before the element itself counts as removed.
        asyncio.get_running_loop().call_soon(self._tell_window, element.client)

    def _tell_window(self, client: Client) -> None:
        # The hook runs when a window is closed, too, and then there is no status bar left.
        if client.id in Client.instances:
            self._tell()

    def _tell(self) -> None:
        """Emit `changed` if the counts differ from those of the last time."""
        now = (self.pending, self.refused)
        if now != self._emitted:  # counts include the edit's new problem
            self._emitted = now
            self.changed.emit()


def _is_refused(edit: Edit) -> bool:
    return bool(edit.problem) or edit.undecided


def edits_here() -> Edits | None:
    """Return the edits of the current window, or None outside a window."""
    if not ui.context.slot_stack:
        return None
    edits: Edits = app.storage.client.setdefault("edits", Edits())
    return edits
