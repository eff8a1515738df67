"""Template fields as form controls, and conversion of their text to values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.kit.number_text import number_in
from karenina_gui.gui.pages.templates.outline_view import expected_value
from karenina_gui.schemas.template import TemplateOutline

Kind = Literal["yes_no", "number", "whole_number", "choice", "list", "text", "json"]
HINTS: dict[Kind, str] = {
    "yes_no": "yes or no",
    "number": "a number",
    "whole_number": "a whole number",
    "choice": "one of the choices",
    "list": "one per line",
    "text": "text",
    "json": "JSON",
}


@dataclass(frozen=True)
class TryField:
    name: str
    kind: Kind
    description: str = ""
    choices: tuple[str, ...] = ()
    expected: str = ""
    """Expected value as the user would type it."""


def fields_of(outline: TemplateOutline) -> list[TryField]:
    """Return the fields that a judge fills, in order."""
    properties = (outline.judge_schema or {}).get("properties") or {}
    made = []
    for field in outline.fields:
        if field.is_trace:
            continue
        schema = _resolve(properties.get(field.name) or {}, outline.judge_schema or {})
        kind = _kind(schema)
        choices = tuple(str(choice) for choice in schema.get("enum") or ()) if kind == "choice" else ()
        right = expected_value(outline, field)
        made.append(TryField(field.name, kind, field.description, choices, format_input(kind, right)))
    return made


def format_input(kind: Kind, value: Any) -> str:
    """Return a value as the text of its control."""
    if value is None:
        return ""
    if kind == "yes_no":
        return "yes" if value else "no"
    if kind == "list" and isinstance(value, list):
        return "\n".join(format_value(item) for item in value)
    return json.dumps(value, ensure_ascii=False) if kind == "json" else str(value)


def value_of(field: TryField, text: str | None) -> Any:
    """Parse the text of a control. None: it is empty. Raises `ValueError` if it does not fit."""
    text = (text or "").strip()
    if not text:
        return None
    if field.kind == "yes_no":
        return text == "yes"
    if field.kind == "list":
        return [line.strip() for line in text.splitlines() if line.strip()]
    if field.kind in ("number", "whole_number"):
        return _number(field, text)
    return _parse_json(field, text) if field.kind == "json" else text


def _number(field: TryField, text: str) -> int | float:
    try:
        value = number_in(text)
    except ValueError as error:
        raise ValueError(f"{field.name}: {error}") from None
    if value is None or (field.kind == "whole_number" and value != int(value)):
        whole, any_number = f"{field.name}: “{text}” is not a whole number.", f"{field.name}: “{text}” is not a number."
        raise ValueError(whole if field.kind == "whole_number" else any_number)
    return value


def _parse_json(field: TryField, text: str) -> Any:
    try:
        # Python also parses NaN and Infinity, which are not JSON.
        return json.loads(text, parse_constant=_reject_constant)
    except ValueError:
        raise ValueError(f"{field.name}: “{text}” is not valid JSON.") from None


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _kind(schema: dict[str, Any]) -> Kind:
    if schema.get("enum") and all(isinstance(choice, str) for choice in schema["enum"]):
        return "choice"
    items = schema.get("items")
    if schema.get("type") == "array" and isinstance(items, dict) and items.get("type") == "string":
        return "list"
    kinds: dict[Any, Kind] = {"boolean": "yes_no", "number": "number", "integer": "whole_number", "string": "text"}
    return kinds.get(schema.get("type"), "json")


def _resolve(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """Resolve a reference or an optional type."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        return dict((root.get("$defs") or {}).get(name) or {})
    options = [option for option in schema.get("anyOf") or () if option.get("type") != "null"]
    return _resolve(options[0], root) if len(options) == 1 else schema
