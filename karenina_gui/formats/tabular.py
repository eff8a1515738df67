"""Questions from tables: which column is what, and a report of what came of each row."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from karenina_gui.errors import InputError
from karenina_gui.formats.tables import RefusedRow, Row, read_headers, read_table
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question

__all__ = [
    "DuplicateRow",
    "ImportPlan",
    "ImportReport",
    "RefusedRow",
    "guess_columns",
    "import_questions",
    "read_headers",
]

GUESSES = {
    "question": "question question_text prompt query problem input text",
    "raw_answer": """raw_answer answer reference_answer correct_answer expected_answer gold_answer ground_truth
        reference expected gold target ideal solution label""",
    "id": "id question_id qid",
    "keywords": "keywords keyword tags tag topics topic categories category subject",
    "answer_notes": "answer_notes notes note comments comment",
    "author": "author created_by",
    "sources": "sources source",
    "answer_template": "answer_template template",
}
"""Field: the column names that mean it, best first; spaces, hyphens and case do not matter."""

_PLACEHOLDER = re.compile(r"\{\{\s*([^{}\n]+?)\s*\}\}")


class _RowProblem(Exception):
    """Why a row gives no question."""


@dataclass(frozen=True)
class ImportPlan:
    """Which column holds what; every name is a column of the file, None: not imported."""

    question: str
    raw_answer: str
    id: str | None = None
    """None, or an empty cell: the id is the fingerprint of the question text."""
    keywords: str | None = None
    keyword_separator: str = ","
    answer_notes: str | None = None
    author: str | None = None
    sources: str | None = None
    answer_template: str | None = None
    """Column with a template of its own in each row."""
    metadata: tuple[str, ...] = ()
    """Columns kept as custom metadata."""
    template: str | None = None
    """Python source for every row without a template of its own. `{{raw_answer}}` stands for the row's reference
    answer as a Python literal, `{{column}}` for the value of any column."""
    finished: bool = False

    @property
    def columns(self) -> list[str]:
        single = (self.question, self.raw_answer, self.id, self.keywords, self.answer_notes, self.author)
        return [c for c in (*single, self.sources, self.answer_template, *self.metadata) if c is not None]


@dataclass(frozen=True)
class DuplicateRow:
    """A row whose question an earlier row has already; it was not imported."""

    row: int
    first_row: int
    question_id: str
    same_answer: bool
    """False where the two reference answers differ, so that somebody should look."""


@dataclass
class ImportReport:
    """What came of a file. Row numbers are 1-based and do not count the header line."""

    questions: list[Question] = field(default_factory=list)
    refused: list[RefusedRow] = field(default_factory=list)
    duplicates: list[DuplicateRow] = field(default_factory=list)
    finished: bool = False
    """Whether the plan wants the questions marked finished."""


def import_questions(path: str | Path, plan: ImportPlan) -> ImportReport:
    """The questions of a CSV, TSV, JSON or JSON Lines file; a row that cannot be used is reported, the others come in.

    Errors: `FileFormatError` for an unreadable file, `InputError` for a plan that names a column which is not there.
    """
    table = read_table(path)
    _check_columns(plan, table.headers)
    report = ImportReport(refused=list(table.refused), finished=plan.finished)
    first: dict[str, tuple[int, Question]] = {}
    for row in table.rows:
        try:
            question = _question(row, plan)
            earlier = first.get(question.id)
            if earlier is None:
                first[question.id] = (row.number, question)
                report.questions.append(question)
            else:
                report.duplicates.append(_duplicate(row, question, *earlier))
        except _RowProblem as problem:
            report.refused.append(RefusedRow(row.number, str(problem)))
    report.refused.sort(key=lambda refused: refused.row)
    return report


def guess_columns(headers: list[str]) -> dict[str, str]:
    """{field of the plan: column}, for the columns whose names say what they hold; each column is used once."""
    by_name = {re.sub(r"[^a-z0-9]+", "_", header.lower()).strip("_"): header for header in reversed(headers)}
    found: dict[str, str] = {}
    for name, spellings in GUESSES.items():
        column = next((by_name.pop(s) for s in spellings.split() if s in by_name), None)
        if column is not None:
            found[name] = column
    return found


def _check_columns(plan: ImportPlan, headers: list[str]) -> None:
    for column in plan.columns:
        if column not in headers:
            listed = ", ".join(repr(header) for header in headers)
            raise InputError(f"The file has no column {column!r}. Its columns are: {listed}.")


def _question(row: Row, plan: ImportPlan) -> Question:
    text = _text(row.values.get(plan.question))
    answer = _text(row.values.get(plan.raw_answer))
    if not text.strip():
        raise _RowProblem(f"the column {plan.question!r} holds no question")
    if not answer.strip():
        raise _RowProblem(f"the column {plan.raw_answer!r} holds no reference answer")
    try:
        return Question(
            question=text,
            raw_answer=answer,
            id=_optional(row, plan.id) or "",
            keywords=_keywords(row.values.get(plan.keywords or ""), plan.keyword_separator),
            answer_notes=_optional(row, plan.answer_notes),
            author=_author(row.values.get(plan.author or "")),
            sources=_sources(row.values.get(plan.sources or "")),
            answer_template=_optional(row, plan.answer_template) or _filled(plan.template, row, answer),
            custom_metadata={c: row.values[c] for c in plan.metadata if row.values.get(c) not in (None, "")} or None,
        )
    except ValidationError as fault:
        raise _RowProblem(first_problem(fault)) from fault


def _duplicate(row: Row, question: Question, first_row: int, first: Question) -> DuplicateRow:
    if first.question != question.question:
        raise _RowProblem(f"its id {question.id!r} belongs to another question, in row {first_row}")
    return DuplicateRow(row.number, first_row, question.id, first.raw_answer == question.raw_answer)


def _filled(template: str | None, row: Row, answer: str) -> str | None:
    """The template with its placeholders replaced; braces around anything else are left as they are."""
    if template is None:
        return None
    values = {**row.values, "raw_answer": answer}
    return _PLACEHOLDER.sub(lambda found: repr(values[found[1]]) if found[1] in values else found[0], template)


def _text(value: Any) -> str:
    """A cell as text: JSON values other than texts as JSON, a missing one as nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _optional(row: Row, column: str | None) -> str | None:
    text = _text(row.values.get(column or ""))
    return text if column and text.strip() else None


def _keywords(value: Any, separator: str) -> list[str]:
    if isinstance(value, list):
        parts = [_text(part) for part in value]
    else:
        text = _text(value)
        parts = text.split(separator) if separator else [text]
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _author(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return value
    return {"name": _text(value).strip()} if _text(value).strip() else None


def _sources(value: Any) -> list[dict[str, Any]] | None:
    entries = value if isinstance(value, list) else [value]
    found = [entry if isinstance(entry, dict) else _source(_text(entry).strip()) for entry in entries]
    return [entry for entry in found if entry] or None


def _source(text: str) -> dict[str, Any]:
    if not text:
        return {}
    return {"url": text} if re.match(r"https?://\S+$", text) else {"name": text}
