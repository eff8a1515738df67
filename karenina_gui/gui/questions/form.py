"""Tab Question: each field is saved as it is edited and shows its own error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.errors import InputError
from karenina_gui.gui.binding.bound_field import BoundField
from karenina_gui.gui.binding.form_rows import Column, FormRows
from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.components.dates import day_and_time
from karenina_gui.gui.components.elements import field, focus_on, key_values, scrolling, text_area, text_input
from karenina_gui.gui.components.metadata_rows import from_rows, repeated_names, rows_of_sources, sources_of, to_rows
from karenina_gui.gui.components.web_addresses import doubt_about_mail, doubts_about_sources
from karenina_gui.gui.questions.identity import IdDecision, IdRow
from karenina_gui.gui.questions.keyword_select import KeywordSelect
from karenina_gui.schemas.question import PREVIOUS_IDS, Question
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, samples_in

Read = Callable[[Question], Any]
Changes = Callable[[Question, Any], dict[str, Any]]
Doubts = Callable[[list[dict[str, Any]]], dict[int, str]]


class QuestionForm:
    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        self._controls: dict[str, ui.element] = {}
        """Text fields by name."""
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
        if name in self._controls:
            focus_on(self._controls[name])

    def _texts(self) -> None:
        self._text("question", "Question", "sent to the model exactly as written", area=True)
        IdDecision(self.draft)
        self._text(
            "raw_answer",
            "Reference answer",
            "for readers; judges see it only for traits that show it",
            area=True,
        )
        self._text("answer_notes", "Notes", "what to accept or reject, and why", area=True)
        with field("Keywords", "press Enter after each"):
            self._keywords()

    def _keywords(self) -> None:
        keywords = [word for word, _ in self.draft.window.services.library.questions.keywords(self.draft.benchmark_id)]
        select = KeywordSelect(keywords, list(self.draft.question.keywords))
        bound = self._bind(
            select,
            "keywords",
            lambda question: list(question.keywords),
            lambda _, value: {"keywords": [str(word).strip() for word in value or []]},
        )
        if (outbox := self.draft.window.outbox) is not None:
            select.keep_in_browser(outbox, f"{self.draft.place}/keywords", bound.edit)

    def _for_runs(self) -> None:
        examples = [Column("question", "Question", area=True), Column("answer", "Good answer", area=True)]
        hint = "sent before the question when a run uses them"
        self._rows("few_shot_examples", "Few-shot examples", hint, examples)
        self._text("workspace_path", "Workspace folder", "for tasks with files: a folder below the workspace root")

    def _provenance(self) -> None:
        with field("Author"):
            with ui.element("div").classes("field-row"):
                for part, title in _AUTHOR_FIELDS.items():
                    self._author(part, title)
            self._author_details()
        with field("Sources", "where the reference answer comes from"):
            self._sources()
        with field("Metadata", "any other fields, such as difficulty: easy"):
            self._facts()

    def _author(self, part: str, title: str) -> None:
        def read(question: Question) -> str:
            return str((question.author or {}).get(part) or "")

        def changes(question: Question, value: Any) -> dict[str, Any]:
            author = {**(question.author or {}), part: value}
            return {"author": {k: v for k, v in author.items() if v} or None}

        doubt = (lambda value: doubt_about_mail(str(value or ""))) if part == "email" else None
        with ui.element("div"):
            box = text_input(f"Author: {title}", read(self.draft.question), placeholder=title)
            self._bind(box, f"author.{part}", read, changes, doubt)

    def _author_details(self) -> None:
        """Draw further author details, such as an ORCID, as rows."""

        def read(question: Question) -> list[dict[str, Any]]:
            return to_rows({name: value for name, value in (question.author or {}).items() if _is_author_detail(name)})

        def changes(question: Question, rows: list[dict[str, Any]]) -> dict[str, Any]:
            author = {name: value for name, value in (question.author or {}).items() if not _is_author_detail(name)}
            further = from_rows(rows, question.author) or {}
            if own := [name for name in further if not _is_author_detail(name)]:
                raise InputError(f"“{own[0]}” has a field above or is reserved in files. Choose another name.")
            return {"author": {**author, **further} or None}

        facts = self.draft.field("author.further", read, changes)
        columns = [Column("key", "Name, such as ORCID", width="1fr"), Column("value", "Value", width="2fr")]
        FormRows(columns, "Add author detail", facts, repeated_names, name="Author details")

    def _sources(self) -> None:
        sources = self.draft.field(
            "sources",
            lambda question: rows_of_sources(question.sources),
            lambda _, rows: {"sources": sources_of(rows)},
        )
        columns = [
            Column("name", "Title"),
            Column("url", "URL (https://…)"),
            Column("more", "Details (page: 12)"),
        ]
        FormRows(columns, "Add source", sources, doubts_about_sources, name="Sources")

    def _facts(self) -> None:
        facts = self.draft.field(
            "custom_metadata",
            lambda question: to_rows(_facts_of(question.custom_metadata)),
            lambda question, rows: {
                "custom_metadata": _with_hidden(from_rows(rows, question.custom_metadata), question)
            },
        )
        columns = [Column("key", "Name", width="1fr"), Column("value", "Value", width="2fr")]
        FormRows(columns, "Add field", facts, repeated_names, name="Metadata")

    def _identity(self) -> None:
        IdRow(self.draft)
        self.dates = ui.element("div").classes("hint")
        self._show_dates()
        self.draft.on_saved(self._show_dates)
        self.draft.on_elsewhere(self._show_dates)

    def _show_dates(self, *_: object) -> None:
        question = self.draft.question
        self.dates.clear()
        with self.dates:
            key_values(
                [("Created", day_and_time(question.date_created)), ("Modified", day_and_time(question.date_modified))]
            )

    def _text(self, name: str, title: str, hint: str, *, area: bool = False) -> ui.element:
        optional = name in ("answer_notes", "workspace_path")

        def read(question: Question) -> str:
            return str(getattr(question, name) or "")

        def changes(_: Question, value: Any) -> dict[str, Any]:
            text = str(value or "")
            return {name: None if optional and not text.strip() else text}

        with field(title, hint):
            make = text_area if area else text_input
            control = make(title, read(self.draft.question))
            self._bind(control, name, read, changes)
        self._controls[name] = control
        return control

    def _bind(
        self, control: Any, name: str, read: Read, changes: Changes, doubt: Callable[[Any], str | None] | None = None
    ) -> BoundField:
        return BoundField(control, self.draft.field(name, read, changes), doubt)

    def _rows(self, name: str, title: str, hint: str, columns: list[Column], doubts: Doubts | None = None) -> None:
        records = self.draft.field(
            name, lambda question: getattr(question, name) or [], lambda _, records: {name: records or None}
        )
        with field(title, hint):
            FormRows(columns, "Add example", records, doubts, name="Few-shot examples")


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
