"""Conversion of metadata and sources of any shape to rows of text, and back without loss of types."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from karenina_gui.errors import InputError

Record = dict[str, Any]


def to_rows(metadata: dict[str, Any] | None) -> list[Record]:
    """Convert metadata to rows: strings as they are, other values as JSON."""
    return [{"key": key, "value": format_value(value)} for key, value in (metadata or {}).items()]


def from_rows(rows: list[Record], before: dict[str, Any] | None) -> dict[str, Any] | None:
    """Convert rows to metadata, or to None if there are none.

    A value that was not a string stays one of another type while its text is valid JSON. Repeated names get a number
    (see `repeated_names`), so that no value is lost. Raises `InputError` for a value without a name.
    """
    facts: dict[str, Any] = {}
    for key, row in zip(_names(rows), rows, strict=True):
        if not key and str(row.get("value") or "").strip():
            raise InputError(f"Enter a name for “{str(row['value']).strip()[:40]}”. It isn’t saved without one.")
        if key:
            facts[key] = _value(str(row.get("value") or ""), (before or {}).get(key, ""))
    return facts or None


def rows_of_sources(sources: list[Record] | None) -> list[Record]:
    """Convert each source to a row: title, address, and its other properties as one text."""
    return [_source_row(source) for source in sources or []]


def sources_of(rows: list[Record]) -> list[Record] | None:
    """Convert rows to sources, or to None if there are none; unchanged values keep their types."""
    return [_source(row) for row in rows] or None


def _source_row(source: Record) -> Record:
    rest = {name: value for name, value in source.items() if name not in _OF_SOURCES and not name.startswith("@")}
    row = {name: value for name, value in source.items() if name not in rest}
    return {**row, _MORE: _format_properties(rest), _REST: rest} if rest else row


def _source(row: Record) -> Record:
    rest: Record = row.get(_REST) or {}
    text = str(row.get(_MORE) or "")
    plain = {name: value for name, value in row.items() if name not in (_MORE, _REST)}
    return {**plain, **(rest if text == _format_properties(rest) else _parse_properties(text, rest))}


def _format_properties(facts: Record) -> str:
    """Format properties as `doi: 10.1000/182; page: 12`."""
    return "; ".join(f"{name}: {format_value(value)}" for name, value in facts.items())


def _parse_properties(text: str, before: Record) -> Record:
    """Parse properties formatted by `_format_properties`; text without a name becomes `note`."""
    facts: Record = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        name, colon, value = map(str.strip, part.partition(":"))
        # `https://…` also contains a colon, but is no name with a value.
        if colon and name and name not in _OF_SOURCES and not value.startswith("//"):
            facts[name] = _value(value, before.get(name, ""))
        else:
            facts["note"] = f"{facts['note']}; {part}" if "note" in facts else part
    return facts


_OF_SOURCES = ("name", "url")
"""Properties with their own columns."""
_MORE, _REST = "more", "_rest"
"""Keys of a row for its other properties: as text, and as they were before edits."""


def repeated_names(rows: list[Record]) -> dict[int, str]:
    """Warnings by row index (from 0) for names that an earlier row has."""
    names = [_name(row) for row in rows]
    return {
        index: f"“{name}” is already listed, so this value is saved as “{saved}”. Choose another name."
        for index, (name, saved) in enumerate(zip(names, _names(rows), strict=True))
        if name != saved
    }


def _names(rows: list[Record]) -> list[str]:
    """Names under which the rows are saved; empty for a row without a name."""
    taken = {_name(row) for row in rows}
    saved: list[str] = []
    for row in rows:
        name = _name(row)
        if name and name in saved:
            name = next(made for made in (f"{name} ({n})" for n in count(2)) if made not in taken)
            taken.add(name)
        saved.append(name)
    return saved


def _name(row: Record) -> str:
    return str(row.get("key") or "").strip()


def format_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(text: str, before: Any) -> Any:
    if isinstance(before, str):
        return text
    if text == format_value(before):
        return before
    try:
        return json.loads(text)
    except ValueError:
        return text
