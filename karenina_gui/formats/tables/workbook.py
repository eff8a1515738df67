"""Workbooks (.xlsx): their sheets, and each sheet's rows as a person sees them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from xml.parsers import expat

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.tables.cell_text import cell_text
from karenina_gui.formats.tables.rows import LARGEST_CELL, BadCell, Cells, Grid
from karenina_gui.formats.tables.workbook_opening import in_plain_words, open_book
from karenina_gui.text import quantity, verb

if TYPE_CHECKING:
    from karenina_gui.formats.tables.openpyxl_internals import ParsedCell, SheetParser

LARGEST_UNPACKED = 512 * 1024**2
"""Bytes."""

LARGEST_SHEET = 4_000_000
"""Cells of one sheet, counted up to the last one in each row."""


@dataclass(frozen=True)
class Sheet:
    name: str
    rows: int
    """Rows with a value in them, the header included."""
    hidden: bool


class Workbook:
    """A workbook, read whole into memory when it is made.

    Raises `FileFormatError`, which says how to mend the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._book = open_book(path, LARGEST_UNPACKED)
        self._sheets: dict[str, Any] = {sheet.title: sheet for sheet in self._book.worksheets}

    def sheets(self) -> list[Sheet]:
        """Sheets in the order of their tabs; charts are none."""
        with in_plain_words(self._path):
            return [
                Sheet(name, self._count(sheet), sheet.sheet_state != "visible") for name, sheet in self._sheets.items()
            ]

    def grid(self, name: str) -> Grid:
        """The sheet's rows, numbered as at its left edge.

        A merged cell counts for each row that it spans. Raises `FileFormatError` if there is no such sheet.
        """
        if name not in self._sheets:
            listed = ", ".join(f"“{each}”" for each in self._sheets)
            message = f"{self._path.name} has no sheet “{name}”. Its sheets are: {listed}."
            raise FileFormatError(message, path=str(self._path))
        from karenina_gui.formats.tables.openpyxl_internals import SheetParser

        with in_plain_words(self._path):
            parser = SheetParser(self._book, self._sheets[name])
            rows = self._rows(parser)
            # After the rows: the file tells of merged cells behind them.
            merged = _spread(rows, parser.merged_ranges)
        filled = [(number, cells) for number, cells in rows if any(cell != "" for cell in cells)]
        hidden = sum(number in parser.hidden_rows for number, _ in filled)
        return Grid(filled, remarks=_remarks(merged, hidden))

    def _rows(self, parser: SheetParser) -> list[tuple[int, Cells]]:
        """Each row up to its last cell with a value."""
        rows: list[tuple[int, Cells]] = []
        size = 0
        for number, found in parser.rows():
            cells: Cells = []
            for cell in found:
                value = _cell(cell, parser)
                if value != "":
                    cells += [""] * (cell["column"] - len(cells))
                    cells[cell["column"] - 1] = value
            size += len(cells)
            # Counted by what is there: the size that a sheet states is often wrong, in both directions.
            if size > LARGEST_SHEET:
                raise FileFormatError(
                    f"A sheet of {self._path.name} has more than {LARGEST_SHEET:,} cells. Save the rows you need "
                    "in a separate workbook.",
                    path=str(self._path),
                )
            rows.append((number, cells))
        return rows

    def _count(self, sheet: Any) -> int:
        from karenina_gui.formats.tables.openpyxl_internals import open_sheet_part

        with open_sheet_part(self._book, sheet) as part:
            return _count_rows(part)


def _cell(cell: ParsedCell, parser: SheetParser) -> str | BadCell:
    where = f"cell {parser.name_of(cell)}"
    if cell["data_type"] == "f":
        return BadCell(
            f"{where} contains a formula without a result; open the file in a spreadsheet program, save it there, and "
            "import it again"
        )
    if cell["data_type"] == "e":
        return BadCell(f"{where} contains {cell['value']}; correct it in the sheet")
    if isinstance(cell["value"], str) and len(cell["value"]) > LARGEST_CELL:
        return BadCell(f"{where} has more than {LARGEST_CELL:,} characters; shorten it in the sheet")
    if isinstance(cell["value"], str | None):
        return cell_text(cell["value"])
    return cell_text(cell["value"], parser.number_format(cell))


def _spread(rows: list[tuple[int, Cells]], ranges: list[Any]) -> int:
    """Put the value of each merged cell into all its rows, in its first column; returns how many spanned rows."""
    numbers = [number for number, _ in rows]
    spread = size = 0
    for area in ranges:
        first, last = bisect_left(numbers, area.min_row), bisect_right(numbers, area.max_row)
        if area.max_row == area.min_row or first >= len(rows) or numbers[first] != area.min_row:
            continue
        place = area.min_col - 1
        value = rows[first][1][place] if place < len(rows[first][1]) else ""
        if value == "":
            continue
        spread += 1
        for _, cells in rows[first + 1 : last]:
            # Where a merged cell is the last one of its row, its column may be far away.
            added = max(0, area.min_col - len(cells))
            if (size := size + 1 + added) > LARGEST_SHEET:
                raise ValueError("too many merged cells")
            cells += [""] * added
            cells[place] = value
    return spread


def _remarks(merged: int, hidden: int) -> list[str]:
    remarks = []
    if merged:
        spans = verb(merged, "it spans", "they span")
        remarks.append(f"{quantity(merged, 'merged cell')}: the value is used for every row {spans}.")
    if hidden:
        remarks.append(f"{quantity(hidden, 'hidden row')}: included in the import.")
    return remarks


def _count_rows(part: IO[bytes]) -> int:
    """Number of rows with a value, counted without reading the values."""
    count, in_row = 0, False
    # Much faster than the library, which makes an object of every cell only to count the rows.
    parser = expat.ParserCreate(namespace_separator=" ")

    def start(name: str, _: Any) -> None:
        nonlocal count, in_row
        # Files that were saved as "Strict Open XML" have other addresses before their names.
        tag = name.rpartition(" ")[2]
        if tag == "row":
            in_row = True
        elif in_row and tag in ("v", "is"):
            count += 1
            in_row = False

    parser.StartElementHandler = start
    parser.ParseFile(part)
    return count
