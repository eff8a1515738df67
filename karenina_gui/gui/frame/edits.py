"""What one window has typed and not saved yet, for its status bar."""

from __future__ import annotations

from typing import Protocol

from nicegui import Event, app, ui


class Edit(Protocol):
    """An edit of one field, see `FieldEdit`."""

    problem: str | None

    @property
    def dirty(self) -> bool: ...
    @property
    def undecided(self) -> bool: ...
    def tell_delay(self) -> None:
        """`Edits.delay` has changed: show it at the field."""


class Edits:
    """All edits of one window that the library does not have."""

    def __init__(self) -> None:
        self._dirty: dict[Edit, ui.element] = {}
        """With the place of each on the page."""
        self.delay: str | None = None
        """Why edits that are being saved have to wait, for people; None: they need not."""
        self._told = (0, 0)
        """Counts when `changed` was emitted last."""
        self.changed: Event[[]] = Event()
        """Emitted when `on_their_way` or `refused` changes."""

    @property
    def on_their_way(self) -> int:
        """Edits that are about to be saved, or wait for the disk."""
        return sum(not _is_refused(edit) for edit in self._dirty)

    @property
    def refused(self) -> int:
        """Edits on the page that are invalid, or that wait for a person's choice."""
        return sum(_is_refused(edit) and not place.is_deleted for edit, place in self._dirty.items())

    def note_delay(self, cause: str | None) -> None:
        """The disk refuses writes for this cause; None: not any more."""
        words = None if cause is None else f"Not saved: {cause}. Retrying…"
        if words != self.delay:
            self.delay = words
            for edit, place in list(self._dirty.items()):
                if not place.is_deleted:
                    edit.tell_delay()

    def note(self, edit: Edit, place: ui.element) -> None:
        """Something about this edit, which is made at this place of the page, has changed."""
        self._dirty.pop(edit, None)
        if edit.dirty:
            self._dirty[edit] = place
        now = (self.on_their_way, self.refused)
        if now != self._told:  # an edit knows its problem before it is noted
            self._told = now
            self.changed.emit()


def _is_refused(edit: Edit) -> bool:
    return bool(edit.problem) or edit.undecided


def edits_here() -> Edits | None:
    """The edits of the window that is being drawn; None: there is no window."""
    if not ui.context.slot_stack:
        return None
    edits: Edits = app.storage.client.setdefault("edits", Edits())
    return edits
