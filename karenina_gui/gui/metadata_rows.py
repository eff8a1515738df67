"""Facts of any shape as lines of name and text, and back without changing what nobody touched."""

from __future__ import annotations

import json
from typing import Any

Record = dict[str, Any]


def to_rows(metadata: dict[str, Any] | None) -> list[Record]:
    """Texts as they stand; everything else as JSON."""
    return [{"key": key, "value": written(value)} for key, value in (metadata or {}).items()]


def from_rows(rows: list[Record], before: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the lines say; None: no line has a name. A value that was no text stays none while its line is JSON."""
    facts: dict[str, Any] = {}
    for row in rows:
        key = str(row.get("key") or "").strip()
        if key:
            facts[key] = _value(str(row.get("value") or ""), (before or {}).get(key, ""))
    return facts or None


def written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(text: str, before: Any) -> Any:
    if isinstance(before, str):
        return text
    if text == written(before):
        return before
    try:
        return json.loads(text)
    except ValueError:
        return text
