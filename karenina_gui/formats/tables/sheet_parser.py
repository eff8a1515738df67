"""Reader of one sheet, made of openpyxl's, that tells more than its cells alone do.

It tells of formulas without a result, merged cells and hidden rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def sheet_parser(book: Any, sheet: Any) -> Any:
    """A parser of this sheet with `rows`, and after them `merged_ranges` and `hidden_rows`."""
    from openpyxl.cell.read_only import ReadOnlyCell
    from openpyxl.utils import get_column_letter

    # The library has no public way to these facts in its mode that reads row by row; the other mode loads whole sheets.
    from openpyxl.worksheet._reader import FORMULA_TAG, VALUE_TAG, WorkSheetParser

    class SheetParser(WorkSheetParser):
        def __init__(self) -> None:
            self._part = book._archive.open(sheet._worksheet_path)
            super().__init__(
                self._part,
                sheet._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            self._formats: dict[Any, str] = {}

        def rows(self) -> Iterator[tuple[int, list[dict[str, Any]]]]:
            """Number and cells of each row, in their order in the file, which is that of the sheet."""
            with self._part:
                yield from self.parse()

        def parse_cell(self, element: Any) -> dict[str, Any]:
            """The cell; a formula that was never calculated has the type `f`, one that gives an empty text has none."""
            cell: dict[str, Any] = super().parse_cell(element)
            empty_text = cell["data_type"] == "str" and element.find(VALUE_TAG) is not None
            # Programs other than Excel often save formulas without their results.
            if cell["value"] is None and not empty_text and element.find(FORMULA_TAG) is not None:
                cell["data_type"] = "f"
            return cell

        def number_format(self, cell: dict[str, Any]) -> str:
            style = cell["style_id"]
            if style not in self._formats:
                self._formats[style] = ReadOnlyCell(sheet, **cell).number_format or "General"
            return self._formats[style]

        def name_of(self, cell: dict[str, Any]) -> str:
            """Name of a cell, such as `C12`."""
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

    return SheetParser()
