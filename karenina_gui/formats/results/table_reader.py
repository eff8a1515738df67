"""Results out of tables: CSV as upstream and we write it, also after a spreadsheet has saved it, and our workbooks."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.results.csv_writer import plain_cell
from karenina_gui.formats.results.json_reader import ReadRow
from karenina_gui.formats.results.table_row_reader import NEEDED, result_of_cells
from karenina_gui.formats.results.xlsx_writer import read_workbook
from karenina_gui.formats.tables.table_reader import encoding_of_spreadsheets
from karenina_gui.schemas.results_file import FileShape

LARGEST_CELL = 2**27
"""Characters in one CSV cell; Python's own limit of 128 Ki is too small for long answers."""

LONGEST_HEADER = 1_000_000
"""Characters of the first line, which is read whole to see if it has the columns of results."""

OUR_MARK = "completed_without_errors"
"""A column that only our tables have; only they are escaped."""


class TableResults:
    """Reads a table of results; `shape` and `head` are known once the first row is read."""

    def __init__(self, path: Path, *, workbook: bool = False) -> None:
        self._path = path
        self.shape: FileShape = "workbook" if workbook else "table"
        self.head: dict[str, Any] = {}

    def rows(self) -> Iterator[ReadRow]:
        """The results, one after the other.

        Raises `FileFormatError` for a table without the columns of results.
        """
        try:
            yield from self._rows()
        except OSError as fault:
            raise self._error(f"{self._path} cannot be read: {fault.strerror or fault}.") from fault
        except (UnicodeError, csv.Error) as fault:
            raise self._error(f"{self._path.name} is not a readable text table: {fault}.") from fault

    def _rows(self) -> Iterator[ReadRow]:
        records = read_workbook(self._path) if self.shape == "workbook" else _records(self._path)
        headers = self._headers(next(records, []))
        # Upstream writes texts as they are: an apostrophe at their beginning is part of the answer.
        escaped = self.shape != "workbook" and OUR_MARK in headers
        for number, cells in enumerate(records, 1):
            try:
                yield ReadRow(number, None, result_of_cells(_by_column(headers, cells, escaped)))
            except ValueError as fault:
                yield ReadRow(number, None, None, str(fault))

    def _headers(self, cells: Sequence[str]) -> list[str]:
        """The names of the columns, which also tell the shape."""
        headers = [name.strip() for name in cells]
        if missing := [name for name in NEEDED if name not in headers]:
            raise self._error(f"{self._path.name} is not a table of results: it has no column “{missing[0]}”.")
        if self.shape == "table" and "row_index" in headers:
            self.shape = "facade_table"
        return headers

    def _error(self, message: str) -> FileFormatError:
        return FileFormatError(message, path=str(self._path))


def _by_column(headers: Sequence[str], cells: Sequence[str], escaped: bool) -> dict[str, str]:
    if any(cell.strip() for cell in cells[len(headers) :]):
        raise ValueError(
            f"it has {len(cells)} cells, but there are {len(headers)} columns; a quotation mark may be missing"
        )
    texts = map(plain_cell, cells) if escaped else cells
    # A workbook leaves out empty cells at the end of a row.
    return dict.fromkeys(headers, "") | dict(zip(headers, texts, strict=False))


def _records(path: Path) -> Iterator[list[str]]:
    """Every line with a cell that is not empty."""
    csv.field_size_limit(LARGEST_CELL)
    with path.open(newline="", encoding=_encoding(path)) as file:
        first = file.readline(LONGEST_HEADER + 1)
        if len(first) > LONGEST_HEADER:
            raise FileFormatError(f"{path.name} is not a table of results: its first line is too long.", path=str(path))
        file.seek(0)
        # Spreadsheets of other countries save CSV with semicolons; the header has no other signs of the kind.
        delimiter = max(",;\t", key=first.count)
        for cells in csv.reader(file, delimiter=delimiter):
            if any(cells):
                yield cells


def _encoding(path: Path) -> str:
    """Encoding of the file: UTF-8 and UTF-16 by their marks or by trial, else that of spreadsheet programs."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    with path.open("rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
        file.seek(0)
        # In pieces, since the file may be larger than the memory.
        try:
            while part := file.read(1 << 20):
                decoder.decode(part)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return encoding_of_spreadsheets(part)
    return "utf-8-sig"
