"""Tab Question: each field is saved as it is edited and shows its own error.

Leaving the keyword field adds a typed word without Enter. The browser keeps a word from its first character until it is
saved, see `session/outbox.py`.
"""

from __future__ import annotations

import json
import re
from typing import Any, Self

from nicegui import events, ui

from karenina_gui.errors import InputError
from karenina_gui.gui.forms.bound_field import BoundField
from karenina_gui.gui.forms.form import draw_control, draw_field
from karenina_gui.gui.forms.form_rows import FormRows
from karenina_gui.gui.kit.clipboard import copy_text
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.diff_view import diff_table
from karenina_gui.gui.kit.elements import button, field, icon_button, key_values, scrolling, text_input
from karenina_gui.gui.kit.html import join_html
from karenina_gui.gui.kit.metadata_rows import from_rows, repeated_names, rows_of_sources, sources_of, to_rows
from karenina_gui.gui.pages.questions.question_results import results_html
from karenina_gui.gui.records.form_field import Column, FormField
from karenina_gui.gui.records.optimistic_edit import OptimisticEdit
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.gui.session.nicegui_internals import WordSelect
from karenina_gui.gui.session.outbox import BufferedText, Outbox
from karenina_gui.schemas.question import PREVIOUS_IDS, Question
from karenina_gui.schemas.result_summaries import QuestionResults
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, samples_in
from karenina_gui.text import plural, quantity, verb

_DOI = r"(?:doi:\s*)?10\.\d{4,9}/\S+"
_WEB = r"https?://[^\s/.]+(?:\.[^\s/.]+)*\S*"
_MAIL = r"[^@\s,;<>]+@[^@\s,;<>.]+(?:\.[^@\s,;<>.]+)+"


def doubt_about_source(address: str) -> str | None:
    """Warning about an address that is neither a web address nor a DOI; None if it is valid or empty."""
    if not address.strip() or re.fullmatch(f"{_WEB}|{_DOI}", address.strip(), re.IGNORECASE):
        return None
    return "Saved, but this isn’t a valid URL. Enter one that starts with https://, or a DOI such as 10.1000/182."


def doubts_about_sources(sources: list[dict[str, Any]]) -> dict[int, str]:
    """Warnings by index (from 0) of the sources with such addresses."""
    doubts = {index: doubt_about_source(str(source.get("url") or "")) for index, source in enumerate(sources)}
    return {index: doubt for index, doubt in doubts.items() if doubt}


def doubt_about_mail(address: str) -> str | None:
    """Warning about an invalid e-mail address; None if it is valid or empty."""
    if not address.strip() or re.fullmatch(_MAIL, address.strip()):
        return None
    return "Saved, but this isn’t a valid email address. Enter one such as name@example.org."


PATH = "word"
"""Path of the word that the user is typing."""
_INPUT_TEXT = "(event) => emit(event?.target?.value ?? '')"
TITLES = ("Text of the results", "Text now")
_CHOICE = (
    "If your edit is a correction, keep the ID: the results still count for this question. "
    "If it makes a new question, assign a new ID, which is linked to the old one."
)


class QuestionForm:
    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        self._texts_by_name: dict[str, BoundField | FormRows] = {}
        with scrolling("Question fields"), ui.element("div").classes("form"):
            self._texts()
            with ui.element("div").classes("group"):
                self._for_runs()
            with ui.element("div").classes("group"):
                self._provenance()
            with ui.element("div").classes("group"):
                self._identity()

    def reveal(self, name: str) -> None:
        """Move the focus to the field of this name."""
        if name in self._texts_by_name:
            self._texts_by_name[name].focus()

    def _texts(self) -> None:
        self._draw(QUESTION)
        IdDecision(self.draft)
        self._draw(ANSWER)
        self._draw(NOTES)
        with field("Keywords", "press Enter after each"):
            self._keywords()

    def _keywords(self) -> None:
        keywords = [word for word, _ in self.draft.window.services.library.questions.keywords(self.draft.benchmark_id)]
        select = KeywordSelect(keywords, list(self.draft.question.keywords))
        shared = self.draft.field(
            "keywords",
            lambda question: list(question.keywords),
            lambda _, value: {"keywords": [str(word).strip() for word in value or []]},
        )
        bound = BoundField(select, shared)
        select.keep_in_browser(self.draft.window.outbox, shared.address, bound.edit)

    def _for_runs(self) -> None:
        draw_field(EXAMPLES, self.draft.form_field(EXAMPLES))
        self._draw(WORKSPACE)

    def _provenance(self) -> None:
        with field("Author"):
            with ui.element("div").classes("field-row"):
                for spec in AUTHOR:
                    with ui.element("div"):
                        draw_control(spec, self.draft.form_field(spec))
            draw_control(AUTHOR_DETAILS, self.draft.form_field(AUTHOR_DETAILS))
        for spec in (SOURCES, METADATA):
            draw_field(spec, self.draft.form_field(spec))

    def _identity(self) -> None:
        IdRow(self.draft)
        self.dates = ui.element("div").classes("hint")
        self._show_dates()
        self.draft.listen(self._show_dates, "saved", "elsewhere")

    def _show_dates(self, *_: object) -> None:
        question = self.draft.question
        self.dates.clear()
        with self.dates:
            key_values(
                [("Created", day_and_time(question.date_created)), ("Modified", day_and_time(question.date_modified))]
            )

    def _draw(self, spec: FormField[Question]) -> None:
        self._texts_by_name[spec.name] = draw_field(spec, self.draft.form_field(spec))


