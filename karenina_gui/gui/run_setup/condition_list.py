"""Conditions of a run as a list of cards; the first one is the baseline."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from nicegui import ui

from karenina_gui.gui.components.elements import button, field, focus_on
from karenina_gui.gui.run_setup.condition_card import ConditionCard
from karenina_gui.gui.run_setup.condition_draft import (
    ConditionDraft,
    free_name,
    with_and_without_prompt,
    with_and_without_tools,
)
from karenina_gui.gui.run_setup.draft import RunDraft
from karenina_gui.gui.run_setup.draft_memory import ChoiceMemory
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_config import ModelConfig


class ConditionList:
    """List of conditions; `changed` is called after changes, `refresh` after changes of the models.

    `restore_apart` receives a deleted condition and its position if it is restored after the page was left.
    """

    def __init__(
        self,
        window: Window,
        choice: RunDraft,
        memory: ChoiceMemory,
        changed: Callable[[], Any],
        restore_apart: Callable[[int, ConditionDraft], Awaitable[None]],
    ) -> None:
        self._window = window
        self._restore_apart = restore_apart
        self._choice = choice
        self._memory = memory
        self._changed = changed
        self._cards: list[ConditionCard] = []
        self._open: list[ConditionDraft] = []
        """Conditions whose card is expanded."""

    @property
    def drafts(self) -> list[ConditionDraft]:
        return self._choice.conditions

    def draw(self) -> None:
        """Draw the list; cards with problems are expanded."""
        self._open += [draft for draft in self.drafts if draft.refused]
        with field("Conditions", "the same questions under different settings, to compare"):
            self._place = ui.element("div").classes("condition-cards")
            self._buttons()
        self._window.listen(self._window.services.keys_changed, self.refresh)
        self._draw()

    def refresh(self) -> None:
        """Refresh everything that depends on other choices."""
        models = self._models()
        for card in self._cards:
            card.refresh(self.drafts, models)

    def is_open(self, draft: ConditionDraft) -> bool:
        # By identity, because a condition and its copy are equal.
        return any(each is draft for each in self._open)

    def fold(self, draft: ConditionDraft, *, unfolded: bool) -> None:
        self._open = [each for each in self._open if each is not draft] + ([draft] if unfolded else [])

    def on_edited(self) -> None:
        """Process an edit in a card."""
        self._changed()

    def copy(self, draft: ConditionDraft) -> None:
        """Insert a copy after a condition."""
        copied = draft.copy(self._free(draft.name.strip() or "condition"))
        self._open.append(copied)
        self._insert(self._place_of(draft) + 1, [copied])

    def move(self, draft: ConditionDraft, steps: int) -> None:
        """Move a condition up or down; the first one becomes the baseline."""
        at = self._place_of(draft)
        to = min(max(at + steps, 0), len(self.drafts) - 1)
        self.drafts.insert(to, self.drafts.pop(at))
        self._draw_anew()
        self._cards[to].focus_move(steps)

    def delete(self, draft: ConditionDraft) -> None:
        """Delete a condition, with an Undo button."""
        at = self._place_of(draft)
        del self.drafts[at]
        self._draw_anew()
        if self._cards:
            self._cards[min(at, len(self._cards) - 1)].focus()
        else:
            focus_on(self._add)
        name = f"“{draft.name}”" if draft.name.strip() else f"condition {at + 1}"

        async def undo() -> None:
            if self._place.is_deleted:
                await self._restore_apart(at, draft)
            else:
                self._insert(min(at, len(self.drafts)), [draft])

        self._window.notify(f"Deleted {name}.", undo=undo)

    def _insert(self, at: int, drafts: Sequence[ConditionDraft]) -> None:
        self.drafts[at:at] = drafts
        self._draw_anew()
        self._cards[at].focus()

    def _new(self) -> None:
        draft = ConditionDraft(self._free("condition" if self.drafts else "baseline"))
        self._open.append(draft)
        self._insert(len(self.drafts), [draft])

    def _free(self, wanted: str) -> str:
        return free_name(wanted, [draft.name for draft in self.drafts])

    def _place_of(self, draft: ConditionDraft) -> int:
        return next(at for at, each in enumerate(self.drafts) if each is draft)

    def _models(self) -> list[ModelConfig]:
        """Return the selected answering models."""
        kept = self._window.services.library.models.all()
        return [kept[name] for name in self._choice.models if name in kept]

    def _draw_anew(self) -> None:
        self._draw()
        self._changed()

    def _draw(self) -> None:
        self._place.clear()
        self._cards = []
        with self._place:
            if not self.drafts:
                ui.label("No conditions: models use their own settings.").classes("hint")
            for number in range(1, len(self.drafts) + 1):
                self._cards.append(ConditionCard(self._window, self.drafts, number, self._memory, self))
            if len(self.drafts) == 1:
                ui.label("Add another condition to compare.").classes("hint")
        self._pairs.set_visibility(not self.drafts)
        self.refresh()

    def _buttons(self) -> None:
        """Draw the buttons."""
        # Apart from the cards, which are redrawn: a click on a button that is being replaced would be lost.
        with ui.element("div").classes("condition-adds"):
            self._add = button("Add condition", self._new, icon="add", look="quiet")
            with ui.element("div").classes("condition-adds condition-pairs") as self._pairs:
                button("Compare tools on/off", lambda: self._pair(with_and_without_tools), look="quiet")
                button("Compare prompt on/off", lambda: self._pair(with_and_without_prompt), look="quiet")

    def _pair(self, made: Callable[[Sequence[ModelConfig]], list[ConditionDraft]]) -> None:
        drafts = made(self._models())
        self._open += [draft for draft in drafts if draft.refused]
        self._insert(0, drafts)
