"""Tables of a template's declarations: fields, patterns, and the judge's input."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from karenina_gui.gui.kit.expected_found import format_value, with_acceptance
from karenina_gui.gui.kit.html import Html, join_html, table, tag
from karenina_gui.gui.pages.templates.comparisons import COMPARISONS, settings_in_words
from karenina_gui.gui.pages.templates.field_kinds import kind_of_type
from karenina_gui.schemas.template import TemplateField, TemplateOutline


def fields_table(outline: TemplateOutline) -> Html | None:
    """Return the table of fields with expected values and comparisons. None: there are no fields."""
    if not outline.fields:
        return None
    weighted = any(field.weight != 1 for field in outline.fields)
    rows = [
        (
            tag("span", tag("code", field.name), tag("div", field.description, class_="hint")),
            _type(field),
            with_acceptance(format_value(expected_value(outline, field)), field.accepts),
            comparison_text(field),
            *([f"{field.weight:g}"] if weighted else []),
        )
        for field in outline.fields
    ]
    headers = ["Field", "Type", "Expected", "Comparison", *(["Weight"] if weighted else [])]
    return table(headers, rows, caption="Template fields", numeric=[4] if weighted else [])


def patterns_table(outline: TemplateOutline) -> Html | None:
    """Return the table of patterns searched in the answer. None: there are no patterns."""
    if not outline.regex:
        return None
    rows = [
        (
            tag("code", name),
            tag("code", str(rule.get("pattern", ""))),
            format_value(rule.get("expected")),
            str(rule.get("match_type", "")),
        )
        for name, rule in outline.regex.items()
        if isinstance(rule, dict)
    ]
    return table(("Name", "Pattern", "Expected", "Match type"), rows, caption="Template patterns")


def judge_view(outline: TemplateOutline, warnings: Sequence[str] = ()) -> Html:
    """Return the judge's input: names, types and descriptions, without expected values.

    `warnings`: about what gives the answer away, shown above it.
    """
    if not outline.needs_judge:
        return tag("p", "Nothing. This template checks the answer directly, without a judge.", class_="hint")
    schema = outline.sent_schema
    judged_fields = [field for field in outline.fields if not field.is_trace]
    rows = [
        (tag("code", field.name), _type(field), _description(field, schema["properties"].get(field.name, {})))
        for field in judged_fields
    ]
    raw = tag("pre", json.dumps(schema, indent=2, ensure_ascii=False), class_="code-block box", tabindex="0")
    return join_html(
        [
            *(tag("p", warning, class_="note note-warn", role="status") for warning in warnings),
            tag(
                "p",
                "The judge sees the question, the answer, and these fields, without expected values.",
                class_="hint",
            ),
            table(("Field", "Type", "Description"), rows, caption="Judge input"),
            tag("details", tag("summary", "Response schema"), raw, class_="more"),
        ]
    )


def _description(field: TemplateField, sent: Mapping[str, Any]) -> Html:
    """Description as it is `sent`, with the hint."""
    hint = tag("div", f"Hint: {field.extraction_hint}", class_="hint") if field.extraction_hint else None
    return join_html([str(sent.get("description") or field.description), hint])


def expected_value(outline: TemplateOutline, field: TemplateField) -> Any:
    """Return the expected value. None: the template's own code decides."""
    return field.ground_truth if field.primitive else (outline.ground_truth or {}).get(field.name)


def comparison(field: TemplateField) -> str:
    """Return the comparison with its settings as code, without those that are empty."""
    if field.primitive is None:
        return "verify()"
    return f"{field.primitive}({', '.join(f'{name}={_setting(value)}' for name, value in _settings(field).items())})"


def comparison_text(field: TemplateField) -> str:
    """Return the comparison with its settings in the words of the form; as code if the form has none for it."""
    if field.primitive is None:
        return "Custom code"
    if field.primitive not in COMPARISONS:
        return comparison(field)
    settings = (f"{title.lower()}: {value}" for title, value in settings_in_words(field.primitive, _settings(field)))
    return "; ".join([COMPARISONS[field.primitive].title, *settings])


def _settings(field: TemplateField) -> dict[str, Any]:
    return {name: value for name, value in field.settings.items() if value not in (None, False, [], {})}


def _type(field: TemplateField) -> Html:
    """Return the kind of a field in the words of the form; its type if the form has none for it."""
    kind = kind_of_type(field.type, field.primitive or "")
    return tag("code", field.type) if kind is None else tag("span", kind.title)


def _setting(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"