def _author_field(part: str, title: str) -> FormField[Question]:
    def write(question: Question, value: Any) -> dict[str, Any]:
        author = {**(question.author or {}), part: value}
        return {"author": {k: v for k, v in author.items() if v} or None}

    return FormField(
        f"author.{part}",
        title,
        read=lambda question: str((question.author or {}).get(part) or ""),
        write=write,
        label=f"Author: {title}",
        placeholder=title,
        doubt=(lambda value: doubt_about_mail(str(value or ""))) if part == "email" else None,
    )


def _author_details(question: Question) -> list[dict[str, Any]]:
    """Return further author details, such as an ORCID, as rows."""
    return to_rows({name: value for name, value in (question.author or {}).items() if _is_author_detail(name)})


def _with_author_details(question: Question, rows: list[dict[str, Any]]) -> dict[str, Any]:
    author = {name: value for name, value in (question.author or {}).items() if not _is_author_detail(name)}
    further = from_rows(rows, question.author) or {}
    if own := [name for name in further if not _is_author_detail(name)]:
        raise InputError(f"“{own[0]}” has a field above or is reserved in files. Choose another name.")
    return {"author": {**author, **further} or None}


def _facts_of(metadata: dict[str, Any] | None) -> dict[str, Any]:
    """Return custom metadata without that which is shown elsewhere: previous ids and sample answers."""
    return {name: value for name, value in (metadata or {}).items() if name not in _shown_elsewhere(metadata)}


def _with_hidden(facts: dict[str, Any] | None, question: Question) -> dict[str, Any] | None:
    """Return the entered metadata with that which is shown elsewhere. Raises `InputError` for a name of the latter."""
    metadata = question.custom_metadata or {}
    hidden = _shown_elsewhere(metadata)
    if taken := hidden & set(facts or {}):
        raise InputError(f"“{min(taken)}” is in use for the application’s own data. Choose another name.")
    return {**(facts or {}), **{name: metadata[name] for name in hidden if name in metadata}} or None


def _shown_elsewhere(metadata: dict[str, Any] | None) -> set[str]:
    # Metadata of a file may use the name of the samples for something else.
    return {PREVIOUS_IDS, *([SAMPLE_ANSWERS] if samples_in(metadata) is not None else [])}


def _is_author_detail(name: str) -> bool:
    """Return True if an author detail has no field of its own and is not reserved in files (`@type`)."""
    return name not in _AUTHOR_FIELDS and not name.startswith("@")


_AUTHOR_FIELDS = {"name": "Name", "email": "Email", "affiliation": "Institution"}
"""Author details that have their own field, with its title."""

