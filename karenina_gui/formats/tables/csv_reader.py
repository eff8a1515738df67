"""Tables as text: CSV in its dialects, read record by record."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.tables.question_export import EXPORT_HEADERS
from karenina_gui.formats.tables.rejected_rows import REFUSED_HEADERS, unescape
from karenina_gui.formats.tables.rows import MOST_ROWS, Cells, RawTable, RefusedRow

LARGEST_CELL = 2**23
"""Characters in one cell; Python's own limit of 128 Ki is too small for recorded answers."""

LOOKED_AT = 40
"""Number of records from which the delimiter is told."""

DELIMITERS = ",;\t|"

_NAMED_DELIMITER = re.compile(r"sep=(.)\r?\n")
"""A first line that tells spreadsheet programs the delimiter."""


def read_delimited(text: str, path: Path) -> RawTable:
    """The records with their numbers, counted as a spreadsheet program does that opens the file: blank ones too.

    Raises `FileFormatError` if the first record is broken already.
    """
    csv.field_size_limit(LARGEST_CELL)
    named = _NAMED_DELIMITER.match(text)
    if named:
        text = text[named.end() :]
    grid = _grid(text, _dialect(text, path, named and named[1]))
    if grid.refused and grid.refused[0].row == 1:
        raise FileFormatError(
            f"The header row of {path.name} cannot be read: {grid.refused[0].reason}.", path=str(path), row=1
        )
    # A table that this application wrote itself: its apostrophes before formulas are not the person's.
    header = tuple(grid.rows[0][1]) if grid.rows else ()
    if header[:2] == REFUSED_HEADERS or header[: len(EXPORT_HEADERS)] == EXPORT_HEADERS:
        grid.rows = [(number, [unescape(cell) for cell in cells]) for number, cells in grid.rows]
    return grid


def _grid(text: str, dialect: type[csv.Dialect]) -> RawTable:
    grid = RawTable([], ragged=True)
    for number, cells in _records(list(io.StringIO(text, newline="")), dialect):
        if isinstance(cells, str):
            grid.refused.append(RefusedRow(number, cells))
        elif any(cell.strip() for cell in cells):
            grid.rows.append((number, cells))
        if len(grid.rows) > MOST_ROWS:
            break  # whoever reads it says so
    return grid


def _fault_words(fault: csv.Error) -> str:
    if "expected after" in str(fault):
        return "text follows the closing quotation mark of a cell"
    return "a quotation mark is never closed" if "unexpected end" in str(fault) else f"invalid CSV: {fault}"


def _records(lines: list[str], dialect: type[csv.Dialect]) -> Iterator[tuple[int, Cells | str]]:
    """Each record's number and cells, or why it is broken; reading goes on in the line after its first."""
    start = number = 0
    while start < len(lines):
        reader = csv.reader((lines[i] for i in range(start, len(lines))), dialect, strict=True)
        done = 0
        try:
            for cells in reader:
                done = reader.line_num
                number += 1
                yield number, cells
            return
        except csv.Error as fault:
            number += 1
            # From the next line, not the next record: with a quotation mark missing, "the record" would reach to the
            # file's end.
            yield number, f"line {start + done + 1}: {_fault_words(fault)}"
            start += done + 1


def _dialect(text: str, path: Path, named: str | None) -> type[csv.Dialect]:
    """The delimiter that the file names, or that divides the first records most evenly; `.tsv` means tabulators."""
    best = named or ("\t" if path.suffix.lower() == ".tsv" else max(DELIMITERS, key=lambda sign: _fitness(text, sign)))

    class Dialect(csv.excel):
        delimiter = best

    return Dialect


def _fitness(text: str, sign: str) -> tuple[float, int]:
    """Share of the records with the most frequent number of cells above one, and that number."""
    lengths: list[int] = []
    try:
        for cells in islice(csv.reader(io.StringIO(text, newline=""), delimiter=sign), LOOKED_AT):
            lengths += [len(cells)] if cells else []
    except csv.Error:
        pass  # what was read before tells enough
    several = Counter(length for length in lengths if length > 1)
    if not several:
        return 0.0, 0
    length, count = max(several.items(), key=lambda item: (item[1], item[0]))
    return count / len(lengths), length
