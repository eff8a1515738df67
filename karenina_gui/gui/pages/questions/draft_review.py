"""Dialog that goes through the drafted templates of a benchmark: accept, edit, or refuse each by a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.errors import InputError, NotFoundError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, icon_button
from karenina_gui.gui.pages.questions.rows import UNTITLED
from karenina_gui.gui.pages.templates.proposal_view import proposal_html
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.model_draft import Proposal
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.text import quantity

KEYS = {"j": "next", "k": "previous", "a": "accept", "e": "edit", "d": "refuse"}
"""Keys of the dialog, and their actions."""


class DraftReview:
    def __init__(self, window: Window, benchmark_id: int, open_question: Callable[[int], Any]) -> None:
        self.window, self.benchmark_id = window, benchmark_id
        self._open_question = open_question
        self._services = window.services
        self._ids: list[int] = []
        """Ids of the open drafts; there can be many, so only the one that is shown is loaded."""
        self._index = 0
        self._round = 0
        with dialog("Review drafts", classes="draft-review") as self._dialog:
            with ui.element("div").classes("draft-review-bar").props('role="toolbar" aria-label="Drafts"'):
                icon_button("chevron_left", "Previous draft (K)", lambda: self._step(-1))
                icon_button("chevron_right", "Next draft (J)", lambda: self._step(1))
                self._count = ui.label().props('role="status"')
                ui.space()
                self._all = button("Accept warning-free drafts", self._accept_all, look="quiet", icon="done_all")
            self._body = ui.element("div").classes("draft-review-body scroll wide fills box").props('tabindex="0"')
            with dialog_actions():
                button("Close", self._dialog.close)
                button("Discard (D)", self._refuse, icon="close")
                self._edit_button = button("Edit (E)", self._edit, icon="edit")
                self._accept_button = button("Accept (A)", self._accept, icon="check", look="main")
        # The dialog of commands gives the focus back as it closes, maybe to a message that is gone by then.
        self._dialog.on("show", self._focus, args=[])
        self._dialog.on("keydown", lambda event: self._press(str(event.args)), js_handler=_LETTERS)
        with self._body:  # inside the dialog, so that it ends with it
            window.listen(self._services.drafts_changed, self._on_change)
            self._view = ui.element("div")
        self._reload()

    def _focus(self) -> None:
        self._body.client.run_javascript(f"getHtmlElement({self._body.id})?.focus()")

    def _on_change(self, benchmark_id: int) -> None:
        if benchmark_id == self.benchmark_id:
            self._reload()

    def _reload(self) -> None:
        """Read the open drafts; the one that is shown stays, or the one after it follows."""
        proposal_id = self._ids[self._index] if self._ids else None
        self._ids = self._services.library.proposals.open_ids(self.benchmark_id, "template")
        if proposal_id in self._ids:
            self._index = self._ids.index(proposal_id)
            self._show_count()
            return
        self._index = max(0, min(self._index, len(self._ids) - 1))
        self._show()

    @property
    def _current(self) -> Proposal | None:
        try:
            return self._services.library.proposals.get(self._ids[self._index]) if self._ids else None
        except NotFoundError:  # a newer draft replaces it at this moment
            return None

    def _step(self, steps: int) -> None:
        self._index = max(0, min(self._index + steps, len(self._ids) - 1))
        self._show()

    def _show_count(self) -> None:
        total = len(self._ids)
        self._count.text = f"{self._index + 1:,} of {quantity(total, 'draft')}" if total else "No drafts to review."
        self._all.set_visibility(total > 0)

    def _show(self) -> None:
        self._show_count()
        proposal = self._current
        self._accept_button.set_enabled(proposal is not None and proposal.draft.fault is None)
        self._edit_button.set_enabled(proposal is not None and bool(proposal.draft.last.source))
        self._view.clear()
        self._round += 1
        if proposal is not None:
            background_tasks.create(self._draw(proposal, self._round), name="show a draft", context=self._view)

    async def _draw(self, proposal: Proposal, number: int) -> None:
        """Read and check in a thread, as the sandbox may run the template."""
        checked = await run.io_bound(self._read, proposal)
        if checked is None or number != self._round or self._view.is_deleted:
            return
        question, outline, outdated = checked
        with self._view:
            ui.label(question.question or UNTITLED).classes("prose strong")
            ui.label(f"Reference answer: {question.raw_answer or 'none'}").classes("draft-review-answer hint prose")
            ui.html(proposal_html(proposal, outline, question.answer_template or "", outdated))

    def _read(self, proposal: Proposal) -> tuple[Question, TemplateOutline | None, bool] | None:
        assert proposal.number is not None
        try:
            entry = self._services.library.questions.entry(self.benchmark_id, proposal.number)
            outdated = self._services.drafting.is_outdated(proposal)
        except InputError:  # deleted meanwhile
            return None
        source = proposal.draft.last.source
        outline = self._services.editor.templates(self.benchmark_id).check(source) if source else None
        return entry.question, outline, outdated

    def _press(self, key: str) -> Any:
        actions: dict[str, Callable[[], Any]] = {
            "next": lambda: self._step(1),
            "previous": lambda: self._step(-1),
            "accept": self._accept,
            "edit": self._edit,
            "refuse": self._refuse,
        }
        return actions[KEYS[key]]()

    async def _accept(self) -> None:
        if (proposal := self._current) is not None and proposal.draft.fault is None:
            await self._take([proposal])

    async def _accept_all(self) -> None:
        """Accept every draft that needs no second look."""
        proposals = await run.io_bound(self._services.library.proposals.open, self.benchmark_id, "template") or []
        if clean := [proposal for proposal in proposals if _is_clean(proposal)]:
            await self._take(clean)
        else:
            self.window.notify("Every draft has a warning or an error. Review them one by one.")

    async def _take(self, proposals: list[Proposal], *, to_edit: bool = False) -> None:
        """Accept drafts as ordinary edits. A message offers undo."""
        done: list[tuple[Proposal, str | None]] = []
        for proposal in proposals:
            try:
                done.append((proposal, await self.window.write(self._accept_one, proposal, to_edit)))
            except InputError as error:
                self.window.notify(str(error), "bad")
        if done:
            self.window.note_saved()
            self.window.notify(f"Accepted {quantity(len(done), 'draft')}.", undo=lambda: self._undo(done))

    def _accept_one(self, proposal: Proposal, to_edit: bool) -> str | None:
        """Accept a draft and return the template that it replaced."""
        assert proposal.number is not None
        before = self._services.library.questions.entry(self.benchmark_id, proposal.number).question.answer_template
        self._services.drafting.accept(proposal.id, to_edit=to_edit)
        return before

    async def _undo(self, done: list[tuple[Proposal, str | None]]) -> None:
        for proposal, before in done:
            assert proposal.number is not None
            changes = {"answer_template": before}
            await self.window.write(self._services.editor.edit, self.benchmark_id, proposal.number, changes)
            await self.window.write(self._services.drafting.settle, proposal.id, "open")

    async def _edit(self) -> None:
        """Take the draft over and open its question, in the Template tab."""
        proposal = self._current
        if proposal is None or proposal.number is None or not proposal.draft.last.source:
            return
        await self._take([proposal], to_edit=True)
        self.window.preferences.question_tab = "template"
        self._dialog.close()
        self._open_question(proposal.number)

    async def _refuse(self) -> None:
        if (proposal := self._current) is None:
            return
        settle = self._services.drafting.settle
        await self.window.write(settle, proposal.id, "refused")
        self.window.notify("Draft discarded.", undo=lambda: self.window.write(settle, proposal.id, "open"))


def _is_clean(proposal: Proposal) -> bool:
    return proposal.draft.fault is None and not proposal.draft.remarks


_LETTERS = """(event) => {
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.altKey || event.metaKey || !"jkaed".includes(key) || key.length > 1) return;
  event.preventDefault();
  emit(key);
}"""
