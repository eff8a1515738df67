"""Fields of a structured score: conversion between table rows and the stored JSON Schema."""

from __future__ import annotations

import json
from typing import Any

from karenina_gui.gui.kit.number_text import number_in

Record = dict[str, Any]

TYPES = {
    "string": "Text",
    "integer": "Whole number",
    "number": "Number",
    "boolean": "Yes or no",
    "list:string": "List of texts",
    "list:integer": "List of whole numbers",
    "list:number": "List of numbers",
    "list:boolean": "List of yes/no values",
}
"""{type of a row: label}."""

_SHAPE = ("type", "items", "anyOf", "default")
"""Schema keys that the table sets. Others are preserved."""


def rows_of(schema: Record) -> list[Record]:
    """Return a row for each field: `name`, `type`, `optional`, `default` (text), `description`.

    `schema` of a row is the stored schema of its field. It is kept unless the user edits the row.
    """
    properties = schema.get("properties")
    required = schema.get("required") or ()
    fields = properties if isinstance(properties, dict) else {}
    return [_row(name, field, optional=name not in required) for name, field in fields.items()]


def schema_of(rows: list[Record], before: Record) -> Record:
    """Return the schema that the rows describe. Content of `before` other than its fields is preserved."""
    named = [row for row in rows if _name(row)]
    properties = {_name(row): _field(row) for row in named}
    schema = {**before, "properties": properties}
    schema.setdefault("type", "object")
    required = [_name(row) for row in named if not row.get("optional")]
    if set(required) != set(before.get("required") or ()):
        schema["required"] = required
        if not required:
            schema.pop("required", None)
    return schema


def row_problem(row: Record) -> str | None:
    """Return the problem of a row's default. None: it is valid."""
    # A schema from another program may give a required field a default, which stays in the file.
    if not _is_unedited(row) and str(row.get("default") or "").strip() and not row.get("optional"):
        return "only an optional field has one. Select “Optional”, or clear the default."
    try:
        _default(row)
    except ValueError as error:
        return str(error)
    return None


def _row(name: str, field: Any, *, optional: bool) -> Record:
    field = field if isinstance(field, dict) else {}
    row = {
        "name": name,
        "type": _type_of(field),
        "optional": optional,
        "default": _default_text(field.get("default")),
        "description": str(field.get("description") or ""),
    }
    return row | {"schema": field, "as_kept": dict(row)}


def _type_of(field: Record) -> str:
    """Return the type as the form names it, `string` or `list:string`."""
    options = [
        option for option in field.get("anyOf") or () if isinstance(option, dict) and option.get("type") != "null"
    ]
    inner = options[0] if options else field
    kind = str(inner.get("type") or "string")
    return f"list:{(inner.get('items') or {}).get('type') or 'string'}" if kind == "array" else kind


def _field(row: Record) -> Record:
    before = dict(row.get("schema") or {})
    # Schemas from other programs can say more than a row: rewrite only what the user changed.
    if _is_unedited(row):
        field = before
    else:
        field = {key: value for key, value in before.items() if key not in _SHAPE} | _new_schema(row)
    description = str(row.get("description") or "").strip()
    is_described_anew = description != str(before.get("description") or "")
    return _with_description(field, description) if is_described_anew else field


def _is_unedited(row: Record) -> bool:
    """True for a stored field whose type and default nobody has edited."""
    stored = row.get("as_kept") or {}
    return bool(stored) and all(row.get(key) == stored[key] for key in ("type", "optional", "default"))


def _with_description(field: Record, description: str) -> Record:
    others = {key: value for key, value in field.items() if key != "description"}
    return others | ({"description": description} if description else {})


def _new_schema(row: Record) -> Record:
    kind = str(row.get("type") or "string")
    shape: Record = {"type": kind}
    if kind.startswith("list:"):
        shape = {"type": "array", "items": {"type": kind.removeprefix("list:")}}
    if not row.get("optional"):
        return shape
    try:
        default = _default(row)
    except ValueError:
        default = None
    return {"anyOf": [shape, {"type": "null"}], "default": default}


def _default(row: Record) -> Any:
    """Parse the default of a row. None: it has no default.

    Raises `ValueError` if the text does not fit the type.
    """
    text, kind = str(row.get("default") or "").strip(), str(row.get("type") or "string")
    if not text or not row.get("optional"):
        return None
    if kind.startswith("list:"):
        item = {"optional": True, "type": kind.removeprefix("list:")}
        return [_default({**item, "default": part}) for part in text.split(",") if part.strip()]
    if kind == "boolean":
        return _yes_or_no(text)
    return _number(text, whole=kind == "integer") if kind in ("integer", "number") else text


def _yes_or_no(text: str) -> bool:
    if text.casefold() not in ("yes", "no", "true", "false"):
        raise ValueError(f"“{text}” is not yes or no.")
    return text.casefold() in ("yes", "true")


def _number(text: str, *, whole: bool) -> int | float:
    number = number_in(text)
    if number is None or (whole and number != int(number)):
        raise ValueError(f"“{text}” is not a whole number." if whole else f"“{text}” is not a number.")
    return int(number) if whole else number


def _default_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_default_text, value))
    return value if isinstance(value, str) else json.dumps(value)


def _name(row: Record) -> str:
    return str(row.get("name") or "").strip()
