"""One question as a checkpoint writes it: a `DataFeedItem` around a `Question`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from karenina_gui.formats.checkpoints.json_patch import as_list, overlay
from karenina_gui.formats.checkpoints.properties import decode, property_value, values_of
from karenina_gui.formats.checkpoints.trait_lists import rated_in, read_ratings, rubric_of, with_ratings
from karenina_gui.formats.json_text import to_json_bytes
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question, checked_workspace_path, question_fingerprint

CUSTOM = "custom_"
CHANGED = "changed_since_review"
"""Property of a finished question that was edited since its review: hash of what was reviewed, or true if unknown."""


class UnreadableEntry(Exception):
    """An element that holds no question; the message says why."""


@dataclass(frozen=True)
class EntryDefaults:
    """Values for what an element leaves out: two ISO texts and an id (None: the fingerprint of the text)."""

    created: str
    modified: str
    question_id: str | None = None


def read_entry(element: Any, defaults: EntryDefaults, notes: list[str]) -> BenchmarkEntry:
    """The question and its membership.

    Raises `UnreadableEntry` if there is no question text.
    """
    item, text = _item_and_text(element)
    values = values_of(item)
    where = f"Question {text[:60]!r}"
    rubric = rubric_of(read_ratings(item, "QuestionSpecific", where, notes))
    try:
        question = Question(
            question=text,
            raw_answer=_text(_first(item.get("acceptedAnswer")).get("text")),
            id=defaults.question_id or explicit_id(element) or question_fingerprint(text),
            # Older files keep keywords beside the item.
            keywords=_keywords(item) or _keywords(element),
            date_created=_text(element.get("dateCreated")) or defaults.created,
            date_modified=_text(element.get("dateModified")) or defaults.modified,
            answer_notes=_text(values["answer_notes"]) if values.get("answer_notes") is not None else None,
            author=_author(values.get("author")),
            sources=_objects(values.get("sources"), "name"),
            answer_template=template_in(element),
            workspace_path=_workspace_path(values.get("workspace_path"), where, notes),
            question_rubric=rubric.model_dump(mode="json") if rubric else None,
            few_shot_examples=_objects(values.get("few_shot_examples"), "question"),
            custom_metadata=_custom(values),
        )
    except ValidationError as fault:
        raise UnreadableEntry(first_problem(fault)) from fault
    changed = values.get(CHANGED)
    reviewed_hash = _reviewed_hash(changed)
    return BenchmarkEntry(
        question=question,
        finished=_is_true(values.get("finished")),
        changed_since_review=_is_true(changed) or reviewed_hash is not None,
        reviewed_hash=reviewed_hash,
        source=element,
    )


def _item_and_text(element: Any) -> tuple[dict[str, Any], str]:
    item = element.get("item") if isinstance(element, dict) else None
    text = item.get("text") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(text, str) or not text:
        raise UnreadableEntry("it has no question text")
    return item, text


def write_entry(entry: BenchmarkEntry) -> dict[str, Any]:
    """The entry's JSON: as its file had it, with what has changed since then.

    Raises `InputError` if its rubric cannot be written.
    """
    question, where = entry.question, f"Question {entry.question.question[:60]!r}"
    old = _as_read(entry)
    # The old title, so that a change of the question's text does not touch the name of its template as well.
    title = (old or entry).question.question
    element: dict[str, Any] = overlay(entry.source, _fresh(old, title) if old else {}, _fresh(entry, title))
    if old and old.question.keywords != question.keywords:
        element.pop("keywords", None)  # the place that old files used, read where the item has none
    traits = rated_in(question.question_rubric, where)
    element = {**element, "item": with_ratings(element["item"], traits, "QuestionSpecific")}
    # An id that follows from the text need not be stated; one that does not would be lost when the file is read again.
    if explicit_id(element) is None and question.id != question_fingerprint(question.question):
        element["@id"] = question.id
    if old and element != entry.source and question.date_modified == old.question.date_modified:
        element["dateModified"] = datetime.now().isoformat()
    return element


def template_in(element: Mapping[str, Any]) -> str | None:
    """The answer template as the element of a file has it; None if it has none."""
    item = element.get("item")
    text = _text(_first(item.get("hasPart")).get("text")) if isinstance(item, dict) else ""
    return text if text.strip() else None


def explicit_id(element: Any) -> str | None:
    """The element's own `@id`; None if it has none."""
    id_ = element.get("@id") if isinstance(element, dict) else None
    return id_ if isinstance(id_, str) and id_ else None


