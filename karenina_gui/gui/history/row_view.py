"""Changes of a row as tables: each changed field with both of its versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from karenina_gui.gui.components.diff_view import diff_table
from karenina_gui.gui.components.expected_found import format_value
from karenina_gui.gui.components.html import Html, join_html, tag
from karenina_gui.gui.components.record_text import is_record, record_text
from karenina_gui.gui.templates.sample_row import KIND_TITLES
from karenina_gui.schemas.command import FIELDS, NOUNS
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS, SampleAnswer, samples_in

Values = Mapping[str, Any] | None
_HIDDEN = {"id_set", "has_template", "finished_at"}
"""Columns that only say how another one came about."""

_DATES = {"deleted_at": ("Deleted.", "Restored."), "returned_at": ("Returned to its author.", "Open for review.")}
"""Sentences about columns that hold the time of a state: while it lasts, and once it is over."""


def row_changes(table: str, title: str, before: Values, after: Values, titles: tuple[str, str]) -> Html:
    """Heading of a row and its differences; None: the row did not exist, or is gone."""
    head = tag("h3", f"{NOUNS[table].capitalize()} “{title}”" if title else NOUNS[table].capitalize(), class_="h3")
    if before is None or after is None:
        word = "Added." if before is None else "Deleted."
        return join_html([head, tag("p", word, class_="hint")])
    parts = [_difference(name, before, after, titles) for name in after if _is_shown(name, before, after)]
    states = [tag("p", text, class_="hint") for text in _state_changes(before, after)]
    return join_html([head, *parts, *states])


def _state_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    changed = [name for name in _DATES if name in after and before.get(name) != after[name]]
    return [_DATES[name][0 if after[name] else 1] for name in changed]


def _is_shown(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return name in FIELDS and name not in _HIDDEN and before.get(name) != after[name]


def _difference(name: str, before: Mapping[str, Any], after: Mapping[str, Any], titles: tuple[str, str]) -> Html:
    documents = [_document(name, values.get(name)) for values in (before, after)]
    one, other = (_text(name, document) for document in documents)
    table = diff_table(one, other, titles, code=name == "answer_template", aligned=any(map(is_record, documents)))
    title = FIELDS[name]
    return join_html([tag("div", title[:1].upper() + title[1:], class_="field-label"), table])


def _document(name: str, value: Any) -> Any:
    """Value of a column, parsed where it is JSON."""
    document = json.loads(value) if name in _DOCUMENTS and isinstance(value, str) else value
    if name == "trait_edits":
        return [edit["values"] for edit in document or () if "values" in edit]
    return document


def _text(name: str, document: Any) -> str:
    """Parsed value of a column for a reader."""
    if name == "finished":
        return "finished" if document else "unfinished"
    if name == "custom_metadata" and isinstance(document, dict):
        return _metadata_text(document)
    return record_text(document, titled=name not in ("custom_properties", "manual_traces"))


def _metadata_text(metadata: dict[str, Any]) -> str:
    """Metadata and sample answers of a question, a line each."""
    samples = samples_in(metadata)
    rest = {name: value for name, value in metadata.items() if samples is None or name != SAMPLE_ANSWERS}
    return "\n".join(
        [*map(_entry_line, rest.items()), *(line for sample in samples or () for line in _sample_lines(sample))]
    )


def _sample_lines(sample: SampleAnswer) -> list[str]:
    expected = "should pass" if sample.passes else "should fail"
    items = (sample.values or {}).items()
    values = [f"  {name}: {'not stated' if value is None else format_value(value)}" for name, value in items]
    source = [f"  Source: {sample.origin}"] if sample.origin else []
    return [f"Sample answer, {KIND_TITLES[sample.kind].lower()}, {expected}:", f"  {sample.text}", *values, *source]


def _entry_line(item: tuple[str, Any]) -> str:
    name, value = item
    return f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


_DOCUMENTS = {
    *("keywords", "author", "sources", "question_rubric", "trait_edits"),
    *("few_shot_examples", "custom_metadata"),
    *("creator", "rubric", "custom_properties", "config", "manual_traces"),
}
"""Columns that hold JSON."""
