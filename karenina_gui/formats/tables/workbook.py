"""Workbooks (.xlsx): their sheets, and each sheet's rows as a person sees them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from xml.parsers import expat

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.tables.rows import LARGEST_CELL, BadCell, Cells, RawTable
from karenina_gui.formats.tables.workbook_opening import in_plain_words, open_book
from karenina_gui.text import quantity, verb
from karenina_gui.text.surrogates import without_surrogates

if TYPE_CHECKING:
    from karenina_gui.formats.tables.openpyxl_internals import ParsedCell, SheetParser

LARGEST_UNPACKED = 512 * 1024**2
"""Bytes."""

LARGEST_SHEET = 4_000_000
"""Cells of one sheet, counted up to the last one in each row."""
MOST_DIGITS = 21
"""Whole numbers with more digits are written with an exponent."""

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_FORMAT_PART = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<skipped>\[[^\]]*\]|_.|\*.)'
    r"|(?P<number>[0#?][0#?,.]*|\.[0#?]+)|(?P<percent>%)|(?P<literal>[ $€£¥+()-])|(?P<other>.)",
    re.DOTALL,
)


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

    def grid(self, name: str) -> RawTable:
        """The sheet's rows, numbered as at its left edge.

        A merged cell counts for each row that it spans. Raises `FileFormatError` if there is no such sheet.
        """
        if name not in self._sheets:
            listed = ", ".join(f"“{sheet}”" for sheet in self._sheets)
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
        return RawTable(filled, remarks=_remarks(merged, hidden))

    def _rows(self, parser: SheetParser) -> list[tuple[int, Cells]]:
        """Each row up to its last cell with a value."""
        rows: list[tuple[int, Cells]] = []
        size = 0
        for number, row in parser.rows():
            cells: Cells = []
            for cell in row:
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
        column = area.min_col - 1
        value = rows[first][1][column] if column < len(rows[first][1]) else ""
        if value == "":
            continue
        spread += 1
        for _, cells in rows[first + 1 : last]:
            # Where a merged cell is the last one of its row, its column may be far away.
            added = max(0, area.min_col - len(cells))
            if (size := size + 1 + added) > LARGEST_SHEET:
                raise ValueError("too many merged cells")
            cells += [""] * added
            cells[column] = value
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


def cell_text(value: Any, number_format: str = "General") -> str:
    """The cell as its sheet shows it, without thousands separators (which differ from country to country).

    Dates in ISO form, numbers with the decimals, signs and units of their format, yes and no as TRUE and FALSE.
    """
    if value is None:
        # Before the numbers: for Python a boolean is one.
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime | date | time | timedelta):
        return _moment(value, number_format)
    return _plain_text(str(value))


def _plain_text(text: str) -> str:
    """The text with control characters that the file writes as “_x000D_” put back."""
    if "_x" in text:
        text = without_surrogates(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))
    return text.replace("\r\n", "\n")


def _number(value: float, number_format: str) -> str:
    shape = _shape(number_format)
    # 15 digits, as spreadsheet programs reckon: what follows them is noise.
    exact = Decimal(value) if isinstance(value, int) else Decimal(format(value, ".15g"))
    return _general(exact) if shape is None else shape.text_of(exact)


def _general(number: Decimal) -> str:
    if number and not -5 <= number.adjusted() < MOST_DIGITS:
        return f"{number.normalize():E}"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True)
class _Shape:
    """Everything that a number format adds to a number."""

    before: str
    after: str
    digits: int
    """Before the decimal point, at least."""
    decimals: tuple[int, int]
    """After it, at least and at most."""
    percent: bool

    def text_of(self, number: Decimal) -> str:
        number = number * 100 if self.percent else number
        least, most = self.decimals
        if number.adjusted() + most > MOST_DIGITS:
            return _general(number)
        # As spreadsheet programs round: Python's own way of 2.5 is 2.
        rounded = number.quantize(Decimal(1).scaleb(-most), rounding=ROUND_HALF_UP)
        whole, _, fraction = format(abs(rounded), "f").partition(".")
        fraction = fraction[:least] + fraction[least:].rstrip("0")
        sign = "-" if rounded < 0 else ""
        return f"{sign}{self.before}{whole.zfill(self.digits)}{'.' if fraction else ''}{fraction}{self.after}"


@lru_cache(maxsize=256)
def _shape(number_format: str) -> _Shape | None:
    """The shape that a number format describes; None for a general format or one of another kind.

    Other kinds are exponents, fractions and thousands.
    """
    parts = _format_parts(number_format)
    # A comma at the end divides by a thousand: the number would not be the one that is stored.
    if parts is None or not parts.digits or parts.digits.endswith(",") or parts.digits.count(".") > 1:
        return None
    whole, _, fraction = parts.digits.partition(".")
    decimals = (fraction.count("0"), sum(sign in "0#?" for sign in fraction))
    return _Shape(parts.before.lstrip(), parts.after.rstrip(), whole.count("0"), decimals, parts.percent)


@dataclass
class _FormatParts:
    """A number format, taken apart."""

    before: str = ""
    digits: str = ""
    """Placeholders for digits, such as `#,##0.00`."""
    after: str = ""
    percent: bool = False


def _format_parts(number_format: str) -> _FormatParts | None:
    """The parts of a format that only adds texts to one number; None for others."""
    parts = _FormatParts()
    # Only the part for positive numbers: the others, behind semicolons, may say anything.
    for part in _FORMAT_PART.finditer(re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', number_format)[0]):
        kind, text = part.lastgroup, part[part.lastgroup or 0]
        if kind == "skipped":
            continue
        if kind == "other" or (kind == "number" and parts.digits):
            return None
        if kind == "number":
            parts.digits = text
        elif parts.digits:
            parts.after += text
        else:
            parts.before += text
        parts.percent = parts.percent or kind == "percent"
    return parts


def _moment(value: date | time | timedelta, number_format: str) -> str:
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, time):
        return _time(value)
    # Texts in quotation marks and conditions in brackets hold letters that mean nothing here.
    signs = set(re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", number_format).lower())
    if not isinstance(value, datetime) or "h" not in signs:
        return _date(value, signs)
    # A moment is stored as a part of a day and comes a few microseconds short; without rounding 10:00 would be 9:59:59.
    rounded = value + timedelta(microseconds=500_000)
    return f"{rounded:%Y-%m-%d} {_time(rounded.time())}"


def _date(value: date, signs: set[str]) -> str:
    """The day, or only the month or the year if the sheet shows no more."""
    if "y" in signs and "d" not in signs:
        return f"{value:%Y-%m}" if "m" in signs else f"{value:%Y}"
    return f"{value:%Y-%m-%d}"


def _time(value: time) -> str:
    return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"
