"""Tables in files, whatever their kind: CSV and TSV, workbooks, JSON and JSON Lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.formats.tables.column_names import guess_columns, is_known
from karenina_gui.formats.tables.csv_reader import read_delimited
from karenina_gui.formats.tables.json_reader import read_json_rows
from karenina_gui.formats.tables.rows import MOST_COLUMNS, MOST_ROWS, BadCell, Cells, RawTable, RefusedRow, Row, Table
from karenina_gui.formats.tables.workbook import Sheet, Workbook
from karenina_gui.formats.tables.workbook_kinds import is_workbook

__all__ = ["RefusedRow", "Row", "Sheet", "Table", "TableFile", "read_headers", "read_table", "read_text"]

MOST_LINES = 5_000_000
"""Lines of a text file; a row may have several."""
JSON_SUFFIXES = {".json", ".jsonl", ".ndjson"}
LOOKED_AT = 20
"""Rows among which the header is looked for."""

FIRST_ROWS = 25
"""Rows from which a person can choose it."""

LONGEST_NAME = 100
"""Characters; a longer text is no column name."""


class TableFile:
    """A file with a table in it, or a workbook with several.

    Each is read once, however often its header changes. Every call raises `FileFormatError` if the file as a whole
    cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.sheets: list[Sheet] = []
        """Sheets of the workbook; empty for other files."""
        self._grids: dict[str, Table | RawTable | FileFormatError]
        self.sheets, self._grids = read_apart(_read_all, self.path)

    def table(self, sheet: str | None = None, header_row: int | None = None) -> Table:
        """Read a table of the file.

        `sheet` None: the likeliest; `header_row` None: the likeliest, 0: no header.
        """
        name = self.likely_sheet() if sheet is None else sheet
        grid = self._grid(name)
        if isinstance(grid, Table):
            return grid
        if not grid.rows:
            raise FileFormatError(f"{self._name_of(name)} is empty.", path=str(self.path))
        return with_headers(grid, header_row, self.path)

    def likely_sheet(self) -> str:
        """The first visible sheet with columns for question and answer, or else the first with any rows."""
        visible = [sheet.name for sheet in self.sheets if not sheet.hidden and sheet.rows]
        for name in visible:
            # A sheet that cannot be read says so when it is chosen.
            with suppress(FileFormatError):
                guessed = guess_columns(self.table(name).headers)
                if "question" in guessed and "raw_answer" in guessed:
                    return name
        filled = [sheet.name for sheet in self.sheets if sheet.rows]
        return [*visible, *filled, *(sheet.name for sheet in self.sheets), ""][0]

    def _grid(self, name: str) -> Table | RawTable:
        if name not in self._grids:
            listed = ", ".join(f"“{sheet.name}”" for sheet in self.sheets)
            problem = f"no sheet “{name}”. Its sheets are: {listed}" if listed else "no sheets: it is not a workbook"
            raise FileFormatError(f"{self.path.name} has {problem}.", path=str(self.path))
        grid = self._grids[name]
        if isinstance(grid, FileFormatError):
            raise grid
        return grid

    def _name_of(self, sheet: str) -> str:
        return f"The sheet “{sheet}” of {self.path.name}" if sheet else self.path.name


def read_table(path: str | Path, sheet: str | None = None, header_row: int | None = None) -> Table:
    """Read every record of the file; see `TableFile.table`."""
    return TableFile(path).table(sheet, header_row)


def read_headers(path: str | Path) -> list[str]:
    """The column names of the file, in order."""
    return read_table(path).headers


def read_text(path: Path) -> str:
    """The file's text: UTF-8 (with or without BOM), UTF-16 with BOM, or else Windows-1252 or MacRoman."""
    try:
        raw = path.read_bytes()
    except OSError as fault:
        raise FileFormatError(f"{path} cannot be read: {fault.strerror or fault}.", path=str(path)) from fault
    marked = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    encodings = ["utf-16"] if marked else ["utf-8-sig", encoding_of_spreadsheets(raw)]
    for encoding in encodings:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        # These encodings take nearly every byte, so that a file that is no text would be read as one.
        if _CONTROL.search(text) is None or (encoding.startswith("utf") and "\0" not in text):
            return text
    raise FileFormatError(
        f"{path.name} is not text in UTF-8, UTF-16, Windows-1252, or MacRoman. Save it as UTF-8 and try again.",
        path=str(path),
    )


