"""Autosave of a rubric. Incomplete traits are stored as drafts, remote edits are merged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import deepcopy

from nicegui import background_tasks, ui

from karenina_gui.gui.rubric.incomplete_traits import IncompleteTraits, waiting_traits
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.rubric_draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.trait_texts import TraitTexts
from karenina_gui.gui.session.unsaved_edits import edits_here
from karenina_gui.gui.session.window import Window

ATTEMPTS = 5
"""Maximum number of save attempts while other windows save the same rubric."""

Save = Callable[[Record | None], Awaitable[str | None]]
"""Saves a rubric and returns the problem, or None."""


class RubricAutosave:
    """Autosave with at most one save in flight. Edits made during a save are saved next."""

    undecided = False

    def __init__(
        self,
        rubric: RubricDraft,
        save: Save,
        unkept: IncompleteTraits,
        texts: TraitTexts,
        window: Window,
        on_saved: Callable[[str | None], None],
    ) -> None:
        """`on_saved` is called after each save with the problem, or None."""
        self._rubric, self._save, self._unkept, self._texts = rubric, save, unkept, texts
        self._window, self._on_saved = window, on_saved
        self._edits, self._place = edits_here(), ui.context.slot.parent
        self._wanted = False
        self.dirty = False
        """True while a save is in flight."""
        self.problem: str | None = None
        """Reason why the last save failed. None: it succeeded."""

    def restore_incomplete(self) -> list[TraitDraft]:
        """Return the traits that were left incomplete."""
        return self._unkept.restore_incomplete(self._rubric)

    def merge_remote(self, rubric: Record | None, shown: TraitDraft | None) -> bool:
        """Merge a rubric from elsewhere; changes of `shown` wait. Returns False if nothing changed."""
        if not self._rubric.merge(rubric, shown):
            return False
        self._unkept.catch_up(self._rubric)
        return True

    def save(self) -> None:
        """Save all complete traits in the background."""
        self._wanted = True
        if not self.dirty:
            self._note(dirty=True)
            background_tasks.create(self._save_loop(), name="save a rubric")

    @property
    def delay(self) -> str | None:
        """User-facing reason for a delay of the save in flight. None: no delay."""
        return self._edits.delay if self._edits is not None and self.dirty else None

    def on_delay_changed(self) -> None:
        with self._place:
            self._on_saved(self.problem)

    async def _save_loop(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                # The texts of this save: text typed during it is settled by the next one.
                texts = self._texts.snapshot()
                self.problem = await self._save_complete()
                if await self._window.write(self._unkept.save, waiting_traits(self._rubric)):
                    self._window.note_undecided()
                if self.problem is None:
                    self._texts.settle(texts)
        finally:
            self._note(dirty=False)
        if not self._place.is_deleted:
            with self._place:
                self._on_saved(self.problem)

    async def _save_complete(self) -> str | None:
        problem = None
        for _ in range(ATTEMPTS):
            if not self._rubric.changed:
                return None
            kept, records = deepcopy(self._rubric.to_record()), self._rubric.records()
            problem = await self._save(kept)
            if problem is None:
                self._rubric.mark_saved(kept, records)
                return None
            # Another window saved first. Its rubric is merged by now, so the rest can be saved.
            # Where somebody else was first, their rubric has been taken in by now: the rest is saved again.
        return problem

    def _note(self, *, dirty: bool) -> None:
        self.dirty = dirty
        if self._edits is not None:
            self._edits.note(self, self._place)
