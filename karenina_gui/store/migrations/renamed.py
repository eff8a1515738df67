"""JSON in which ids are replaced, as names or as values, at any depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def renamed(value: Any, new_ids: Mapping[str, str]) -> Any:
    """The value with each id that is a key of `new_ids` replaced."""
    if isinstance(value, dict):
        return {new_ids.get(name, name): renamed(each, new_ids) for name, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, new_ids) for each in value]
    return new_ids.get(value, value) if isinstance(value, str) else value


def with_added(value: Any, new_ids: Mapping[str, Sequence[str]]) -> Any:
    """The value in which what has an id as its name also has the new ids as names."""
    if isinstance(value, list):
        return [with_added(each, new_ids) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {name: with_added(each, new_ids) for name, each in value.items()}
    added = {new: kept[old] for old, ids in new_ids.items() if old in kept for new in ids if new not in kept}
    return kept | added