def _as_read(entry: BenchmarkEntry) -> BenchmarkEntry | None:
    """The entry as its file has it; None for one that came from no file."""
    if not entry.source:
        return None
    defaults = EntryDefaults(entry.question.date_created, entry.question.date_modified)
    try:
        return read_entry(entry.source, defaults, [])
    except UnreadableEntry:
        return None


def _fresh(entry: BenchmarkEntry, title: str) -> dict[str, Any]:
    """The entry as this application would write it, without its ratings; `title` names the template."""
    question = entry.question
    item: dict[str, Any] = {
        "@type": "Question",
        "text": question.question,
        "acceptedAnswer": {"@type": "Answer", "text": question.raw_answer},
        "hasPart": {
            "@type": "SoftwareSourceCode",
            "name": f"{title[:30]}... Answer Template",
            "text": question.answer_template or "",
            "programmingLanguage": "Python",
        },
        "additionalProperty": _properties(entry),
    }
    if question.keywords:
        item["keywords"] = question.keywords
    return {
        "@type": "DataFeedItem",
        "@id": question.id,
        "dateCreated": question.date_created,
        "dateModified": question.date_modified,
        "item": item,
    }


def _reviewed_hash(mark: Any) -> str | None:
    return mark if isinstance(mark, str) and re.fullmatch("[0-9a-f]{64}", mark) else None


def _properties(entry: BenchmarkEntry) -> list[dict[str, Any]]:
    question = entry.question
    mark = (entry.reviewed_hash or True) if entry.changed_since_review else None
    custom = question.custom_metadata or {}
    return [
        property_value("finished", entry.finished),
        *_optional_properties({CHANGED: mark, "author": question.author, "sources": question.sources}),
        *(property_value(f"{CUSTOM}{key}", value) for key, value in custom.items()),
        *_optional_properties(
            {
                "few_shot_examples": question.few_shot_examples,
                "answer_notes": question.answer_notes,
                "workspace_path": question.workspace_path,
            }
        ),
    ]


def _optional_properties(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Properties of all values but None. Objects and lists become JSON text."""
    for name, value in values.items():
        if value is not None:
            yield property_value(name, _json_text(value) if isinstance(value, dict | list) else value)


def _first(value: Any) -> dict[str, Any]:
    """The object, or the first of a list of them; an empty one if there is none."""
    values = as_list(value)
    return values[0] if values and isinstance(values[0], dict) else {}


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _keywords(owner: dict[str, Any]) -> list[str]:
    keywords = owner.get("keywords")
    if isinstance(keywords, str):
        return [keywords] if keywords.strip() else []
    return [_text(keyword) for keyword in keywords] if isinstance(keywords, list) else []


def _author(value: Any) -> dict[str, Any] | None:
    """The author as an object; a plain name becomes its `name`."""
    authors = _objects(value, "name")
    return authors[0] if authors else None


def _objects(value: Any, key: str) -> list[dict[str, Any]] | None:
    """A list of objects from JSON text or JSON; a plain text becomes one object with the text under `key`."""
    value = decode(value)
    if value is None:
        return None
    entries = value if isinstance(value, list) else [value]
    return [entry if isinstance(entry, dict) else {key: _text(entry)} for entry in entries]


def _custom(values: dict[str, Any]) -> dict[str, Any] | None:
    return {name[len(CUSTOM) :]: v for name, v in values.items() if name.startswith(CUSTOM)} or None


def _workspace_path(value: Any, where: str, notes: list[str]) -> str | None:
    try:
        return checked_workspace_path(_text(value)) if value is not None else None
    except ValueError as fault:
        notes.append(f"{where}: the workspace folder is preserved but not used. {fault}")
        return None


def _json_text(value: Any) -> str:
    return to_json_bytes(value, indent=None).decode()


def _is_true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")
