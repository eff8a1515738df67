"""Results as CSV, for spreadsheets; a cell that one of them would take for a formula is escaped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from itertools import islice
from typing import IO

from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.formats.results.table_writer import table_lines
from karenina_gui.formats.tables.sheet_cells import FORMULA
from karenina_gui.schemas.result import VerificationResult

_FORMULA = re.compile(rf"'*(?:[\t\r]|{FORMULA})")
_ESCAPED = re.compile(rf"'+(?:[\t\r]|{FORMULA})")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def write_results_csv(
    results: Iterable[VerificationResult], file: IO[bytes], *, run: RunInfo, columns: bool = True
) -> None:
    """Write the results as UTF-8, a line a result. `columns` False: without the line of their names."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
    writer = csv.writer(text)
    for cells in islice(table_lines(results, run), 0 if columns else 1, None):
        # A row has 80 cells, few of them texts, and none but a text can look like a formula.
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    # Without this, the wrapper would close the file, which belongs to the caller.
    text.detach()


def safe_cell(text: str) -> str:
    """The text, with an apostrophe before it if a spreadsheet would take it for a formula; numbers stay.

    A text that itself looks like an escaped one gets an apostrophe too, so that `plain_cell` always gives it back.
    """
    # Most texts begin with a letter, which no formula does.
    if text[:1].isalnum() or not _FORMULA.match(text) or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def plain_cell(text: str) -> str:
    """The text that `safe_cell` was given."""
    return text[1:] if _ESCAPED.match(text) else text
