"""Results as an Excel workbook: the results, what they are of, and what their columns mean."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.results.column_meanings import column_meaning
from karenina_gui.formats.results.run_info import RunInfo, package_version
from karenina_gui.formats.results.table_writer import CUT_COLUMN, ResultTable, result_table
from karenina_gui.formats.tables.sheet_cells import LONGEST, lay_out, legal_text, text_cell, write_header
from karenina_gui.formats.tables.workbook_opening import in_plain_words, open_book
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.result import VerificationResult

SHEET = "Results"
MOST_ROWS = 1_048_575
"""Rows that a sheet takes beside its header."""
LARGEST_UNPACKED = 2 * 1024**3
"""Bytes: an export of a hundred thousand results unpacks to a good part of it."""

CUT = " … [truncated at Excel’s cell limit; the JSON export has the full text]"

LEADING = (
    "question_text",
    "outcome",
    "answering_model",
    "condition",
    "parsing_model",
    "replicate",
    "judge_replicate",
    "verify_result",
    "verify_granular_result",
    "error",
    "raw_answer",
    "parsed_llm_response",
    "parsed_gt_response",
    "raw_llm_response",
)
"""Columns that a reader looks for first.

The others follow in the order of the CSV, without those that say nothing.
"""

_WIDTHS = {
    "question_text": 48,
    "raw_llm_response": 60,
    "error": 36,
    "raw_answer": 28,
    "answering_model": 26,
    "parsing_model": 26,
    "parsed_llm_response": 36,
    "parsed_gt_response": 36,
    "question_id": 22,
}
_PLAIN_JSON = ("verify_result", "verify_granular_result")
"""Columns that hold a bare true, false or number in nearly every row."""


def write_results_xlsx(results: Iterable[VerificationResult], file: IO[bytes], *, run: RunInfo) -> None:
    """Write a workbook whose cells have types, and in which no text becomes a formula.

    Raises `FileFormatError` for more rows than a sheet takes.
    """
    from openpyxl import Workbook

    with result_table(results, run) as table:
        if table.count > MOST_ROWS:
            reason = f"Excel supports at most {MOST_ROWS:,} rows. There are {table.count:,}."
            raise FileFormatError(f"{reason} Export them as CSV.")
        # Otherwise every cell of the book would be in memory until it is saved.
        book = Workbook(write_only=True)
        names = _column_names(table)
        cut = _write_results(book.create_sheet(SHEET), names, table)
        _write_pairs(book.create_sheet("About"), _facts(run, table.count, cut))
        _write_pairs(book.create_sheet("Columns"), _meanings(names))
        book.save(file)


def read_workbook(path: Path) -> Iterator[list[str]]:
    """Rows of the sheet of results as texts, its header first.

    Raises `FileFormatError` if the file is no workbook that can be read.
    """
    from karenina_gui.formats.tables.openpyxl_internals import SheetParser

    book = open_book(path, LARGEST_UNPACKED)
    with in_plain_words(path):
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        sheet = sheets[SHEET] if SHEET in sheets else book.worksheets[0]
        # The sheet's own word on its size is not believed: row by row, only the cells that are there.
        for _, cells in SheetParser(book, sheet).rows():
            texts: list[str] = []
            for cell in cells:
                if cell["value"] is not None:
                    texts += [""] * (cell["column"] - len(texts))
                    texts[cell["column"] - 1] = _text(cell["value"])
            if texts:
                yield texts


def _column_names(table: ResultTable) -> list[str]:
    rest = [name for name in table.columns if name not in LEADING and name not in table.idle]
    return [*(name for name in LEADING if name not in table.idle), *rest, CUT_COLUMN]


def _write_results(sheet: Any, names: list[str], table: ResultTable) -> int:
    """Write the sheet of results and return how many cells were cut."""
    places = [table.columns.index(name) for name in names[:-1]]
    lay_out(sheet, names, table.count, _WIDTHS)
    write_header(sheet, names)
    all_cut = 0
    for values in table.rows():
        cut: list[str] = []
        row = [_cell(sheet, values[index], name, cut) for index, name in zip(places, names, strict=False)]
        sheet.append([*row, ", ".join(cut) or None])
        all_cut += len(cut)
    return all_cut


def _cell(sheet: Any, value: Any, name: str, cut: list[str]) -> Any:
    if name in _PLAIN_JSON and value is not None:
        value = json.loads(value)
        value = value if isinstance(value, bool | int | float) else json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return value
    text = legal_text(value)
    if len(text) > LONGEST:
        cut.append(name)
        # The note is part of the length that Excel takes.
        text = text[: LONGEST - len(CUT)] + CUT
    return text_cell(sheet, text)


def _write_pairs(sheet: Any, facts: list[tuple[str, Any]]) -> None:
    """Write a sheet with a name and a text in each row."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font

    sheet.column_dimensions["A"].width = max(24, *(len(name) + 2 for name, _ in facts))
    sheet.column_dimensions["B"].width = 90
    for name, value in facts:
        title = WriteOnlyCell(sheet, value=legal_text(name))
        title.font = Font(bold=True)
        cell = WriteOnlyCell(sheet, value=legal_text(value)[:LONGEST] if isinstance(value, str) else value)
        cell.alignment = Alignment(wrap_text=True, horizontal="left", vertical="top")
        if isinstance(value, str):
            cell.data_type = "s"
        sheet.append([title, cell])


def _meanings(names: list[str]) -> list[tuple[str, Any]]:
    return [(name, column_meaning(name)) for name in names]


def _facts(run: RunInfo, count: int, cut: int) -> list[tuple[str, Any]]:
    config = run.config
    facts: list[tuple[str, Any]] = [
        ("Run", run.run_name or run.job_id),
        ("Benchmark", run.benchmark),
        ("Published version", run.version.text),
        ("SHA-256 of the benchmark", run.benchmark_hash),
        ("SHA-256 of the dataset", run.dataset_hash),
        ("Run status", run.status),
        ("Imported from", run.origin),
        ("Results in this file", count),
        ("Selection", run.selection),
        ("Jobs in the run", count if run.total is None else run.total),
        ("Answering models", ", ".join(labels(config.answering_models))),
        ("Judges", ", ".join(labels(config.parsing_models))),
        ("Conditions", ", ".join(condition.name for condition in config.conditions)),
        ("Replicates", config.replicate_count),
        ("Judgments per answer", config.judge_replicates if config.judge_replicates > 1 else None),
        ("Started", _moment(run.started)),
        ("Finished", _moment(run.finished)),
        ("Exported", run.export_timestamp),
        ("Exported by", f"karenina-gui {package_version()}"),
    ]
    if cut:
        shortened = (
            f"{cut:,}. Excel’s limit is {LONGEST:,} characters per cell. The column {CUT_COLUMN} lists them. "
            "The JSON export has the full texts."
        )
        facts.append(("Truncated cells", shortened))
    return [(name, value) for name, value in facts if value not in (None, "")]


def _moment(seconds: float | None) -> str:
    return "" if not seconds else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _text(value: Any) -> str:
    if value is None:
        return ""
    # A spreadsheet knows no whole numbers: 3 comes back as 3.0.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
