"""Questions as a table, in the columns that the import of questions knows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import IO, Any

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.results.csv_writer import safe_cell
from karenina_gui.formats.tables.sheet_cells import LONGEST, lay_out, legal_text, text_cell, write_header
from karenina_gui.schemas.question import PREVIOUS_IDS, Question

SEPARATORS = (";", "|", "\n")
"""Signs between keywords, the first of them that no keyword contains."""


def write_questions_csv(questions: Sequence[Question], file: IO[bytes]) -> None:
    """Write one row per question. Cells that a spreadsheet would take for formulas are escaped.

    The file begins with a byte order mark, without which Excel does not read it as UTF-8.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="backslashreplace", newline="")
    writer = csv.writer(text)
    for cells in question_rows(questions):
        writer.writerow([safe_cell(cell) for cell in cells])
    text.detach()


def write_questions_xlsx(questions: Sequence[Question], file: IO[bytes]) -> None:
    """Write a workbook with one row per question, in which no text becomes a formula.

    Raises `FileFormatError` for a text that is longer than a cell may be.
    """
    from openpyxl import Workbook

    header, *rows = question_rows(questions)
    _check_lengths(header, rows)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Questions")
    lay_out(sheet, header, len(rows), _WIDTHS)
    write_header(sheet, header)
    for cells in rows:
        sheet.append([text_cell(sheet, legal_text(cell)) for cell in cells])
    book.save(file)


def _check_lengths(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for number, cells in enumerate(rows, 1):
        for name, cell in zip(header, cells, strict=True):
            if len(cell) > LONGEST:
                raise FileFormatError(
                    f"Question {number:,} has {len(cell):,} characters in the column “{name}”. Excel’s limit is "
                    f"{LONGEST:,} per cell. Export the questions as CSV."
                )


def question_rows(questions: Sequence[Question]) -> list[list[str]]:
    """The header and a row per question. Columns of metadata come last, the others are always there."""
    facts = [_facts(question) for question in questions]
    names = list(dict.fromkeys(name for fact in facts for name in fact))
    separator = _separator(questions)
    rows = [
        [
            *(write(question) for write in _COLUMNS.values()),
            _keywords(question.keywords, separator),
            *(values.get(name, "") for name in names),
        ]
        for question, values in zip(questions, facts, strict=True)
    ]
    return [[*EXPORT_HEADERS, *(name if name not in EXPORT_HEADERS else f"{name} (metadata)" for name in names)], *rows]


def metadata_columns(headers: Sequence[str]) -> list[str]:
    """Columns of metadata in a table that this application wrote; of another table, none."""
    count = len(EXPORT_HEADERS)
    return list(headers[count:]) if tuple(headers[:count]) == EXPORT_HEADERS else []


def _separator(questions: Sequence[Question]) -> str:
    used = {sign for question in questions for keyword in question.keywords for sign in SEPARATORS if sign in keyword}
    return next((sign for sign in SEPARATORS if sign not in used), SEPARATORS[-1])


def _keywords(keywords: list[str], separator: str) -> str:
    # The sign also ends the cell, so that an import does not take a comma within a single keyword for it.
    text = f"{separator} ".join(keywords)
    return f"{text}{separator}" if any(sign in text for sign in (",", *SEPARATORS)) else text


def _facts(question: Question) -> dict[str, str]:
    facts = question.custom_metadata or {}
    return {name: _plain(value) for name, value in facts.items() if name != PREVIOUS_IDS and value not in (None, "")}


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _author(question: Question) -> str:
    """The name, or everything as JSON if there is more than a name and an e-mail address."""
    author = question.author or {}
    return str(author.get("name", "")) if _is_plain(author) else _plain(author)


def _email(question: Question) -> str:
    author = question.author or {}
    return str(author.get("email", "")) if _is_plain(author) else ""


def _is_plain(author: dict[str, Any]) -> bool:
    # Checkpoints give each author a type, which says nothing in a table.
    is_standard = author.keys() <= {"@type", "name", "email"} and author.get("@type", "Person") == "Person"
    return is_standard and isinstance(author.get("name", ""), str)


def _sources(question: Question) -> str:
    """One source a line: its URL or name, or everything as JSON if there is more."""
    return "\n".join(
        str(next(iter(source.values()))) if len(source) == 1 and source.keys() <= {"url", "name"} else _plain(source)
        for source in question.sources or []
    )


_COLUMNS: dict[str, Callable[[Question], str]] = {
    "Question": lambda question: question.question,
    "Reference answer": lambda question: question.raw_answer,
    "ID": lambda question: question.id,
    "Notes": lambda question: question.answer_notes or "",
    "Author": _author,
    "Author email": _email,
    "Sources": _sources,
    "Workspace folder": lambda question: question.workspace_path or "",
    "Template": lambda question: question.answer_template or "",
    "Examples": lambda question: _plain(question.few_shot_examples) if question.few_shot_examples else "",
}
EXPORT_HEADERS = (*_COLUMNS, "Keywords")
_WIDTHS = {"Question": 60, "Reference answer": 36, "Notes": 30, "Template": 60, "Keywords": 24}
