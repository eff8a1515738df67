"""Tables in files: CSV in its dialects, JSON Lines, and JSON lists of objects, as headed rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError

LARGEST_CELL = 2**27
"""Characters in one CSV cell; Python's own limit of 128 Ki is too small for recorded answers."""

LOOKED_AT = 40
"""Lines from which the delimiter of a CSV file is told."""

DELIMITERS = ",;\t|"
JSON_SUFFIXES = {".json", ".jsonl", ".ndjson"}


@dataclass(frozen=True)
class Row:
    """One record; `number` is 1-based and counts records, without the header line."""

    number: int
    values: dict[str, Any]
    """CSV cells are texts; JSON values keep their type."""


@dataclass(frozen=True)
class RefusedRow:
    """A record that could not be used, and why."""

    row: int
    reason: str


@dataclass
class Table:
    """The readable records of a file and its column names, in order of appearance."""

    headers: list[str]
    rows: list[Row]
    refused: list[RefusedRow] = field(default_factory=list)


def read_table(path: str | Path) -> Table:
    """Every record of the file. Errors: `FileFormatError` where the file as a whole cannot be read."""
    path = Path(path)
    text = read_text(path)
    kind = path.suffix.lower()
    if not text.strip():
        raise FileFormatError(f"{path.name} is empty.", path=str(path))
    if kind in JSON_SUFFIXES or (kind not in (".csv", ".tsv") and text.lstrip()[0] in "[{"):
        return _read_json_rows(text, path)
    return _read_csv(text, path)


def read_headers(path: str | Path) -> list[str]:
    """The column names of the file, in order."""
    return read_table(path).headers


def read_text(path: Path) -> str:
    """The file's text: UTF-8 (with or without BOM), UTF-16 with BOM, or else Windows-1252."""
    try:
        raw = path.read_bytes()
    except OSError as fault:
        raise FileFormatError(f"{path} cannot be read: {fault.strerror or fault}.", path=str(path)) from fault
    encodings = ["utf-16"] if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise FileFormatError(
        f"{path.name} is no text in UTF-8, UTF-16 or Windows-1252. Save it as UTF-8 and try again.", path=str(path)
    )


def _read_csv(text: str, path: Path) -> Table:
    csv.field_size_limit(LARGEST_CELL)
    records = _records(list(io.StringIO(text, newline="")), _dialect(text, path))
    first: Any = next(records, [])
    headers = [name.strip() for name in first] if isinstance(first, list) else []
    _check_headers(headers, path)
    table = Table(headers, [])
    for number, cells in enumerate(records, 1):
        if isinstance(cells, str):
            table.refused.append(RefusedRow(number, cells))
        elif any(cell.strip() for cell in cells[len(headers) :]):
            reason = f"it has {len(cells)} cells, but there are {len(headers)} columns; is a quotation mark missing?"
            table.refused.append(RefusedRow(number, reason))
        else:
            padded = [*cells, *[""] * (len(headers) - len(cells))]
            table.rows.append(Row(number, dict(zip(headers, padded, strict=False))))
    return table


def _records(lines: list[str], dialect: type[csv.Dialect]) -> Iterator[Any]:
    """The cells of each record, or a text that says why it is broken; reading goes on in the line after its first."""
    start = 0
    while start < len(lines):
        reader = csv.reader((lines[i] for i in range(start, len(lines))), dialect, strict=True)
        done = 0
        try:
            for cells in reader:
                done = reader.line_num
                if any(cell.strip() for cell in cells):
                    yield cells
            return
        except csv.Error as fault:
            yield f"it is not readable as CSV (line {start + done + 1}): {fault}"
            start += done + 1


def _dialect(text: str, path: Path) -> type[csv.Dialect]:
    """The delimiter that divides the first lines evenly, or else that the header line has most of; `.tsv` means
    tabulators."""
    best = "\t" if path.suffix.lower() == ".tsv" else max(DELIMITERS, key=lambda sign: _fitness(text, sign))

    class Dialect(csv.excel):
        delimiter = best

    return Dialect


def _fitness(text: str, sign: str) -> tuple[bool, float, int]:
    """Whether the header has the sign outside quotation marks, the share of even lines, and how often it has it."""
    header = "".join(text.lstrip("\r\n").split("\n", 1)[0].split('"')[::2])
    count = header.count(sign)
    if not count:
        return False, 0.0, 0
    lengths = []
    try:
        for cells in csv.reader(islice(io.StringIO(text, newline=""), LOOKED_AT), delimiter=sign):
            lengths += [len(cells)] if cells else []
    except csv.Error:
        return True, 0.0, count
    return True, lengths.count(lengths[0]) / len(lengths), count


def _check_headers(headers: list[str], path: Path) -> None:
    if not any(headers):
        raise FileFormatError(f"{path.name} has no header line with column names.", path=str(path), row=1)
    repeated = sorted({name for name in headers if name and headers.count(name) > 1})
    if repeated:
        raise FileFormatError(
            f"{path.name} has several columns of the name {repeated[0]!r}. Give each column a name of its own.",
            path=str(path),
            row=1,
        )


def _read_json_rows(text: str, path: Path) -> Table:
    table = Table([], [])
    for number, (value, fault) in enumerate(_json_values(text, path), 1):
        if fault or not isinstance(value, dict):
            table.refused.append(RefusedRow(number, fault or "it is not an object with named values"))
            continue
        table.rows.append(Row(number, value))
    table.headers = list(dict.fromkeys(name for row in table.rows for name in row.values))
    if not table.rows:
        reason = f" (row 1: {table.refused[0].reason})" if table.refused else ""
        raise FileFormatError(f"{path.name} holds no objects to read{reason}.", path=str(path))
    return table


def _json_values(text: str, path: Path) -> list[tuple[Any, str | None]]:
    """(value, None) or (None, what is wrong with it): the members of one list, or one value a line."""
    try:
        whole = json.loads(text)
        return [(value, None) for value in (whole if isinstance(whole, list) else [whole])]
    except (ValueError, RecursionError) as fault:
        if path.suffix.lower() == ".json":
            raise FileFormatError(f"{path.name} is not valid JSON: {fault}.", path=str(path)) from fault
    # Only line feeds separate records: other line ends of Unicode may stand inside a JSON text.
    return [_json_line(line) for line in text.split("\n") if line.strip()]


def _json_line(line: str) -> tuple[Any, str | None]:
    try:
        return json.loads(line), None
    except (ValueError, RecursionError) as fault:
        return None, f"it is not valid JSON: {fault}"
