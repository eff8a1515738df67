"""Fields that differ, as tables of both versions."""

from __future__ import annotations

from typing import Any

from karenina_gui.authoring.comparison.differences import FieldDifference, Maker
from karenina_gui.gui.kit.diff_view import colored_python, diff_table
from karenina_gui.gui.kit.html import Html, join_html, tag
from karenina_gui.gui.kit.record_text import is_record, record_text

FIELD_TITLES = {
    "question": "Question",
    "id": "ID",
    "raw_answer": "Reference answer",
    "answer_template": "Template",
    "keywords": "Keywords",
    "answer_notes": "Notes",
    "author": "Author",
    "sources": "Sources",
    "question_rubric": "Question rubric",
    "workspace_path": "Workspace folder",
    "few_shot_examples": "Few-shot examples",
    "sample_answers": "Sample answers",
    "custom_metadata": "Metadata",
    "finished": "Finished",
    "name": "Name",
    "description": "Description",
    "version": "Version",
    "creator": "Creator",
    "rubric": "Traits for every question",
    "custom_properties": "Metadata",
    "scenarios": "Scenarios",
}
_OF_AUTHORS = ("custom_metadata", "custom_properties", "scenarios")
"""Fields whose entries the author has named."""
MAKERS: dict[Maker, str] = {
    "ours": "changed here",
    "theirs": "changed there",
    "both": "conflict: changed on both sides",
}


def field_view(field: FieldDifference, titles: tuple[str, str]) -> Html:
    """Both versions of a field. A conflict is followed by what each side made of the common ancestor."""
    here, there = (_text(field.name, value) for value in (field.here, field.there))
    code, aligned = field.name == "answer_template", is_record(field.here) or is_record(field.there)

    def compare(left: str, right: str, heads: tuple[str, str], label: str) -> Html:
        return _table(diff_table(left, right, heads, code=code, aligned=aligned), label)

    both_versions = compare(here, there, titles, f"{FIELD_TITLES[field.name]}: both versions")
    if field.maker != "both":
        return both_versions
    base = _text(field.name, field.base)
    sides = (
        compare(base, text, ("Common ancestor", title), f"{title} since the common ancestor")
        for text, title in zip((here, there), titles, strict=True)
    )
    return join_html([both_versions, tag("details", tag("summary", "Show the common ancestor"), *sides)])


def entry_view(values: dict[str, Any], title: str) -> Html:
    """All fields of a question that only one version has."""
    rows = (
        tag("tr", tag("th", FIELD_TITLES[name], scope="row"), tag("td", _value(name, value)))
        for name, value in values.items()
    )
    return tag("table", tag("tbody", *rows), class_="compared-entry", aria_label=title)


def _value(name: str, value: Any) -> Html | str:
    text = _text(name, value)
    return tag("code", colored_python(text)) if name == "answer_template" else text


def _table(table: Html, label: str) -> Html:
    return tag("div", table, class_="compared-field", tabindex="0", role="region", aria_label=label)


def _text(name: str, value: Any) -> str:
    if name == "finished":
        return "finished" if value else "unfinished"
    return record_text(value, titled=name not in _OF_AUTHORS)
