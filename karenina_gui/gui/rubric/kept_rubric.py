"""What is complete in a rubric is saved, what is not waits; edits of others are taken in trait by trait."""

from __future__ import annotations

from collections.abc import Callable

from karenina_gui.gui.rubric.draft import RubricDraft, TraitDraft
from karenina_gui.gui.rubric.kinds import Record
from karenina_gui.gui.rubric.unkept import Unkept

ATTEMPTS = 5
"""Times that a rubric is merged with what others save at the same moment, before it is given up."""


class KeptRubric:
    def __init__(
        self,
        rubric: RubricDraft,
        save: Callable[[Record | None], str | None],
        unkept: Unkept,
        note_undecided: Callable[[], None],
    ) -> None:
        """`save` returns what is wrong, or None; `note_undecided` is called when there is more or less that waits."""
        self._rubric, self._save, self._unkept = rubric, save, unkept
        self._note_undecided = note_undecided

    def take_up(self) -> list[TraitDraft]:
        """The traits that were left incomplete."""
        return self._unkept.take_up(self._rubric)

    def take_in(self, rubric: Record | None, shown: TraitDraft | None) -> bool:
        """A rubric that comes from elsewhere; what is new of the trait `shown` waits. False: all is the same."""
        if not self._rubric.merge(rubric, shown):
            return False
        self._unkept.catch_up(self._rubric)
        return True

    def keep(self) -> str | None:
        """Save all that is complete; returns what is wrong with saving, or None."""
        problem = None
        for _ in range(ATTEMPTS):
            if not self._rubric.changed:
                problem = None
                break
            kept = self._rubric.kept()
            problem = self._save(kept)
            if problem is None:
                self._rubric.note_kept(kept)
                break
            # Where somebody else was first, their rubric has been taken in by now: the rest is saved again.
        if self._unkept.write_down(self._rubric):
            self._note_undecided()
        return problem
