"""Conversion of a trait between form values and the stored record.

A form can hold what a record cannot: two classes with one name, a score that is not yet a number, fields of an outcome
that is no longer selected. Data without a form is preserved.
"""

from __future__ import annotations

import json
from copy import deepcopy

from pydantic import ValidationError

from karenina_gui.gui.pages.rubric.kinds import Record, outcome_of
from karenina_gui.gui.pages.rubric.template_fields import rows_of, schema_of
from karenina_gui.schemas.rubric import TRAIT_TYPES, trait_type

LISTS = ("tp_instructions", "tn_instructions")
_TEXTS = ("description", "summary")
_OWN = ("fields", "schema", "opaque_code")


def to_form_values(record: Record) -> Record:
    """Return form values: `kind` as a key; `fields`, `classes` and statements as rows.

    `record` is not changed.
    """
    values = deepcopy(record)
    if "type_name" in values:  # a type from outside has fields of its own
        return values
    if isinstance(values.get("kind"), dict):
        values["schema"] = values["kind"].get("schema") or {}
        values["fields"] = rows_of(values["schema"])
        values["kind"] = "template"
    if isinstance(values.get("classes"), dict):
        values["classes"] = [{"name": name, "description": text} for name, text in values["classes"].items()]
    for key in LISTS:
        if key in values:
            values[key] = [{"text": text} for text in values[key] or ()]
    return values


def to_record(type_name: str, values: Record) -> Record:
    """Return the record, without entries of other outcomes. It may be incomplete, see `rules`."""
    name = str(values.get("name") or "").strip()
    if type_name not in TRAIT_TYPES:
        return {**deepcopy(values), "type_name": type_name, "name": name}
    record = {key: deepcopy(value) for key, value in values.items() if key not in _OWN}
    record["name"] = name
    _drop_empty_texts(record)
    _pack_outcome(record, values)
    _pack_statements(record, values)
    if type_name == "callable" and record.get("source") is not None:
        record.pop("callable_code", None)  # it is made from the source
    return record


def _drop_empty_texts(record: Record) -> None:
    for key in _TEXTS:
        if not str(record.get(key) or "").strip():
            record.pop(key, None)


def _pack_statements(record: Record, values: Record) -> None:
    for key in LISTS:
        if key in record:
            record[key] = [row["text"] for row in text_rows(values, key)]
    if record.get("evaluation_mode", "tp_only") == "tp_only" and not record.get("tn_instructions"):
        record.pop("tn_instructions", None)


def _pack_outcome(record: Record, values: Record) -> None:
    """Set the entries of the outcome in `record` and remove those of other outcomes."""
    kind = record.get("kind")
    if kind == "template":
        schema = schema_of(values.get("fields") or [], values.get("schema") or {})
        record["kind"] = {"type": "template", "schema": schema}
        record["higher_is_better"] = None
        record.pop("deep_judgment_enabled", None)
    if "classes" in record:
        record["classes"] = {row["name"]: row["description"] for row in class_rows(values)}
        if kind != "literal":
            del record["classes"]
    if kind == "literal":  # its range is that of its classes
        record.pop("min_score", None)
        record.pop("max_score", None)


def class_rows(values: Record) -> list[Record]:
    """Return the classes that are not empty, with surrounding spaces removed."""
    rows = [
        {key: str(row.get(key) or "").strip() for key in ("name", "description")} for row in _rows(values, "classes")
    ]
    return [row for row in rows if any(row.values())]


def field_rows(values: Record) -> list[Record]:
    """Return the fields that are not empty."""
    return [row for row in _rows(values, "fields") if str(row.get("name") or row.get("description") or "").strip()]


def text_rows(values: Record, key: str) -> list[Record]:
    """Return the statements that are not empty."""
    rows = [{"text": str(row.get("text") or "").strip()} for row in _rows(values, key)]
    return [row for row in rows if row["text"]]


def is_same_trait(type_name: str, one: Record | None, other: Record | None) -> bool:
    """Return True if two records are the same trait, regardless of notation."""
    if one is None or other is None:
        return one is other
    return _canonical(type_name, one) == _canonical(type_name, other)


def outcome(values: Record) -> str:
    """Return the key of `OUTCOMES` of form values or of a record."""
    return outcome_of(values)


def _canonical(type_name: str, record: Record) -> str:
    try:
        trait = trait_type(type_name).model_validate(record)
    except ValidationError:
        return json.dumps(record, default=str)
    # Classes and fields have an order, which comparing dicts would overlook.
    return trait.model_dump_json()


def _rows(values: Record, key: str) -> list[Record]:
    rows = values.get(key)
    return rows if isinstance(rows, list) else []
