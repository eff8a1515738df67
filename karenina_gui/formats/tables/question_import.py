"""Questions from tables: which column is what, its cells as fields, and a report of what came of each row."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from pydantic import ValidationError

from karenina_gui.errors import InputError
from karenina_gui.formats.json_text import parse
from karenina_gui.formats.tables import question_import as values
from karenina_gui.formats.tables.column_names import CHOICE_COLUMNS, guess_columns, plain_name
from karenina_gui.formats.tables.near_duplicates import NearDuplicateRow, difference, plain_wording
from karenina_gui.formats.tables.rows import LARGEST_CELL, BadCell, RefusedRow, Row, Table, Unit
from karenina_gui.formats.tables.table_reader import read_headers, read_table
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question
from karenina_gui.text import quantity, quote_list
from karenina_gui.traces.provider_formats import is_message_list, to_messages

__all__ = [
    "DuplicateRow",
    "ImportPlan",
    "ImportReport",
    "ImportedQuestion",
    "KeywordColumn",
    "NearDuplicateRow",
    "RefusedRow",
    "guess_columns",
    "guess_separator",
    "import_questions",
    "questions_of",
    "read_headers",
    "unused_columns",
]

_SEPARATORS = (";", "|", "\n", ",")
"""Signs that stand between keywords, those first that hardly stand in one."""

_NUMBERED = re.compile(r" \(\d+\)$")
"""End of the name of a column whose name another column has."""
_PLACEHOLDER = re.compile(r"\{\{\s*([^{}\n]+?)\s*\}\}")


@dataclass(frozen=True)
class KeywordColumn:
    column: str
    separator: str = ","
    """Sign between keywords in a cell; empty: a cell is one keyword."""


@dataclass(frozen=True)
class ImportPlan:
    """Columns of the file, each for a field of the question; None: not imported."""

    question: str
    raw_answer: str
    id: str | None = None
    """None, or an empty cell: the ID is the fingerprint of the question text."""
    keywords: tuple[KeywordColumn, ...] = ()
    answer_notes: str | None = None
    author: str | None = None
    author_email: str | None = None
    sources: str | None = None
    answer_template: str | None = None
    """Column with a template of its own in each row."""
    workspace_path: str | None = None
    few_shot_examples: str | None = None
    """Column with examples as JSON."""
    choices: str | None = None
    """Column with choices, which are added to the question text as A), B), and so on."""
    metadata: tuple[str, ...] = ()
    """Columns kept as custom metadata."""
    template: str | None = None
    """Python source for every row without a template of its own.

    `{{raw_answer}}` stands for the row's reference answer as a Python literal, `{{column}}` for the value of any
    column.
    """
    write_template: Callable[[str], str | None] | None = None
    """Writes the template of a row from its reference answer, instead of `template`; it may return None for none."""
    finished: bool = False
    kept_rows: frozenset[int] | None = None
    """Rows that come in although they nearly repeat another question; None: all of them."""
    updated: frozenset[int] = frozenset()
    """Rows whose reference answer replaces that of the same question in the benchmark."""
    skipped: frozenset[int] = frozenset()
    """Rows that do not come in, because somebody found them too similar to another question."""
    answer_targets: Mapping[int, str] = field(default_factory=dict)
    """{row: ID of a nearly equal question in the benchmark that gets its reference answer}; no new questions."""

    @property
    def columns(self) -> list[str]:
        single = (self.question, self.raw_answer, self.id, self.answer_notes, self.author, self.author_email)
        others = (self.sources, self.answer_template, self.workspace_path, self.few_shot_examples, self.choices)
        several = (*(keyword.column for keyword in self.keywords), *self.metadata)
        return [column for column in (*single, *others, *several) if column is not None]


@dataclass(frozen=True)
class ImportedQuestion:
    row: int
    question: Question


@dataclass(frozen=True)
class DuplicateRow:
    """A row whose question an earlier row has already; it was not imported."""

    row: int
    first_row: int
    question_id: str
    same_answer: bool
    """False if the two reference answers differ, so that somebody should look."""


@dataclass
class ImportReport:
    """Questions of a file, and the rows that gave none.

    Rows have the numbers by which a person finds them in it, see `Row.number`.
    """

    imported: list[ImportedQuestion] = field(default_factory=list)
    refused: list[RefusedRow] = field(default_factory=list)
    duplicates: list[DuplicateRow] = field(default_factory=list)
    near: list[NearDuplicateRow] = field(default_factory=list)
    """Rows that nearly repeat an earlier one, also those that the plan keeps."""
    finished: bool = False
    """True if the plan wants the questions marked finished."""
    kept_rows: frozenset[int] | None = None
    updated: frozenset[int] = frozenset()
    skipped: frozenset[int] = frozenset()
    answer_targets: Mapping[int, str] = field(default_factory=dict)
    unit: Unit = "row"

    @property
    def questions(self) -> list[Question]:
        return [imported.question for imported in self.imported]


def import_questions(path: str | Path, plan: ImportPlan) -> ImportReport:
    """Read the questions of a CSV, TSV, XLSX, JSON or JSON Lines file, the first sheet of several.

    Raises `FileFormatError` for an unreadable file, `InputError` for a plan that names a column which is not there.
    """
    return questions_of(read_table(path), plan)


def questions_of(table: Table, plan: ImportPlan) -> ImportReport:
    """Read the questions of a table; a row that cannot be used is reported, the others come in.

    Raises `InputError` for a plan that names a column which is not there.
    """
    _check_columns(plan, table.headers)
    report = ImportReport(
        refused=list(table.refused),
        finished=plan.finished,
        kept_rows=plan.kept_rows,
        updated=plan.updated,
        skipped=plan.skipped,
        answer_targets=plan.answer_targets,
        unit=table.unit,
    )
    first: dict[str, ImportedQuestion] = {}
    alike: dict[str, ImportedQuestion] = {}
    for row in table.rows:
        try:
            imported = ImportedQuestion(row.number, _question(row, plan))
            earlier = first.setdefault(imported.question.id, imported)
            if earlier is not imported:
                report.duplicates.append(_duplicate(imported, earlier, table.unit))
                continue
            near = alike.setdefault(plain_wording(imported.question.question), imported)
            if near is not imported:
                report.near.append(_near_duplicate(imported, near))
            if near is imported or plan.kept_rows is None or row.number in plan.kept_rows:
                report.imported.append(imported)
        except values.RowProblem as problem:
            report.refused.append(RefusedRow(row.number, str(problem)))
    report.refused.sort(key=lambda refused: refused.row)
    return report


def unused_columns(table: Table, plan: ImportPlan) -> str:
    """Sentences about the columns that the plan does not import; empty: it imports all of them."""
    unused = _unused_headers(table, plan)
    lines = [f"Not imported: {quote_list(unused)}."] if unused else []
    if choices := next((name for name in unused if plain_name(name) in CHOICE_COLUMNS), None):
        lines.append(f"The questions do not contain the choices in “{choices}”, unless their texts have them.")
    if second := next((name for name in unused if _NUMBERED.sub("", name) == plan.raw_answer), None):
        lines.append(f"The column “{second}” is a second “{plan.raw_answer}”.")
    return " ".join(lines)


def _unused_headers(table: Table, plan: ImportPlan) -> list[str]:
    used = {*plan.columns, *(column.split(".", 1)[0] for column in plan.columns)}
    return [name for name in table.headers if name not in used and name.split(".", 1)[0] not in used]


def guess_separator(table: Table, column: str) -> str:
    """The sign that stands between keywords in most cells of the column; a comma if none does."""
    cells = [value for value in (row.value(column) for row in table.rows[:500]) if isinstance(value, str)]
    counts = {sign: sum(sign in cell for cell in cells) for sign in _SEPARATORS}
    # `max` takes the first of several equal ones, so the order of `_SEPARATORS` decides.
    return max(_SEPARATORS, key=lambda sign: counts[sign]) if any(counts.values()) else ","


def _check_columns(plan: ImportPlan, headers: list[str]) -> None:
    for column in plan.columns:
        if column not in headers:
            listed = ", ".join(f"“{header}”" for header in headers)
            raise InputError(f"The file has no column “{column}”. Its columns are: {listed}.")


def _question(row: Row, plan: ImportPlan) -> Question:
    text = values.with_choices(values.question_text(row, plan.question), values.choices(row, plan.choices))
    answer = values.reference_answer(row, plan.raw_answer)
    cells = [(values.cell(row, keyword.column), keyword.separator) for keyword in plan.keywords]
    facts = {column: values.cell(row, column) for column in plan.metadata}
    try:
        return Question(
            question=text,
            raw_answer=answer,
            id=values.optional_text(row, plan.id) or "",
            keywords=values.keywords(cells),
            answer_notes=values.optional_text(row, plan.answer_notes),
            author=values.author(values.cell(row, plan.author), values.cell(row, plan.author_email)),
            sources=values.sources(values.cell(row, plan.sources)),
            answer_template=values.optional_text(row, plan.answer_template) or _template(plan, row, answer),
            workspace_path=values.optional_text(row, plan.workspace_path),
            few_shot_examples=values.examples(row, plan.few_shot_examples),
            custom_metadata={name: value for name, value in facts.items() if value not in (None, "")} or None,
        )
    except ValidationError as fault:
        raise values.RowProblem(first_problem(fault)) from fault


def _duplicate(imported: ImportedQuestion, first: ImportedQuestion, unit: Unit) -> DuplicateRow:
    question, earlier = imported.question, first.question
    # Two texts with one id are no duplicates: the ID column is wrong, and one question would be lost.
    if earlier.question != question.question:
        raise values.RowProblem(f"its ID “{question.id}” belongs to another question, in {unit} {first.row}")
    return DuplicateRow(imported.row, first.row, question.id, earlier.raw_answer == question.raw_answer)


def _near_duplicate(imported: ImportedQuestion, first: ImportedQuestion) -> NearDuplicateRow:
    question, earlier = imported.question, first.question
    return NearDuplicateRow(
        imported.row,
        first.row,
        question.question,
        difference(question.question, earlier.question),
        question.raw_answer.strip() == earlier.raw_answer.strip(),
        question.raw_answer,
    )


def _template(plan: ImportPlan, row: Row, answer: str) -> str | None:
    return plan.write_template(answer) if plan.write_template is not None else _fill(plan.template, row, answer)


def _fill(template: str | None, row: Row, answer: str) -> str | None:
    """The template with its placeholders replaced; braces around anything else are left as they are."""
    if template is None:
        return None

    def literal(placeholder: re.Match[str]) -> str:
        name = placeholder[1]
        if name == "raw_answer":
            # As a literal, so that a cell can end no string of the template and add no code to it.
            return repr(answer)
        return repr(values.cell(row, name)) if name in row.values else placeholder[0]

    return _PLACEHOLDER.sub(literal, template)


class RowProblem(Exception):
    """Reason to skip a row."""


def cell(row: Row, column: str | None) -> Any:
    """The value of the row's column; None if there is no column or nothing in it."""
    value = row.value(column)
    if isinstance(value, BadCell):
        raise RowProblem(value.reason)
    if isinstance(value, str) and len(value) > LARGEST_CELL:
        raise RowProblem(f"column “{column}” has more than {LARGEST_CELL:,} characters; shorten it")
    return value


