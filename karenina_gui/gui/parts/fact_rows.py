"""Facts of any shape as lines of name and text, and back without changing what nobody touched."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from karenina_gui.errors import InputError

Record = dict[str, Any]


def to_rows(metadata: dict[str, Any] | None) -> list[Record]:
    """Texts as they stand; everything else as JSON."""
    return [{"key": key, "value": written(value)} for key, value in (metadata or {}).items()]


def from_rows(rows: list[Record], before: dict[str, Any] | None) -> dict[str, Any] | None:
    """The lines as metadata; None: there is none. A value that was no text stays none while its line is JSON.

    A name that stands in several lines gets a number from the second on (see `repeated_names`), so that no value is
    lost. Errors: `InputError` for a value without a name.
    """
    facts: dict[str, Any] = {}
    for key, row in zip(_names(rows), rows, strict=True):
        if not key and str(row.get("value") or "").strip():
            raise InputError(f"Enter a name for “{str(row['value']).strip()[:40]}”. It isn’t saved without one.")
        if key:
            facts[key] = _value(str(row.get("value") or ""), (before or {}).get(key, ""))
    return facts or None


def rows_of_sources(sources: list[Record] | None) -> list[Record]:
    """A line for each source: title and address, and all else that is known of it in one text."""
    return [_source_row(source) for source in sources or []]


def sources_of(rows: list[Record]) -> list[Record] | None:
    """The sources of these lines; None: there is none. What nobody touched keeps its type."""
    return [_source(row) for row in rows] or None


def _source_row(source: Record) -> Record:
    rest = {name: value for name, value in source.items() if name not in _OF_SOURCES and not name.startswith("@")}
    row = {name: value for name, value in source.items() if name not in rest}
    return {**row, _MORE: _in_one(rest), _REST: rest} if rest else row


def _source(row: Record) -> Record:
    rest: Record = row.get(_REST) or {}
    text = str(row.get(_MORE) or "")
    plain = {name: value for name, value in row.items() if name not in (_MORE, _REST)}
    return {**plain, **(rest if text == _in_one(rest) else _apart(text, rest))}


def _in_one(facts: Record) -> str:
    """`doi: 10.1000/182; page: 12`"""
    return "; ".join(f"{name}: {written(value)}" for name, value in facts.items())


def _apart(text: str, before: Record) -> Record:
    """The facts in a text as `_in_one` writes it; one without a name is a `note`."""
    facts: Record = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        name, colon, value = map(str.strip, part.partition(":"))
        if colon and name and name not in _OF_SOURCES and not value.startswith("//"):
            facts[name] = _value(value, before.get(name, ""))
        else:
            facts["note"] = f"{facts['note']}; {part}" if "note" in facts else part
    return facts


_OF_SOURCES = ("name", "url")
"""What has a column of its own."""
_MORE, _REST = "more", "_rest"
"""Of a line: all else in one text, and as it was before anybody typed."""


def repeated_names(rows: list[Record]) -> dict[int, str]:
    """A sentence for each line (from 0) whose name an earlier line has already."""
    names = [_name(row) for row in rows]
    return {
        index: f"“{name}” is already listed, so this value is saved as “{kept}”. Choose another name."
        for index, (name, kept) in enumerate(zip(names, _names(rows), strict=True))
        if name != kept
    }


def _names(rows: list[Record]) -> list[str]:
    """The names under which the lines are kept; nothing where a line has none."""
    taken = {_name(row) for row in rows}
    kept: list[str] = []
    for row in rows:
        name = _name(row)
        if name and name in kept:
            name = next(made for made in (f"{name} ({n})" for n in count(2)) if made not in taken)
            taken.add(name)
        kept.append(name)
    return kept


def _name(row: Record) -> str:
    return str(row.get("key") or "").strip()


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
