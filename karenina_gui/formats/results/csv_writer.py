"""Results as CSV, for spreadsheets; a cell that one of them would take for a formula is escaped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import IO

from karenina_gui.formats.results.run_info import RunInfo
from karenina_gui.formats.results.table_writer import table_lines
from karenina_gui.formats.tables.sheet_cells import FORMULA
from karenina_gui.schemas.result import VerificationResult

_FORMULA = re.compile(rf"'*(?:[\t\r]|{FORMULA})")
_ESCAPED = re.compile(rf"'+(?:[\t\r]|{FORMULA})")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def write_results_csv(results: Iterable[VerificationResult], file: IO[bytes], *, run: RunInfo) -> None:
    """Write the results as UTF-8, a line a result."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
    writer = csv.writer(text)
    for cells in table_lines(results, run):
        # A row has 80 cells, few of them texts, and none but a text can look like a formula.
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    # Without this, the wrapper would close the file, which belongs to the caller.
    text.detach()


def safe_cell(text: str) -> str:
    """The text, with an apostrophe before it if a spreadsheet would take it for a formula; numbers stay.

    A text that itself looks like an escaped one gets an apostrophe too, so that `plain_cell` always gives it back.
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def plain_cell(text: str) -> str:
    """The text that `safe_cell` was given."""
    return text[1:] if _ESCAPED.match(text) else text
