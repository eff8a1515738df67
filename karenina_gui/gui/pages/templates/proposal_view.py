"""Drafted template above the current one, to accept, edit, or refuse: findings, fields, difference, and replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.kit.diff_view import diff_table
from karenina_gui.gui.kit.elements import button, focus_on, heading
from karenina_gui.gui.kit.expected_found import format_value, with_acceptance
from karenina_gui.gui.kit.html import Html, icon, join_html, table, tag
from karenina_gui.gui.pages.drafts.draft_dialog import DraftDialog
from karenina_gui.gui.pages.prices.price_text import model_in_words
from karenina_gui.gui.pages.templates.comparisons import COMPARISONS
from karenina_gui.gui.pages.templates.outline_view import expected_value, patterns_table
from karenina_gui.gui.pages.templates.problems import plain_message
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.schemas.model_draft import DraftAttempt, DraftFaultKind, Proposal, ProposalState
from karenina_gui.schemas.template import TemplateField, TemplateOutline
from karenina_gui.text import quantity

FAULTS: dict[DraftFaultKind, str] = {
    "call": "Call failed",
    "refusal": "Refused",
    "cut_off": "Cut off",
    "no_code": "No template in the reply",
    "invalid": "Errors",
    "refuses_expected": "Rejects its own expected values",
    "accepts_everything": "Accepts everything",
    "accepts_wrong": "Accepts wrong values",
    "leak": "Gives the answer away",
}
OUTDATED = "The question, reference answer, or notes were edited after this draft."
PASSED = "Accepts its expected values, and rejects wrong ones. Nothing gives the answer away."


class ProposalPanel:
    """Open proposal about the question, or the progress of its draft; hidden without either."""

    def __init__(self, draft: QuestionDraft, current: Callable[[], str], use: Callable[[str, bool], Any]) -> None:
        """`current`: returns the template; `use`: replaces it, and shows its code if the flag is set."""
        self._draft = draft
        self._current = current
        self._use = use
        self._drafting = draft.window.services.drafting
        self._drawn_id: int | None = None
        self._is_awaited = False
        """True while the author waits for a draft, whether it was ordered here or is in progress."""
        self.element = ui.element("section").classes("proposal").props('aria-label="Drafted template"')
        draft.window.listen(draft.window.services.drafts_changed, self._on_change)
        self.refresh()

    def order(self) -> None:
        """Open the dialog that orders a draft."""
        with self.element.parent_slot or self.element:
            DraftDialog(
                self._draft.window, "template", self._draft.benchmark_id, [self._draft.number], self._await_draft
            )

    def _await_draft(self) -> None:
        # A quick draft is ready before this panel hears of its beginning.
        self._is_awaited = True

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
        self._is_awaited = running

    def _draw_waiting(self) -> None:
        with ui.element("div").classes("proposal-actions").props('role="status"'):
            ui.spinner(size="18px")
            ui.label("Drafting a template…")
            ui.space()
            button("Stop", lambda: self._drafting.cancel(self._draft.benchmark_id), look="quiet")

    def _draw(self, proposal: Proposal) -> None:
        with ui.element("div").classes("proposal-actions").props('role="toolbar" aria-label="Drafted template"'):
            heading("Drafted template" if proposal.draft.fault is None else "The draft failed")
            ui.space()
            if proposal.draft.fault is None:
                accept = button("Accept", lambda: self._take(proposal, False), icon="check", look="main")
                if self._is_awaited:
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


def proposal_html(proposal: Proposal, outline: TemplateOutline | None, current: str, outdated: bool) -> Html:
    """HTML of a proposal.

    `outline`: of the drafted template, None without one; `current`: the question's template; `outdated`: the question
    was edited since.
    """
    source = proposal.draft.last.source
    return join_html(
        [
            _head(proposal),
            tag("p", OUTDATED, class_="note note-warn") if outdated else None,
            _findings(proposal),
            *([] if outline is None else [_fields(outline), patterns_table(outline)]),
            _code(current, source) if source else None,
            _replies(proposal),
            tag(
                "details",
                tag("summary", "Prompt"),
                *map(_block, (proposal.instructions, proposal.subject)),
                class_="more",
            ),
        ]
    )


def status_chip(proposal: Proposal) -> Html:
    """Chip with the state of a draft."""
    fault = proposal.draft.fault
    if fault is not None:
        return tag("span", icon("error"), FAULTS[fault.kind], class_="chip chip-bad")
    if proposal.draft.remarks:
        return tag("span", icon("warning"), "Works, with warnings", class_="chip chip-warn")
    return tag("span", icon("check_circle"), "Works", class_="chip chip-good")


def _head(proposal: Proposal) -> Html:
    recorded = proposal.has_recorded_reply and tag(
        "span", "Recorded reply", class_="chip chip-plain", title=f"From “{proposal.recording}”; no model was called"
    )
    return tag(
        "p",
        *(status_chip(proposal), " ", recorded or None, f" Drafted by {model_in_words(proposal.model)}"),
        class_="draft-head",
    )


def _findings(proposal: Proposal) -> Html:
    fault, remarks = proposal.draft.fault, proposal.draft.remarks
    summary = (
        tag("p", PASSED, class_="hint")
        if fault is None
        else tag("p", plain_message(fault.sentence, in_form=True), class_="note note-bad", role="alert")
    )
    warnings = (plain_message(remark, in_form=True) for remark in remarks)
    return join_html([summary, *(tag("p", text, class_="note note-warn") for text in warnings)])


def _fields(outline: TemplateOutline) -> Html | None:
    """Table of the fields in the words of the form; None without fields."""
    if not outline.fields:
        return None
    rows = [
        (
            tag("span", tag("code", field.name), tag("div", field.description, class_="hint")),
            with_acceptance(format_value(expected_value(outline, field)), field.accepts),
            _comparison(field, outline),
        )
        for field in outline.fields
    ]
    return table(("Field", "Expected", "Comparison"), rows, caption="Fields of the draft")


def _comparison(field: TemplateField, outline: TemplateOutline) -> Html:
    comparison = COMPARISONS.get(field.primitive or "")
    schema = ((outline.judge_schema or {}).get("properties") or {}).get(field.name) or {}
    choices = schema.get("enum") and tag("div", f"Choices: {', '.join(map(str, schema['enum']))}", class_="hint")
    return join_html(["Custom code" if comparison is None else comparison.title, choices or None])


def _code(current: str, source: str) -> Html:
    if current.strip():
        return tag(
            "div",
            diff_table(current, source, ("Current template", "Draft")),
            class_="clash-versions draft-diff",
            tabindex="0",
        )
    return tag("details", tag("summary", "Code"), _block(source), class_="more")


def _replies(proposal: Proposal) -> Html:
    attempts = proposal.draft.attempts
    parts = [_reply(number, attempt) for number, attempt in enumerate(attempts, start=1)]
    return tag("details", tag("summary", quantity(len(attempts), "attempt")), *parts, class_="more")


def _reply(number: int, attempt: DraftAttempt) -> Html:
    outcome = (
        "Works" if attempt.fault is None else f"{FAULTS[attempt.fault.kind]}: {plain_message(attempt.fault.message)}"
    )
    return join_html([tag("p", tag("b", f"{number}. "), outcome), _block(attempt.reply) if attempt.reply else None])


def _block(text: str) -> Html:
    return tag("pre", text, class_="code-block box", tabindex="0")


def draft_card(on_click: Callable[[], Any]) -> None:
    """Card next to the starters that drafts with a model."""
    with ui.element("button").props('type="button"').classes("starter") as card:
        ui.icon("auto_awesome")
        with ui.element("span"):
            ui.label("Draft with model").classes("starter-title")
            ui.label("From question, reference answer, and notes").classes("hint")
    card.on("click", on_click, args=[])
