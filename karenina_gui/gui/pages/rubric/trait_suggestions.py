"""Traits that a model suggested, above the list of traits: add each, all, or none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.kit.elements import button, heading
from karenina_gui.gui.kit.html import tag
from karenina_gui.gui.pages.drafts.draft_dialog import DraftDialog
from karenina_gui.gui.pages.prices.price_text import model_in_words
from karenina_gui.gui.pages.rubric.kinds import Record
from karenina_gui.gui.pages.rubric.rubric_record import RubricOwner
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_draft import Proposal, ProposalState, SuggestedTrait
from karenina_gui.schemas.rubric import LLMRubricTrait


class TraitSuggestions:
    """Open suggestions for a rubric, or the progress of a model that makes some; hidden without either."""

    def __init__(
        self,
        window: Window,
        owner: RubricOwner,
        names: Callable[[], set[str]],
        add: Callable[[list[tuple[str, Record]]], Awaitable[Any]],
    ) -> None:
        """`names`: returns the names of the rubric's traits in lower case; `add`: adds traits by type and record."""
        self.window, self.owner = window, owner
        self._names = names
        self._add = add
        self._drafting = window.services.drafting
        self.element = ui.element("section").classes("proposal").props('aria-label="Suggested traits"')
        window.listen(window.services.drafts_changed, self._on_change)
        self.refresh()

    def order(self) -> None:
        """Open the dialog that asks a model."""
        DraftDialog(self.window, "traits", self.owner.benchmark_id, [self.owner.number])

    def _on_change(self, benchmark_id: int) -> None:
        if benchmark_id == self.owner.benchmark_id:
            self.refresh()

    def refresh(self) -> None:
        owner = self.owner.benchmark_id, self.owner.number
        running = self._drafting.is_drafting(*owner, "traits")
        proposal = None if running else self.window.services.library.proposals.open_of(*owner, "traits")
        self.element.set_visibility(running or proposal is not None)
        self.element.clear()
        with self.element:
            if running:
                self._draw_waiting()
            elif proposal is not None:
                self._draw(proposal)

    def _draw_waiting(self) -> None:
        with ui.element("div").classes("proposal-actions").props('role="status"'):
            ui.spinner(size="18px")
            ui.label("Asking a model for traits…")
            ui.space()
            button("Stop", lambda: self._drafting.cancel(self.owner.benchmark_id), look="quiet")

    def _draw(self, proposal: Proposal) -> None:
        fault, traits = proposal.draft.fault, proposal.draft.last.traits
        remaining = [] if fault else [trait for trait in traits if trait.name.strip().lower() not in self._names()]
        with ui.element("div").classes("proposal-actions").props('role="toolbar" aria-label="Suggested traits"'):
            heading("Suggested traits")
            ui.space()
            if remaining:
                button("Add all", lambda: self._take(proposal, remaining, True), icon="done_all", look="main")
            button("Ask again…", self.order, look="quiet")
            button("Discard" if remaining else "Close", lambda: self._settle(proposal, bool(remaining)), icon="close")
        with ui.element("div").classes("proposal-body"):
            label = f"Suggested by {model_in_words(proposal.model)}"
            recorded = tag("span", "Recorded reply", class_="chip chip-plain") if proposal.has_recorded_reply else None
            ui.html(tag("p", recorded, f" {label}", class_="draft-head"))
            if fault is not None:
                ui.html(tag("p", fault.sentence, class_="note note-bad", role="alert"))
            for trait in remaining:
                self._line(proposal, trait, last=len(remaining) == 1)

    def _line(self, proposal: Proposal, trait: SuggestedTrait, *, last: bool) -> None:
        with ui.element("div").classes("suggested-trait"):
            with ui.element("div"):
                ui.label(f"{trait.name} ({_scale(trait)})").classes("field-label")
                ui.label(trait.description).classes("hint")
            button("Add", lambda: self._take(proposal, [trait], last)).props["aria-label"] = f"Add {trait.name}"

    async def _take(self, proposal: Proposal, traits: list[SuggestedTrait], last: bool) -> None:
        await self._add([("llm", _record(trait)) for trait in traits])
        if last:
            await self._set_state(proposal, "accepted")
        else:
            self.refresh()

    async def _settle(self, proposal: Proposal, refused: bool) -> None:
        await self._set_state(proposal, "refused" if refused else "accepted")
        if refused:
            self.window.notify("Suggestions discarded.", undo=lambda: self._set_state(proposal, "open"))

    async def _set_state(self, proposal: Proposal, state: ProposalState) -> None:
        await self.window.write(self._drafting.settle, proposal.id, state)


def _record(trait: SuggestedTrait) -> Record:
    return LLMRubricTrait.model_validate(trait.model_dump()).model_dump(mode="json", exclude_defaults=True)


def _scale(trait: SuggestedTrait) -> str:
    if trait.kind == "boolean":
        return "yes or no" if trait.higher_is_better else "yes or no, no is better"
    scale = f"{trait.min_score} to {trait.max_score}"
    return scale if trait.higher_is_better else f"{scale}, lower is better"
