"""Rows of a file as they stand there, before anybody says which column is what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Unit = Literal["row", "line", "entry"]
"""Kind of a record, by which a person finds it again.

A row of a spreadsheet, a line of a text, an entry of a JSON list.
"""

MOST_ROWS = 200_000
MOST_COLUMNS = 2000
"""Columns with a value that a table may have."""
LARGEST_CELL = 1_000_000
"""Characters of a question’s text, and of a cell in a workbook; spreadsheet programs allow 32,767."""

Cells = list[Any]
"""Texts; JSON values keep their type, and a cell that shows no value is a `BadCell`."""


@dataclass(frozen=True)
class BadCell:
    """A cell that shows no value, such as #N/A; `reason` says where it is and how to mend it."""

    reason: str


@dataclass(frozen=True)
class RefusedRow:
    """A record that could not be used, and why; `row` is its number in the file."""

    row: int
    reason: str


@dataclass(frozen=True)
class Row:
    """One record under the names of its columns."""

    number: int
    """Number as a person counts: in a spreadsheet the number at its left edge, so that a header line is row 1."""
    values: dict[str, Any]

    def value(self, column: str | None) -> Any:
        """The value of a column, or of a path into JSON objects (`answer.text`); None if there is nothing."""
        return None if column is None else _lookup(self.values, column)


@dataclass
class RawTable:
    """Rows that have no column names yet, each with its number; rows without any value are left out."""

    rows: list[tuple[int, Cells]]
    refused: list[RefusedRow] = field(default_factory=list)
    unit: Unit = "row"
    ragged: bool = False
    """True if a row may be longer than the header by mistake, so that a cell too many is refused."""
    remarks: list[str] = field(default_factory=list)
    """One sentence for each thing that a person should know about how it was read."""


@dataclass
class Table:
    """The readable records of a file and its column names, in order of appearance."""

    headers: list[str]
    rows: list[Row]
    refused: list[RefusedRow] = field(default_factory=list)
    unit: Unit = "row"
    header_row: int | None = None
    """Number of the row with the column names; 0: no such row; None: the records name their values themselves."""
    first_rows: list[tuple[int, list[str]]] = field(default_factory=list)
    """The first rows of the file, from which the header row can be chosen; empty where `header_row` is None."""
    remarks: list[str] = field(default_factory=list)


def _lookup(values: Any, column: str) -> Any:
    if isinstance(values, dict):
        # The whole name first: a column may have a dot in its own.
        if column in values:
            return values[column]
        head, dot, rest = column.partition(".")
        return _lookup(values.get(head), rest) if dot else None
    return None
