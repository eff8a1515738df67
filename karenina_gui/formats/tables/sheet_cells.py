"""Cells of workbooks that this application writes: text stays text, whatever it looks like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

LONGEST = 32_767
"""Characters that Excel takes in one cell."""
FORMULA = (
    r"[\s\x00-\x1f\x7f\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*"
    r"[-=+@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]"
)
"""Pattern of a beginning that a spreadsheet program may take for that of a formula.

Some of them pass over blanks, line feeds, and characters that nobody sees, or read full-width and small signs as plain.
"""
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""Signs that have no place in XML."""


def legal_text(text: str) -> str:
    """The text without the characters that no workbook can hold."""
    return _ILLEGAL.sub("", text)


def text_cell(sheet: Any, text: str) -> Any:
    """A cell with this legal text, which no spreadsheet program takes for a formula."""
    from openpyxl.cell import WriteOnlyCell

    if not re.match(FORMULA, text):
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"  # openpyxl takes what begins with = for a formula
    cell.quotePrefix = True  # and Excel would, once somebody edits it
    return cell


def write_header(sheet: Any, names: Sequence[str]) -> None:
    """Append a row of column names in bold."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    header = [WriteOnlyCell(sheet, value=legal_text(name)) for name in names]
    for cell in header:
        cell.font = Font(bold=True)
        cell.data_type = "s"
    sheet.append(header)


def lay_out(sheet: Any, names: Sequence[str], rows: int, widths: dict[str, int]) -> None:
    """Set the widths of the columns, keep header and first column in sight, and offer filters."""
    from openpyxl.utils import get_column_letter

    for number, name in enumerate(names, 1):
        sheet.column_dimensions[get_column_letter(number)].width = widths.get(name, max(12, min(24, len(name) + 3)))
    sheet.freeze_panes = "B2"
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(names))}{rows + 1}"
