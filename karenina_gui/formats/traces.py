"""Recorded answers from files, matched to the questions of a benchmark (interface `manual`).

    JSON         {question id or text: answer}, or a list of records
    JSON Lines   one record a line
    CSV          one record a row

An answer is a text, a message list (see `schemas.trace_formats`), or in JSON a list of them, one per replicate. Records
that name the same question are its replicates, in the order of the replicate column or of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.formats.json_text import read_json
from karenina_gui.formats.tables import RefusedRow, Row, Table, read_table
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.trace_formats import is_message_list, replicates, to_messages

QUESTION_COLUMNS = ("question_id", "id", "qid", "short_qid", "question", "question_text", "prompt")
ANSWER_COLUMNS = (
    "response", "llm_response", "raw_llm_response", "model_answer", "model_response", "output", "completion",
    "trace", "messages", "conversation", "generated_answer", "answer",
)  # fmt: skip
REPLICATE_COLUMNS = ("replicate", "trial", "repetition", "sample")


@dataclass(frozen=True)
class TraceColumns:
    """Which column of a record holds what."""

    question: str
    """Question id or question text."""
    answer: str
    """May lead into JSON objects with dots: `responses.gpt-4o`."""
    replicate: str | None = None
    """Numbers that order the replicates; None: the order of the file."""


@dataclass
class RecordedFile:
    """The usable answers of a file, and what was refused. In a JSON object, entries are counted like rows."""

    answers: dict[str, Any] = field(default_factory=dict)
    """{question id or text: text | message list | list of them, one per replicate}"""
    refused: list[RefusedRow] = field(default_factory=list)


@dataclass
class MatchedTraces:
    """Recorded answers by question id, ready for `ModelConfig.manual_traces`."""

    traces: dict[str, Any] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Keys of the file that are no question of the benchmark."""
    missing: list[str] = field(default_factory=list)
    """Ids of questions without a recorded answer."""


def read_traces(path: str | Path, columns: TraceColumns | None = None) -> RecordedFile:
    """The recorded answers of the file; without `columns`, they are found by their usual names.

    Errors: `FileFormatError` for an unreadable file or unknown columns. A record that cannot be used is refused alone.
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        data = read_json(path)
        if isinstance(data, dict):
            return _from_object(data)
    table = read_table(path)
    return _from_table(table, columns or _usual_columns(table, path), path)


def match_traces(answers: dict[str, Any], questions: Iterable[Question]) -> MatchedTraces:
    """Find each answer's question: by id, by id without `urn:uuid:`, by the text, or by the text's fingerprint."""
    questions = list(questions)
    ids = _ids_by_key(questions)
    matched = MatchedTraces()
    for key, answer in answers.items():
        found = ids.get(key) or ids.get(key.removeprefix("urn:uuid:")) or ids.get(key.strip())
        if found is None:
            matched.unknown.append(key)
        for question_id in found or ():
            matched.traces[question_id] = answer
    matched.missing = [question.id for question in questions if question.id not in matched.traces]
    return matched


def _ids_by_key(questions: list[Question]) -> dict[str, list[str]]:
    """{what a file may call a question: ids}. Ids go before texts, because two questions may share a text."""
    by_text: dict[str, list[str]] = {}
    for question in questions:
        for key in dict.fromkeys(
            (question.question, question.question.strip(), question_fingerprint(question.question))
        ):
            by_text.setdefault(key, []).append(question.id)
    by_id = {question.id.removeprefix("urn:uuid:"): [question.id] for question in questions}
    return by_text | by_id | {question.id: [question.id] for question in questions}


def _from_object(data: dict[str, Any]) -> RecordedFile:
    recorded = RecordedFile()
    for number, (key, value) in enumerate(data.items(), 1):
        try:
            recorded.answers[key] = _checked(value)
        except InputError as fault:
            recorded.refused.append(RefusedRow(number, f"the answer to {key[:60]!r} cannot be read: {fault}"))
    return recorded


def _from_table(table: Table, columns: TraceColumns, path: Path) -> RecordedFile:
    _check_columns(table, columns, path)
    recorded = RecordedFile(refused=list(table.refused))
    found: dict[str, list[tuple[float, Any]]] = {}
    for row in table.rows:
        try:
            answer = (_replicate(row, columns), _answer(row, columns.answer))
            found.setdefault(_key(row, columns.question), []).append(answer)
        except InputError as fault:
            recorded.refused.append(RefusedRow(row.number, str(fault)))
    for key, answers in found.items():
        ordered = [answer for _, answer in sorted(answers, key=lambda pair: pair[0])]
        recorded.answers[key] = ordered[0] if len(ordered) == 1 else ordered
    recorded.refused.sort(key=lambda refused: refused.row)
    return recorded


def _check_columns(table: Table, columns: TraceColumns, path: Path) -> None:
    known = set(table.headers)
    answer = columns.answer if columns.answer in known else columns.answer.split(".", 1)[0]
    for column in (columns.question, answer, columns.replicate):
        if column is not None and column not in known:
            listed = ", ".join(repr(header) for header in table.headers)
            raise FileFormatError(f"{path.name} has no column {column!r}. Its columns are: {listed}.", path=str(path))


def _checked(value: Any) -> Any:
    for answer in replicates(value):
        to_messages(answer)
    return value


def _key(row: Row, column: str) -> str:
    value = row.values.get(column)
    if value is None or not str(value).strip():
        raise InputError(f"the column {column!r} names no question")
    return str(value)


def _answer(row: Row, column: str) -> Any:
    """The record's answer; a text that is JSON of a message list counts as the list."""
    value = _lookup(row.values, column)
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            decoded = json.loads(value)
        except (ValueError, RecursionError):
            decoded = None
        value = decoded if is_message_list(decoded) else value
    if value is None:
        raise InputError(f"the column {column!r} holds no answer")
    to_messages(value)
    return value


def _replicate(row: Row, columns: TraceColumns) -> float:
    if columns.replicate is None:
        return 0
    try:
        return float(row.values.get(columns.replicate) or 0)
    except (TypeError, ValueError) as fault:
        raise InputError(
            f"the column {columns.replicate!r} holds no number: {row.values[columns.replicate]!r}"
        ) from fault


def _lookup(values: Any, column: str) -> Any:
    """The value of a column, or of a path into objects; None where it ends before."""
    if isinstance(values, dict):
        if column in values:
            return values[column]
        head, dot, rest = column.partition(".")
        return _lookup(values.get(head), rest) if dot else None
    return None


def _usual_columns(table: Table, path: Path) -> TraceColumns:
    names = {header.strip().lower().replace(" ", "_"): header for header in table.headers}
    question = next((names[name] for name in QUESTION_COLUMNS if name in names), None)
    answer = next((names[name] for name in ANSWER_COLUMNS if name in names), None)
    if question is None or answer is None:
        listed = ", ".join(repr(header) for header in table.headers)
        raise FileFormatError(
            f"{path.name} does not say which columns hold the question and the recorded answer. "
            f"Name them, for example 'question_id' and 'response'. Its columns are: {listed}.",
            path=str(path),
        )
    return TraceColumns(question, answer, next((names[n] for n in REPLICATE_COLUMNS if n in names), None))