def encoding_of_spreadsheets(raw: bytes) -> str:
    """Encoding in which a spreadsheet program has saved a text that is not UTF-8: `cp1252`, or `mac_roman` on a Mac."""
    try:
        windows = raw.decode("cp1252")
    except UnicodeDecodeError:
        return "mac_roman"
    # In the wrong encoding, letters with accents become characters that texts hardly have.
    mac = len(_FREQUENT.findall(raw.decode("mac_roman")))
    return "mac_roman" if mac > len(_FREQUENT.findall(windows)) else "cp1252"


_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_FREQUENT = re.compile(r"[äöüßÄÖÜéèêëàâáãåæíìîïñóòôõøúùûçœÉŒ‘’“”„–—…«»€£°²³½]|™(?!\w)|•(?=\s)|\b[ŠŽ](?=[a-z])")
"""Characters that are frequent in texts, and in which Windows-1252 and MacRoman differ."""


def _read_all(path: Path) -> tuple[list[Sheet], dict[str, Table | RawTable | FileFormatError]]:
    """Sheets of a workbook, none for other files, and the rows by name of the sheet, or why one cannot be read."""
    if not is_workbook(path):
        return [], {"": _check_size(_read(path), path)}
    book = Workbook(path)
    sheets = book.sheets()
    grids: dict[str, Table | RawTable | FileFormatError] = {}
    for sheet in sheets:
        try:
            grids[sheet.name] = _check_size(book.grid(sheet.name), path)
        except FileFormatError as fault:
            grids[sheet.name] = fault
    return sheets, grids


def _check_size(table: Table | RawTable, path: Path) -> Table | RawTable:
    """The table, unless it has too many rows or columns."""
    if len(table.rows) + len(table.refused) > MOST_ROWS:
        raise FileFormatError(f"{path.name} has more than {MOST_ROWS:,} rows. {_SPLIT}", path=str(path))
    grid_rows = table.rows if isinstance(table, RawTable) else []
    if any(sum(cell != "" for cell in cells) > MOST_COLUMNS for _, cells in grid_rows):
        raise FileFormatError(f"{path.name} has more than {MOST_COLUMNS:,} columns. {_SPLIT}", path=str(path))
    return table


_SPLIT = "Split it into several files."


def _read(path: Path) -> Table | RawTable:
    text = read_text(path)
    if text.count("\n") > MOST_LINES:
        raise FileFormatError(f"{path.name} has more than {MOST_LINES:,} lines. {_SPLIT}", path=str(path))
    kind = path.suffix.lower()
    if not text.strip():
        raise FileFormatError(f"{path.name} is empty.", path=str(path))
    # A .txt file may hold JSON or a table; only a CSV file may begin with a bracket.
    if kind in JSON_SUFFIXES or (kind not in (".csv", ".tsv") and text.lstrip()[0] in "[{"):
        return read_json_rows(text, path)
    return read_delimited(text, path)


def with_headers(grid: RawTable, header_row: int | None, path: Path) -> Table:
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
        first_rows=[(row, [_text(cell) for cell in cells]) for row, cells in grid.rows[:FIRST_ROWS]],
        remarks=list(grid.remarks),
    )


def guess_header_row(grid: RawTable) -> int:
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


def _body(grid: RawTable, header_row: int, width: int) -> tuple[list[tuple[int, Cells]], list[RefusedRow]]:
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
    header = [_text(cell) for cell in names]
    columns: dict[int, str] = {}
    taken: set[str] = set()
    for index in range(max(len(header), max(filled, default=-1) + 1)):
        own = header[index] if index < len(header) else ""
        if not own and index not in filled:
            continue
        name = base = own or f"Column {index + 1}"
        number = 2
        while name in taken or (name != own and name in header):
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
