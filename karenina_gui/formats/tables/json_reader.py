"""Tables as JSON: a list of objects, an object around one, a list of lists, or JSON Lines."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.json_text import TOO_DENSE, is_too_dense, json_fault, parse
from karenina_gui.formats.tables.column_names import KNOWN_NAMES, guess_columns, plain_name
from karenina_gui.formats.tables.rows import MOST_COLUMNS, MOST_ROWS, RawTable, RefusedRow, Row, Table, Unit

MOST_NESTED = 60
"""Names of values inside objects that are offered as columns of their own; more are keys, not names."""


def read_json_rows(text: str, path: Path) -> Table | RawTable:
    """A table from objects, or rows whose header has to be found from a list of lists.

    Raises `FileFormatError` if the text is no JSON with rows in it.
    """
    if is_too_dense(text):
        raise FileFormatError(f"{path.name} {TOO_DENSE}.", path=str(path))
    try:
        whole = parse(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as fault:
        # A `.json` file is meant to be one value, and its own error helps more than one for each line.
        if path.suffix.lower() == ".json" or "\n" not in text.strip():
            raise FileFormatError(f"{path.name} is not valid JSON: {fault}.", path=str(path)) from fault
        return _table(_lines(text), "line", path)
    return _rows_of(whole, path)


def _rows_of(whole: Any, path: Path) -> Table | RawTable:
    remarks: list[str] = []
    entries = _entries(whole, path, remarks)[: MOST_ROWS + 1]  # whoever reads it says that there are more
    if entries and all(isinstance(entry, list) for entry in entries):
        rows = [(number, _cells(entry)) for number, entry in enumerate(entries, 1) if any(_cells(entry))]
        return RawTable(rows, unit="entry", remarks=remarks)
    table = _table([(number, entry, None) for number, entry in enumerate(entries, 1)], "entry", path)
    table.remarks = remarks
    return table


Entry = tuple[int, Any, str | None]
"""Number, value, and what is wrong where it could not be read."""


class _Doubled(dict[str, Any]):
    """An object in which a name stands twice: JSON keeps only one of the values."""

    names: tuple[str, ...] = ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    doubled = _Doubled(members)
    counts = Counter(name for name, _ in pairs)
    doubled.names = tuple(name for name, count in counts.items() if count > 1)
    return doubled


def _lines(text: str) -> list[Entry]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()][: MOST_ROWS + 1]
    # Only line feeds separate records: other line ends of Unicode may stand inside a JSON text.
    return [(number, *_line(line)) for number, line in lines]


def _line(line: str) -> tuple[Any, str | None]:
    try:
        return parse(line, object_pairs_hook=_object), None
    except json.JSONDecodeError as fault:
        return None, f"invalid JSON at character {fault.colno}: {json_fault(fault)}"
    except (ValueError, RecursionError) as fault:
        return None, f"invalid JSON: {fault}"


def _entries(whole: Any, path: Path, remarks: list[str]) -> list[Any]:
    """The list that the file is, or has under one of its names; an object of another kind is one entry."""
    if not isinstance(whole, dict):
        return whole if isinstance(whole, list) else [whole]
    if "dataFeedElement" in whole or whole.get("@type") == "DataFeed":
        raise FileFormatError(
            f"{path.name} is a benchmark file, not a table of questions. Use File > Import benchmark file… instead.",
            path=str(path),
        )
    lists = _lists_of_questions(whole)
    if len(lists) > 1:
        listed = ", ".join(f"“{name}”" for name in lists)
        raise FileFormatError(
            f"{path.name} contains several lists: {listed}. Save the list of questions as a separate file.",
            path=str(path),
        )
    for name, entries in lists.items():
        remarks.append(f"Questions are read from the list “{name}”. Other parts of the file are ignored.")
        return entries
    return [whole]


def _lists_of_questions(whole: dict[str, Any]) -> dict[str, list[Any]]:
    """Lists, by name, of which one has the questions; none if the object is one question by itself."""
    lists = _lists_of_objects(whole)
    named = {name: value for name, value in lists.items() if _is_of_questions(name, value[0])}
    # Sources and examples of a question may be lists, too: none of them is the list of questions.
    return named if named or any(plain_name(name) in KNOWN_NAMES for name in whole) else lists


def _lists_of_objects(whole: dict[str, Any]) -> dict[str, list[Any]]:
    lists = {name: value for name, value in whole.items() if isinstance(value, list) and value}
    return {name: value for name, value in lists.items() if isinstance(value[0], dict)}


def _is_of_questions(name: str, entry: dict[str, Any]) -> bool:
    return "question" in guess_columns([name]) and "question" in guess_columns([*entry])


def _table(entries: list[Entry], unit: Unit, path: Path) -> Table:
    table = Table([], [], unit=unit)
    for number, value, fault in entries:
        if fault or not isinstance(value, dict):
            table.refused.append(RefusedRow(number, fault or f"expected an object, found {_kind(value)}"))
        elif isinstance(value, _Doubled):
            twice = ", ".join(f"“{name}”" for name in value.names)
            table.refused.append(RefusedRow(number, f"duplicate names: {twice}"))
        else:
            table.rows.append(Row(number, value))
    if not table.rows:
        raise FileFormatError(_nothing(table, path), path=str(path))
    table.headers = _headers(table.rows, path)
    return table


def _nothing(table: Table, path: Path) -> str:
    reason = ""
    if table.refused:
        first = table.refused[0]
        reason = f" ({table.unit} {first.row}: {first.reason})"
    return (
        f"{path.name} contains no objects{reason}. Write each question as "
        '{"question": "…", "answer": "…"}, in a list or one per line.'
    )


def _headers(rows: list[Row], path: Path) -> list[str]:
    """The names in their order; behind that of an object stand the names inside it, joined with a dot."""
    names: dict[str, dict[str, None]] = {}
    for row in rows:
        if len(names) > MOST_COLUMNS or len(row.values) > MOST_COLUMNS:
            raise FileFormatError(
                f"{path.name} has more than {MOST_COLUMNS:,} names of columns. Give all objects the same names.",
                path=str(path),
            )
        for name, value in row.values.items():
            nested = names.setdefault(name, {})
            if isinstance(value, dict) and len(nested) <= MOST_NESTED:
                nested.update(dict.fromkeys(value))
    headers: dict[str, None] = {}
    for name, nested in names.items():
        headers[name] = None
        if len(nested) <= MOST_NESTED:
            headers.update(dict.fromkeys(f"{name}.{inner}" for inner in nested))
    return list(headers)


def _cells(entry: list[Any]) -> list[Any]:
    return ["" if cell is None else cell for cell in entry]


def _kind(value: Any) -> str:
    kinds = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return "nothing" if value is None else kinds.get(type(value), "something else")
