"""Complete traits are saved, incomplete ones wait as drafts; edits of others are taken in trait by trait."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import deepcopy

from nicegui import background_tasks, ui

from karenina_gui.gui.frame.edits import edits_here
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.rubric.draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.trait_texts import TraitTexts
from karenina_gui.gui.rubric.unkept import Unkept, waiting_traits

ATTEMPTS = 5
"""Times that a rubric is merged with what others save at the same moment, before it is given up."""

Save = Callable[[Record | None], Awaitable[str | None]]
"""Saves a rubric; returns what is wrong, or None."""


class KeptRubric:
    """One save is under way at a time; what is edited meanwhile is saved next."""

    undecided = False

    def __init__(
        self,
        rubric: RubricDraft,
        save: Save,
        unkept: Unkept,
        texts: TraitTexts,
        window: Window,
        on_saved: Callable[[str | None], None],
    ) -> None:
        """`on_saved` is called after each save, with what is wrong, or None."""
        self._rubric, self._save, self._unkept, self._texts = rubric, save, unkept, texts
        self._window, self._on_saved = window, on_saved
        self._edits, self._place = edits_here(), ui.context.slot.parent
        self._wanted = False
        self.dirty = False
        """Whether a save is under way."""
        self.problem: str | None = None
        """Why the last save failed."""

    def take_up(self) -> list[TraitDraft]:
        """The traits that were left incomplete."""
        return self._unkept.take_up(self._rubric)

    def take_in(self, rubric: Record | None, shown: TraitDraft | None) -> bool:
        """A rubric that comes from elsewhere; what is new of the trait `shown` waits. False: all is the same."""
        if not self._rubric.merge(rubric, shown):
            return False
        self._unkept.catch_up(self._rubric)
        return True

    def keep(self) -> None:
        """Save all that is complete, in the background."""
        self._wanted = True
        if not self.dirty:
            self._note(dirty=True)
            background_tasks.create(self._keep_on(), name="save a rubric")

    @property
    def delay(self) -> str | None:
        """Why the save under way has to wait, for people; None: it need not."""
        return self._edits.delay if self._edits is not None and self.dirty else None

    def tell_delay(self) -> None:
        with self._place:
            self._on_saved(self.problem)

    async def _keep_on(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                texts = self._texts.snapshot()
                self.problem = await self._save_complete()
                if await self._window.write(self._unkept.write_down, waiting_traits(self._rubric)):
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
            kept, records = deepcopy(self._rubric.kept()), self._rubric.records()
            problem = await self._save(kept)
            if problem is None:
                self._rubric.note_kept(kept, records)
                return None
            # Where somebody else was first, their rubric has been taken in by now: the rest is saved again.
        return problem

    def _note(self, *, dirty: bool) -> None:
        self.dirty = dirty
        if self._edits is not None:
            self._edits.note(self, self._place)
