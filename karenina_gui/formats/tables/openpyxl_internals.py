"""Private parts of openpyxl, which no other file touches.

Its mode that reads row by row has no public way to formulas without a result, merged cells and hidden rows; the other
mode loads whole sheets. `tests/formats/tables/test_openpyxl_internals.py` holds each name that is used here, and
`pyproject.toml` allows only versions in which they were tried. Import this module late: it loads openpyxl.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, TypedDict

from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._reader import FORMULA_TAG, VALUE_TAG, WorkSheetParser


class ParsedCell(TypedDict):
    row: int
    column: int
    """1-based."""
    value: Any
    data_type: str
    """`f`: a formula without a result, `e`: an error."""
    style_id: int


def open_sheet_part(book: Any, sheet: Any) -> IO[bytes]:
    """The XML of a sheet, as the file has it."""
    part: IO[bytes] = book._archive.open(sheet._worksheet_path)
    return part


class SheetParser(WorkSheetParser):
    """Reader of one sheet, with `rows`, and after them `merged_ranges` and `hidden_rows`."""

    def __init__(self, book: Any, sheet: Any) -> None:
        self._sheet = sheet
        self._part = open_sheet_part(book, sheet)
        super().__init__(
            self._part,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        self._formats: dict[int, str] = {}

    def rows(self) -> Iterator[tuple[int, list[ParsedCell]]]:
        """Number and cells of each row, in their order in the file, which is that of the sheet."""
        with self._part:
            yield from self.parse()

    def parse_cell(self, element: Any) -> dict[str, Any]:
        """The cell; a formula that was never calculated has the type `f`, one that gives an empty text has none."""
        cell = super().parse_cell(element)
        empty_text = cell["data_type"] == "str" and element.find(VALUE_TAG) is not None
        # Programs other than Excel often save formulas without their results.
        if cell["value"] is None and not empty_text and element.find(FORMULA_TAG) is not None:
            cell["data_type"] = "f"
        return cell

    def number_format(self, cell: ParsedCell) -> str:
        style = cell["style_id"]
        if style not in self._formats:
            self._formats[style] = ReadOnlyCell(self._sheet, **cell).number_format or "General"
        return self._formats[style]

    @staticmethod
    def name_of(cell: ParsedCell) -> str:
        """Name of a cell, such as “C12”."""
        return f"{get_column_letter(cell['column'])}{cell['row']}"

    @property
    def merged_ranges(self) -> list[Any]:
        return list(self.merged_cells.mergeCell) if self.merged_cells else []

    @property
    def hidden_rows(self) -> set[int]:
        return {int(row) for row, traits in self.row_dimensions.items() if traits.get("hidden") in ("1", "true")}

    def parse_extensions(self, element: Any) -> None:
        """Ignore extensions and all that follows; the library would warn of everything that it does not know."""

    def parse_formatting(self, element: Any) -> None: ...

    def parse_sheet_protection(self, element: Any) -> None: ...

    def parse_column_dimensions(self, col: Any) -> None: ...