def text_of(value: Any) -> str:
    """A cell as text: JSON values other than texts as JSON, a missing one as nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def question_text(row: Row, column: str) -> str:
    value = cell(row, column)
    if isinstance(value, dict):
        parts = ", ".join(f"“{column}.{name}”" for name in list(value)[:5])
        raise RowProblem(f"column “{column}” contains an object, not text; choose one of its parts: {parts}")
    if isinstance(value, list):
        return _prompt(value, column)
    text = text_of(value)
    if not text.strip():
        raise RowProblem(f"column “{column}” is empty: no question text")
    return text


def _prompt(messages: list[Any], column: str) -> str:
    """Text of a list of messages with one question, as data sets of Inspect have it; a system prompt comes first."""
    if not is_message_list(messages):
        raise RowProblem(f"column “{column}” contains a list, not text")
    try:
        read = to_messages(messages)
    except InputError as fault:
        raise RowProblem(f"column “{column}” contains messages that cannot be read: {fault}") from fault
    turns = [message.role for message in read if message.role != "system"]
    if turns != ["user"]:
        raise RowProblem(f"column “{column}” contains {quantity(len(turns), 'message')}; a question is one message")
    return "\n\n".join(message.text for message in read if message.text)


def choices(row: Row, column: str | None) -> list[str]:
    """Choices of a multiple-choice question: a list, its texts under `text`, or a text with a list in it."""
    value = cell(row, column)
    if isinstance(value, dict):
        value = value.get("text")
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            raise RowProblem(f"column “{column}” contains no list of choices") from None
    parts = value if isinstance(value, list | tuple) else re.split(r"[\n|;]", text_of(value))
    return [text for part in parts if (text := text_of(part).strip())]


def with_choices(question: str, choices: list[str]) -> str:
    """The question with its choices below it, lettered from A."""
    letters = ascii_uppercase[: len(choices)]
    lettered = all(re.match(rf"\(?{letter}[).:]", choice) for letter, choice in zip(letters, choices, strict=False))
    lines = choices if lettered else [f"{letter}) {choice}" for letter, choice in zip(letters, choices, strict=False)]
    return "\n".join([f"{question}\n", *lines]) if lines else question


def reference_answer(row: Row, column: str) -> str:
    text = text_of(cell(row, column))
    if not text.strip():
        raise RowProblem(f"column “{column}” has no reference answer")
    return text


def optional_text(row: Row, column: str | None) -> str | None:
    text = text_of(cell(row, column))
    return text if text.strip() else None


def keywords(values: Iterable[tuple[Any, str]]) -> list[str]:
    """Keywords from several cells, each with its separator ("": the cell is one keyword); each keyword once."""
    unique: dict[str, None] = {}
    for value, separator in values:
        if isinstance(value, list):
            parts = [text_of(part) for part in value]
        else:
            text = text_of(value)
            parts = text.split(separator) if separator else [text]
        unique.update(dict.fromkeys(part.strip() for part in parts if part.strip()))
    return list(unique)


def author(name: Any, email: Any) -> dict[str, Any] | None:
    """The author as an object: one stays as it is, also as JSON; texts become its name and e-mail."""
    name = _object_in(name)
    named = dict(name) if isinstance(name, dict) else {"name": text_of(name).strip()}
    mail = text_of(email).strip()
    return {key: value for key, value in (named | ({"email": mail} if mail else {})).items() if value} or None


def sources(value: Any) -> list[dict[str, Any]] | None:
    """Sources from a cell; a text is one source a line: an address, a title, or an object as JSON."""
    entries = value if isinstance(value, list) else [value] if isinstance(value, dict) else text_of(value).split("\n")
    sources = [
        entry if isinstance(entry, dict) else _source(text_of(entry).strip()) for entry in map(_object_in, entries)
    ]
    return [entry for entry in sources if entry] or None


def _object_in(value: Any) -> Any:
    """The object that a text holds as JSON, or the value itself."""
    if not isinstance(value, str) or not value.strip().startswith("{"):
        return value
    try:
        return parse(value)
    except (ValueError, RecursionError):
        return value


def examples(row: Row, column: str | None) -> list[dict[str, Any]] | None:
    """Few-shot examples: a list of objects with question and answer, also as JSON in a text."""
    value = cell(row, column)
    if isinstance(value, str):
        if not value.strip():
            return None
        try:
            value = parse(value)
        except (ValueError, RecursionError):
            # No list of examples, so the check below refuses it with the same sentence as other wrong cells.
            value = False
    if value is None or value == []:
        return None
    entries = value if isinstance(value, list) else [value]
    if not all(isinstance(entry, dict) and {"question", "answer"} <= entry.keys() for entry in entries):
        raise RowProblem(f'the column {column!r} holds no examples; write them as [{{"question": "…", "answer": "…"}}]')
    return entries


def _source(text: str) -> dict[str, Any]:
    if not text:
        return {}
    return {"url": text} if re.match(r"https?://\S+$", text) else {"name": text}
