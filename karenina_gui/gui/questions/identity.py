"""Id of a question: display, editing, and the choice after an edit of a text that has results."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from karenina_gui.errors import InputError
from karenina_gui.gui.binding.bound_field import BoundField
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.clipboard import copy_text
from karenina_gui.gui.components.diff_view import diff_table
from karenina_gui.gui.components.elements import button, field, icon_button, key_values, text_input
from karenina_gui.gui.components.html import join_html
from karenina_gui.gui.questions.question_results import results_html
from karenina_gui.schemas.result_summaries import QuestionResults
from karenina_gui.text import plural, quantity, verb

TITLES = ("Text of the results", "Text now")
_CHOICE = (
    "If your edit is a correction, keep the ID: the results still count for this question. "
    "If it makes a new question, assign a new ID, which is linked to the old one."
)


class IdDecision:
    """Choice between the old id and a new one, shown after the text of a question with results was edited."""

    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        with ui.element("div").classes("note note-warn").props('role="group" aria-live="polite"') as self.element:
            ui.icon("warning")
            with ui.element("div"):
                self.message = ui.label()
                self.results = ui.html("")
                self.texts = ui.html("").props('tabindex="0" role="region" aria-label="Old and new text"')
                self.texts.classes("clash-versions")
                ui.label(_CHOICE).classes("question-id-advice")
                with ui.element("div").classes("question-id-choices"):
                    button("Keep ID", self.keep_id)
                    button("Assign new ID", self.renew_id)
        self.element.props["aria-label"] = "ID of the edited question"
        _follow(draft, self.show)

    def show(self, *_: object) -> None:
        opened = self.draft.opened
        self.element.set_visibility(opened.undecided)
        if not opened.undecided:
            return
        self.message.text = f"{_refers(opened.results)} to the text before your edit."
        results = _results_of(self.draft, opened.entry.id)
        self.results.content = results_html(results, opened.entry.id)
        self.texts.set_visibility(results.text is not None)
        self.texts.content = diff_table(results.text or "", self.draft.question.question, TITLES)

    async def keep_id(self) -> None:
        await change_id(self.draft, self.draft.question.id)

    async def renew_id(self) -> None:
        await change_id(self.draft, None)


class IdRow:
    """Row with the editable id, its origin and previous ids."""

    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        shared = draft.field("id")
        with field("ID", "identifies the question in results and files"):
            with ui.element("div").classes("question-id-line"):
                with ui.element("div").classes("question-id-box"):
                    BoundField(text_input("ID", draft.question.id, placeholder="No ID yet"), shared)
                icon_button("content_copy", "Copy ID", self.copy)
            with ui.element("div").classes("question-id-line"):
                self.origin = ui.label().classes("hint")
                self.reset = button("Use text-based ID", lambda: change_id(draft, None), look="quiet")
            self.results = ui.html("").classes("hint")
            self.previous = ui.element("div").classes("hint")
        _follow(draft, self.show)

    def show(self, *_: object) -> None:
        opened, question = self.draft.opened, self.draft.question
        self.origin.text = _origin(self.draft)
        self.reset.set_visibility(opened.summary.id_set or bool(not question.id and question.question.strip()))
        # While the choice is open, the note above lists them.
        listed = bool(opened.results) and not opened.undecided
        self.results.set_visibility(listed)
        if listed:
            self.results.content = results_html(_results_of(self.draft, question.id), question.id)
        self._show_previous()

    def _show_previous(self) -> None:
        ids = self.draft.question.previous_ids
        self.previous.clear()
        if not ids:
            return
        with self.previous:
            key_values([(plural(len(ids), "Previous ID"), ", ".join(ids))])
            for previous_id in ids:
                if results := results_html(_results_of(self.draft, previous_id), previous_id):
                    ui.html(join_html([f"Results with the ID {previous_id}:", results]))

    def copy(self) -> None:
        copy_text(self.draft.question.id, "Copied ID")


async def change_id(draft: QuestionDraft, question_id: str | None) -> None:
    """Set an id. None: derive it from the text."""
    try:
        await draft.window.write(draft.editor.edit, draft.benchmark_id, draft.number, {"id": question_id})
    except InputError as error:
        draft.window.notify(str(error), "bad")
    else:
        draft.window.note_saved()


def _results_of(draft: QuestionDraft, question_id: str) -> QuestionResults:
    return draft.window.services.library.results.of_question(draft.benchmark_id, question_id)


def _follow(draft: QuestionDraft, show: Any) -> None:
    draft.listen(show, "saved", "elsewhere")
    show()


def _origin(draft: QuestionDraft) -> str:
    opened = draft.opened
    if not opened.entry.id:
        copied = bool(opened.entry.question.question.strip())
        return "Edit the text of this copy, or enter an ID." if copied else "Derived from the text."
    origin = "Set manually." if opened.summary.id_set else "" if opened.undecided else "Derived from the text."
    count = opened.results
    refer = f"{_refers(count)} to it." if count else ""
    return " ".join(filter(None, [origin, refer]))


def _refers(count: int) -> str:
    if not count:
        return "An unfinished run refers"
    return f"{quantity(count, 'result')} {verb(count, 'refers', 'refer')}"
