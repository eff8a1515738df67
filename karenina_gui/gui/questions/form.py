"""Tab Question: each field is saved as it is edited and shows its own error."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from karenina_gui.errors import InputError
from karenina_gui.gui.binding.bound_field import BoundField
from karenina_gui.gui.binding.form import draw_control, draw_field
from karenina_gui.gui.binding.form_field import Column, FormField
from karenina_gui.gui.binding.form_rows import FormRows
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.dates import day_and_time
from karenina_gui.gui.components.elements import field, key_values, scrolling
from karenina_gui.gui.components.metadata_rows import from_rows, repeated_names, rows_of_sources, sources_of, to_rows
from karenina_gui.gui.components.web_addresses import doubt_about_mail, doubts_about_sources
from karenina_gui.gui.questions.identity import IdDecision, IdRow
from karenina_gui.gui.questions.keyword_select import KeywordSelect
from karenina_gui.schemas.question import PREVIOUS_IDS, Question
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, samples_in


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
        if (outbox := self.draft.window.outbox) is not None:
            select.keep_in_browser(outbox, f"{self.draft.place}/keywords", bound.edit)

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
