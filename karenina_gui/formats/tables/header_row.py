"""The row with the column names: found, and put over the rows below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.tables.column_names import is_known
from karenina_gui.formats.tables.rows import BadCell, Cells, Grid, RefusedRow, Row, Table

LOOKED_AT = 20
"""Rows among which the header is looked for."""

SHOWN = 25
"""Rows from which a person can choose it."""

LONGEST_NAME = 100
"""Characters; a longer text is no column name."""


def with_headers(grid: Grid, header_row: int | None, path: Path) -> Table:
    """The rows below the header under its names.

    `header_row` None: it is guessed, 0: no header. Names that are missing or repeated are made up or told apart by
    numbers. Raises `FileFormatError` if the row holds no names.
    """
    number = guess_header_row(grid) if header_row is None else header_row
    names = next((cells for row, cells in grid.rows if row == number), [])
    if number and not names:
        raise FileFormatError(f"Row {number} of {path.name} contains no column names.", path=str(path), row=number)
    body, refused = _body(grid, number, len(names))
    columns = _columns(names, _columns_with_values(body))
    return Table(
        headers=list(columns.values()),
        rows=[Row(row, _by_column(cells, columns)) for row, cells in body],
        refused=refused,
        unit=grid.unit,
        header_row=number,
        first_rows=[(row, [_text(cell) for cell in cells]) for row, cells in grid.rows[:SHOWN]],
        remarks=list(grid.remarks),
    )


def guess_header_row(grid: Grid) -> int:
    """The row with most names that are known for columns, or else the first one as wide as the table is; 0: none."""
    first = grid.rows[:LOOKED_AT]
    if not first:
        return 0
    # The number is negative so that the first of several equal rows wins.
    most, row = max((_known_names(cells), -row) for row, cells in first)
    # One known word may stand in a title such as "Answers of March"; two make a header.
    if most >= 2:
        return -row
    width = max(_usual_width(first), min(2, max(_count(cells) for _, cells in first)))
    row, cells = next((row, cells) for row, cells in first if _count(cells) >= width)
    return 0 if most == 0 and _is_data(cells) else row


def _known_names(cells: Cells) -> int:
    return sum(is_known(_text(cell)) for cell in cells)


def _is_data(cells: Cells) -> bool:
    """Check for a long text or a question: a file whose first full row holds one has no header at all."""
    return any(_is_no_name(_text(cell)) for cell in cells)


def _is_no_name(text: str) -> bool:
    return len(text) > LONGEST_NAME or (text.endswith("?") and len(text.split()) > 2)


def _body(grid: Grid, header_row: int, width: int) -> tuple[list[tuple[int, Cells]], list[RefusedRow]]:
    """The rows below the header, and those that cannot be used; `width` 0: the header does not tell it."""
    body = [(row, cells) for row, cells in grid.rows if row > header_row]
    refused = [row for row in grid.refused if row.row > header_row]
    # Only text files are ragged by mistake; a workbook has cells wherever somebody once clicked.
    if grid.ragged:
        body, too_long = _split_by_width(body, width or _usual_width(body))
        refused = sorted([*refused, *too_long], key=lambda row: row.row)
    return body, refused


def _usual_width(rows: Sequence[tuple[int, Cells]]) -> int:
    """The number of cells that most rows fill; the larger one if two are as frequent."""
    counts = Counter(_count(cells) for _, cells in rows)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def _count(cells: Cells) -> int:
    return sum(isinstance(cell, BadCell) or bool(_text(cell)) for cell in cells)


def _split_by_width(rows: list[tuple[int, Cells]], width: int) -> tuple[list[tuple[int, Cells]], list[RefusedRow]]:
    """The rows that fit, and those with a value beyond the last column."""
    fitting, refused = [], []
    for row, cells in rows:
        if any(_text(cell) for cell in cells[width:]):
            reason = f"it has {len(cells)} cells, but there are {width} columns; a quotation mark may be missing"
            refused.append(RefusedRow(row, reason))
        else:
            fitting.append((row, cells))
    return fitting, refused


def _columns_with_values(rows: list[tuple[int, Cells]]) -> set[int]:
    """Columns with a value in any row."""
    filled: set[int] = set()
    for _, cells in rows:
        filled.update(index for index, cell in enumerate(cells) if index not in filled and cell != "")
    return filled


def _columns(names: Cells, filled: set[int]) -> dict[int, str]:
    """{index: name} of the columns that have a name or a value."""
    given = [_text(cell) for cell in names]
    columns: dict[int, str] = {}
    taken: set[str] = set()
    for index in range(max(len(given), max(filled, default=-1) + 1)):
        own = given[index] if index < len(given) else ""
        if not own and index not in filled:
            continue
        name = base = own or f"Column {index + 1}"
        number = 2
        while name in taken or (name != own and name in given):
            name = f"{base} ({number})"
            number += 1
        taken.add(name)
        columns[index] = name
    return columns


def _by_column(cells: Cells, columns: dict[int, str]) -> dict[str, object]:
    width = len(cells)
    return {name: cells[index] if index < width else "" for index, name in columns.items()}


def _text(cell: object) -> str:
    """A cell as a name, in one line; empty if unreadable."""
    return "" if cell is None or isinstance(cell, BadCell) else " ".join(str(cell).split())