QUESTION, ANSWER, NOTES, WORKSPACE = (
    FormField[Question]("question", "Question", "sent to the model exactly as written", "area", model=Question),
    FormField[Question](
        "raw_answer",
        "Reference answer",
        "for readers; judges see it only for traits that show it",
        "area",
        model=Question,
    ),
    FormField[Question]("answer_notes", "Notes", "what to accept or reject, and why", "area", model=Question),
    FormField[Question](
        "workspace_path",
        "Workspace folder",
        "for tasks with files: a folder below the workspace root",
        model=Question,
    ),
)
EXAMPLES = FormField[Question](
    "few_shot_examples",
    "Few-shot examples",
    "sent before the question when a run uses them",
    "rows",
    model=Question,
    columns=(Column("question", "Question", area=True), Column("answer", "Good answer", area=True)),
    add="Add example",
)
AUTHOR = tuple(_author_field(part, title) for part, title in _AUTHOR_FIELDS.items())
AUTHOR_DETAILS = FormField[Question](
    "author.further",
    "Author details",
    kind="rows",
    read=_author_details,
    write=_with_author_details,
    doubt=repeated_names,
    columns=(Column("key", "Name, such as ORCID"), Column("value", "Value", width="2fr")),
    add="Add author detail",
)
SOURCES = FormField[Question](
    "sources",
    "Sources",
    "where the reference answer comes from",
    "rows",
    read=lambda question: rows_of_sources(question.sources),
    write=lambda _, rows: {"sources": sources_of(rows)},
    doubt=doubts_about_sources,
    columns=(Column("name", "Title"), Column("url", "URL (https://…)"), Column("more", "Details (page: 12)")),
    add="Add source",
)
METADATA = FormField[Question](
    "custom_metadata",
    "Metadata",
    "any other fields, such as difficulty: easy",
    "rows",
    read=lambda question: to_rows(_facts_of(question.custom_metadata)),
    write=lambda question, rows: {"custom_metadata": _with_hidden(from_rows(rows, question.custom_metadata), question)},
    doubt=repeated_names,
    columns=(Column("key", "Name"), Column("value", "Value", width="2fr")),
    add="Add field",
)


def _separate(text: str) -> list[str]:
    """Words of a text in which commas separate them, each once."""
    return list(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


class KeywordSelect(WordSelect):
    separate = staticmethod(_separate)

    def __init__(self, suggestions: list[str], used: list[str]) -> None:
        super().__init__(sorted({*suggestions, *used}), value=used, multiple=True, new_value_mode="add-unique")
        self.props('use-chips use-input input-debounce="0" outlined dense options-dense aria-label="Keywords"')
        self.classes("input tags")
        self.on("blur", self._add_typed, js_handler=_INPUT_TEXT)
        self.on_value_change(self._clear_input)

    def set_value(self, value: list[str]) -> Self:
        """Set the keywords, including ones that other windows added since the options were read."""
        if new := set(value or ()) - set(self.options):
            self.set_options(sorted({*self.options, *new}))
        return super().set_value(value)

    def add(self, text: str) -> None:
        """Add keywords, known or new, separated by commas."""
        new = [word for word in _separate(text) if word not in self.value]
        self.set_options(sorted({*self.options, *new}))
        self.value = [*self.value, *new]

    def keep_in_browser(self, outbox: Outbox, address: str, edit: OptimisticEdit) -> None:
        """Keep a typed word in the browser.

        `address`: name of the field in the outbox. `edit` saves the keywords.
        """
        path = f"{address}#{PATH}"

        def settle(_: Any = None) -> None:
            if not edit.dirty:
                outbox.settle_words(path, self.value)

        def save(value: Any, _base: Any) -> bool:
            """Add the word as a keyword, even if it is incomplete."""
            if all(word in self.value for word in _separate(str(value))):
                settle()
                return False
            self.add(str(value))
            return True

        outbox.watch(address, "Keywords", lambda _: _TypedWord(save, settle, self))
        edit.on_settled = settle
        word = json.dumps(path)
        self.on("input-value", js_handler=f"(value) => outbox.keepWord({word}, value, {self.id})")
        for event, condition in (("keydown", 'event.key === "Enter"'), ("blur", "true")):
            self.on(event, js_handler=f"(event) => {condition} && outbox.enterWord({word}, {self.id})")

    def _add_typed(self, event: events.GenericEventArguments) -> None:
        """Add the word in the input when it loses the focus."""
        if text := str(event.args or ""):
            self.add(text)

    def _clear_input(self, _: Any) -> None:
        # Quasar leaves the search text in the input after a selection.
        self.run_method("updateInputValue", "", True)


class _TypedWord(BufferedText):
    def resume(self, value: Any) -> None:
        """Let the browser drop the word if it was saved. One that the user is still typing has events of its own."""
        self.confirm(value)


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
                with ui.element("div").classes("question-id-choices flow gap-6"):
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
            with ui.element("div").classes("line gap-6"):
                with ui.element("div").classes("question-id-box grow"):
                    BoundField(text_input("ID", draft.question.id, placeholder="No ID yet"), shared)
                icon_button("content_copy", "Copy ID", self.copy)
            with ui.element("div").classes("line gap-6"):
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
