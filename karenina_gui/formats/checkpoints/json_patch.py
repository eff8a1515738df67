"""Writing a change into a file's own JSON without touching anything else.

`old` and `new` are what we would write for the noun as it was read and as it is now. Only where they differ is the
file's JSON changed; keys and properties that we do not know stay as they are.
"""

from __future__ import annotations

import json
from typing import Any

MISSING = object()


def overlay(source: Any, old: Any, new: Any) -> Any:
    """`source` with the difference between `old` and `new` applied.

    `MISSING` as a result means: leave the key out.
    """
    if new is MISSING:
        return source if old is MISSING else MISSING
    if old is not MISSING and same_in_order(old, new):
        return source
    if isinstance(new, dict):
        return _object(source, old, new)
    if _are_properties(new) or _are_properties(old):
        return _properties(as_list(source), as_list(old), as_list(new))
    return new


def same_in_order(old: Any, new: Any) -> bool:
    """Check for equal values with their keys in the same order: the classes of a trait count by their place."""
    return bool(old == new) and (not isinstance(new, dict | list) or json.dumps(old) == json.dumps(new))


def as_list(value: Any) -> list[Any]:
    """A list as it stands; one object as a list of one (JSON-LD allows both); anything else as an empty list."""
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, dict) else []


def _object(source: Any, old: Any, new: dict[str, Any]) -> Any:
    # JSON-LD allows a list where one object is meant; the first counts, and the others are not ours.
    if isinstance(source, list) and source and isinstance(source[0], dict):
        return [overlay(source[0], old, new), *source[1:]]
    if not isinstance(source, dict):  # there is nothing, or the same written as text
        return new
    return _members(source, old if isinstance(old, dict) else {}, new)


def _members(source: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    result = dict(source)
    for key in [*new, *(key for key in old if key not in new)]:
        value = overlay(source.get(key, MISSING), old.get(key, MISSING), new.get(key, MISSING))
        if value is MISSING:
            result.pop(key, None)
        # In a property the order can matter: the classes of a trait are such a value.
        elif key == "value" and new.get("@type") == "PropertyValue":
            result[key] = _in_order(value, new[key])
        else:
            result[key] = value
    return result


def _in_order(value: Any, new: Any) -> Any:
    """The value of a property with its keys in the order of `new`; those that only the file knows come last."""
    if not isinstance(value, dict) or not isinstance(new, dict):
        return value
    keys = [*(key for key in new if key in value), *(key for key in value if key not in new)]
    return {key: _in_order(value[key], new.get(key)) for key in keys}


def _properties(source: list[Any], old: list[Any], new: list[Any]) -> list[Any]:
    """Named values: each is changed in place, removed, or appended; the first of a name counts."""
    before, after = _by_name(old), _by_name(new)
    ours = before.keys() | after.keys()
    result: list[Any] = []
    seen: set[str] = set()
    for entry in source:
        name = _name_of(entry)
        if name is None or name in seen or name not in ours:
            result.append(entry)
            continue
        seen.add(name)
        value = overlay(entry, before.get(name, MISSING), after.get(name, MISSING))
        if value is not MISSING:
            result.append(value)
    changed = [name for name in after if name not in seen and before.get(name, MISSING) != after[name]]
    return result + [after[name] for name in changed]


def _name_of(entry: Any) -> str | None:
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


def _by_name(properties: list[Any]) -> dict[str, Any]:
    return {entry["name"]: entry for entry in properties}


def _are_properties(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(entry, dict) and entry.get("@type") == "PropertyValue" for entry in value)
    )
