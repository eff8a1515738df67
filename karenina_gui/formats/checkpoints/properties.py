"""JSON-LD `PropertyValue` lists: named values beside an object."""

from __future__ import annotations

from typing import Any

from karenina_gui.formats.checkpoints.json_patch import as_list
from karenina_gui.formats.json_text import parse


def property_value(name: str, value: Any) -> dict[str, Any]:
    """One named value; None is written as a missing `value` key."""
    written = {"@type": "PropertyValue", "name": name}
    return written if value is None else {**written, "value": value}


def values_of(owner: dict[str, Any]) -> dict[str, Any]:
    """{name: value} of an object's additional properties; the first of a name counts, a missing value is None."""
    values: dict[str, Any] = {}
    for entry in as_list(owner.get("additionalProperty")):
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            values.setdefault(entry["name"], entry.get("value"))
    return values


def decode(value: Any) -> Any:
    """The value of a JSON text; anything else, and text that is no JSON, as it stands."""
    if not isinstance(value, str):
        return value
    try:
        return parse(value)
    except (ValueError, RecursionError):
        return value
