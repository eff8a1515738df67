"""One form for texts that Unicode calls the same, such as an é in one character or in two."""

from __future__ import annotations

from typing import Any
from unicodedata import normalize


def canonical(value: Any) -> Any:
    """The text in composed form (NFC), also of texts in lists, sets and dicts; anything else unchanged."""
    if isinstance(value, str):
        # The base class: a subclass of an author's may override any method.
        return normalize("NFC", value)
    if isinstance(value, list | tuple | set | frozenset):
        return _like(value, map(canonical, value))
    if isinstance(value, dict):
        return {canonical(key): canonical(item) for key, item in value.items()}
    return value


def _like(value: Any, items: Any) -> Any:
    kind = next(kind for kind in (list, tuple, set, frozenset) if isinstance(value, kind))
    return kind(items)
