"""Drafted template above the current one, to accept, edit, or refuse; and the card that orders it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.elements import button, focus_on, heading
from karenina_gui.gui.drafts.draft_dialog import DraftDialog
from karenina_gui.gui.templates.proposal_view import proposal_html
from karenina_gui.schemas.model_draft import Proposal, ProposalState
from karenina_gui.schemas.template import TemplateOutline


class ProposalPanel:
    """Open proposal about the question, or the progress of its draft; hidden without either."""

    def __init__(self, draft: QuestionDraft, current: Callable[[], str], use: Callable[[str, bool], Any]) -> None:
        """`current`: returns the template; `use`: replaces it, and shows its code if the flag is set."""
        self._draft = draft
        self._current = current
        self._use = use
        self._drafting = draft.window.services.drafting
        self._drawn_id: int | None = None
        self._was_running = False
        """True if the draft was ordered while this question was open, so that its author waits for it."""
        self.element = ui.element("section").classes("proposal").props('aria-label="Drafted template"')
        draft.window.listen(draft.window.services.drafts_changed, self._on_change)
        self.refresh()

    def order(self) -> None:
        """Open the dialog that orders a draft."""
        with self.element.parent_slot or self.element:
            DraftDialog(self._draft.window, "template", self._draft.benchmark_id, [self._draft.number])

    def _on_change(self, benchmark_id: int) -> None:
        if benchmark_id == self._draft.benchmark_id:
            self.refresh()

    def refresh(self) -> None:
        key = self._draft.benchmark_id, self._draft.number
        running = self._drafting.is_drafting(*key, "template")
        proposal = None if running else self._draft.window.services.library.proposals.open_of(*key, "template")
        self.element.set_visibility(running or proposal is not None)
        if proposal is not None and proposal.id == self._drawn_id:
            return
        self._drawn_id = None if proposal is None else proposal.id
        self.element.clear()
        with self.element:
            if running:
                self._draw_waiting()
            elif proposal is not None:
                self._draw(proposal)
        self._was_running = running

    def _draw_waiting(self) -> None:
        with ui.element("div").classes("proposal-actions").props('role="status"'):
            ui.spinner(size="18px")
            ui.label("Drafting a template…")
            ui.space()
            button("Stop", lambda: self._drafting.cancel(self._draft.benchmark_id), look="quiet")

    def _draw(self, proposal: Proposal) -> None:
        with ui.element("div").classes("proposal-actions").props('role="toolbar" aria-label="Drafted template"'):
            heading("Drafted template")
            ui.space()
            if proposal.draft.fault is None:
                accept = button("Accept", lambda: self._take(proposal, False), icon="check", look="main")
                if self._was_running:
                    focus_on(accept)
            if proposal.draft.last.source:
                edit = button("Edit", lambda: self._take(proposal, True), icon="edit")
                edit.tooltip("Accepts the draft, and opens it in the form")
            button("Draft again…", self.order, look="quiet")
            button("Discard", lambda: self._settle(proposal, "refused"), icon="close")
        body = ui.html("").classes("proposal-body").props('tabindex="0"')
        background_tasks.create(self._fill(body, proposal), name="show a drafted template", context=body)

    async def _fill(self, body: ui.html, proposal: Proposal) -> None:
        """Check the drafted template in a thread, as the sandbox may run it."""
        checked = await run.io_bound(self._read, proposal)
        if checked is not None and not body.is_deleted:
            outline, outdated = checked
            body.content = proposal_html(proposal, outline, self._current(), outdated)

    def _read(self, proposal: Proposal) -> tuple[TemplateOutline | None, bool] | None:
        source = proposal.draft.last.source
        outline = self._draft.editor.templates(self._draft.benchmark_id).check(source) if source else None
        try:
            return outline, self._drafting.is_outdated(proposal)
        except NotFoundError:  # the question was deleted meanwhile
            return None

    async def _take(self, proposal: Proposal, to_edit: bool) -> None:
        """Replace the template by the draft, as if it were typed."""
        before = self._current()
        self._use(proposal.draft.last.source, to_edit)
        await self._set_state(proposal, "accepted")

        async def undo() -> None:
            self._use(before, False)
            await self._set_state(proposal, "open")

        self._draft.window.notify("Draft accepted.", undo=undo)

    async def _settle(self, proposal: Proposal, state: ProposalState) -> None:
        await self._set_state(proposal, state)
        self._draft.window.notify("Draft discarded.", undo=lambda: self._set_state(proposal, "open"))

    async def _set_state(self, proposal: Proposal, state: ProposalState) -> None:
        await self._draft.window.write(self._drafting.settle, proposal.id, state)


def draft_card(on_click: Callable[[], Any]) -> None:
    """Card next to the starters that drafts with a model."""
    with ui.element("button").props('type="button"').classes("starter") as card:
        ui.icon("auto_awesome")
        with ui.element("span"):
            ui.label("Draft with model").classes("starter-title")
            ui.label("From question, reference answer, and notes").classes("hint")
    card.on("click", on_click, args=[])
