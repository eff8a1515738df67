"""Form of a trait type from another package, generated from its JSON Schema."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

from karenina_gui.gui.kit.elements import key_values, note
from karenina_gui.gui.pages.rubric.form import TraitForm
from karenina_gui.gui.pages.rubric.kinds import Record
from karenina_gui.gui.pages.rubric.outcome_form import draw_direction
from karenina_gui.gui.pages.rubric.rubric_record import UNSET
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.schemas.rubric import KeptRubricTrait, OtherRubricTrait, misfit_of_type, trait_type

_COMMON = frozenset(OtherRubricTrait.model_fields)
"""Fields of every trait, which have their own controls."""

_NUMBERS = ("integer", "number")


def draw_other(form: TraitForm) -> None:
    kind = trait_type(form.type_name)
    if kind is KeptRubricTrait:
        _draw_unknown_type(form)
        return
    schema = kind.model_json_schema()
    for key, described in schema["properties"].items():
        if key not in _COMMON:
            _draw_field(form, key, shape_of(described, schema.get("$defs", {})))
    draw_direction(form, "")


def shape_of(described: Record, definitions: Record) -> Record:
    """Return a field's schema with references resolved and the None option removed."""
    own = {key: value for key, value in described.items() if key not in ("$ref", "anyOf")}
    if "$ref" in described:
        return {**shape_of(definitions[described["$ref"].rpartition("/")[2]], definitions), **own}
    options = [option for option in described.get("anyOf", ()) if option.get("type") != "null"]
    return {**shape_of(options[0], definitions), **own} if len(options) == 1 else own


def parse_input(text: str, shape: Record) -> Any:
    """Parse the text of a field. Text that does not fit is returned unchanged, and validation rejects it."""
    if shape.get("type") == "string":
        return text
    if _is_lines(shape):
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        # Deeply nested JSON exceeds the recursion limit.
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def format_input(value: Any, shape: Record) -> str:
    """Return a value as the text of its field."""
    if value is None:
        return ""
    if _is_lines(shape) and isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    return f"{value}" if shape.get("type") in _NUMBERS else json.dumps(value, ensure_ascii=False)


def _draw_field(form: TraitForm, key: str, shape: Record) -> None:
    title, hint = str(shape.get("title") or key), str(shape.get("description") or "")
    if shape.get("type") == "boolean":
        form.tick(key, f"{title}: {hint}" if hint else title)
    elif options := shape.get("enum"):
        none = {None: "Not set"} if shape.get("default", key) is None else {}
        form.choice(key, title, {**none, **{option: str(option) for option in options}}, shape.get("default"))
    elif shape.get("type") in _NUMBERS:
        # Empty: the default applies, which is the placeholder.
        form.number(key, title, hint, placeholder=format_input(shape.get("default"), shape), empty=UNSET)
    else:
        _draw_text_field(form, key, title, shape)


def _draw_text_field(form: TraitForm, key: str, title: str, shape: Record) -> None:
    """Draw a text field. Empty: the default applies, which is the placeholder."""
    how = "one per line" if _is_lines(shape) else "" if shape.get("type") == "string" else "as JSON"
    with form.section(title, "; ".join(filter(None, (str(shape.get("description") or ""), how)))):
        form.draw(
            FormField[Record](
                key,
                title,
                kind="area",
                read=lambda values: format_input(values.get(key), shape),
                write=lambda _, text: {key: parse_input(text, shape) if (text or "").strip() else UNSET},
                placeholder=format_input(shape.get("default"), shape),
            )
        )


def _draw_unknown_type(form: TraitForm) -> None:
    """Draw a trait whose type is not installed. It can be renamed and copied, and is saved unchanged."""
    reason = misfit_of_type({**form.values, "type_name": form.type_name})
    note(f"{reason} The trait is preserved, but runs skip it.", "warn")
    rows = [(key, format_input(value, {})) for key, value in form.values.items() if key not in _COMMON]
    if rows:
        with form.section("Settings"), ui.element("div"):
            key_values(rows)


def _is_lines(shape: Record) -> bool:
    return shape.get("type") == "array" and (shape.get("items") or {}).get("type") == "string"
