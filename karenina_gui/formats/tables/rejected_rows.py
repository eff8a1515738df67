"""Rows that were refused, as a table of their own that can be mended and read again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from karenina_gui.formats.results.csv_writer import safe_cell
from karenina_gui.formats.tables.rows import BadCell, RefusedRow, Table

REFUSED_HEADERS = ("Row in the file", "Reason skipped")


def refused_csv(table: Table, refused: Sequence[RefusedRow]) -> str:
    """CSV with the row's number, the reason, and its cells as they were read, if they could be.

    Texts that a spreadsheet would take for formulas get an apostrophe, which `read_table` takes off again.
    """
    cells = {row.number: row.values for row in table.rows}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*REFUSED_HEADERS, *map(safe_cell, table.headers)])
    for one in refused:
        values = cells.get(one.row, {})
        writer.writerow([one.row, safe_cell(one.reason), *(safe_cell(_text(values.get(n))) for n in table.headers)])
    return out.getvalue()


def unescape(cell: str) -> str:
    """The text without the apostrophe that `refused_csv` put before it."""
    return cell[1:] if cell.startswith("'") and safe_cell(cell[1:]) == cell else cell


def _text(value: Any) -> str:
    if value is None or isinstance(value, BadCell):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
