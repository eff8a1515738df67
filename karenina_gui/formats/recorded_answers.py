"""Recorded answers from files, matched to the questions of a benchmark (interface `manual`).

    JSON         {question id or text: answer}, or a list of records
    JSON Lines   one record a line
    CSV, XLSX    one record a row

An answer is a text, a message list (see `schemas.trace_formats`), or in JSON a list of them, one per replicate. Records
that name the same question are its replicates, in the order of the file, or in the places that the replicate column
gives them: those keep their numbers also where another one is missing or refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.formats.json_text import parse, read_json
from karenina_gui.formats.replicates import Replicates
from karenina_gui.formats.tables.column_names import ANSWER_COLUMNS, QUESTION_COLUMNS, REPLICATE_COLUMNS, plain_name
from karenina_gui.formats.tables.rows import BadCell, RefusedRow, Row, Table, Unit
from karenina_gui.formats.tables.table_reader import TableFile
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.traces.provider_formats import is_message_list, replicates, to_messages

MOST_REPLICATES = 10_000


@dataclass(frozen=True)
class TraceColumns:
    """Columns of a record with the question and the answer."""

    question: str
    """Question id or question text."""
    answer: str
    """May lead into JSON objects with dots: `responses.gpt-4o`."""
    replicate: str | None = None
    """Numbers of the replicates, from 1 or from 0; None: the order of the file."""


@dataclass
class RecordedFile:
    """The usable answers of a file, and the refused ones.

    In a JSON object, entries are counted like rows.
    """

    answers: dict[str, Any] = field(default_factory=dict)
    """{question id or text: text | message list | list of them, one per replicate}; None where one is missing"""
    refused: list[RefusedRow] = field(default_factory=list)
    unit: Unit = "row"


@dataclass
class MatchedTraces:
    """Recorded answers by question id, ready for `ModelConfig.manual_traces`."""

    traces: dict[str, Any] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Keys of the file that are no question of the benchmark."""
    missing: list[str] = field(default_factory=list)
    """Ids of questions without a recorded answer."""


def read_traces(path: str | Path, columns: TraceColumns | None = None) -> RecordedFile:
    """Read the recorded answers of the file; without `columns`, they are found by their usual names.

    Raises `FileFormatError` for an unreadable file or unknown columns. A record that cannot be used is refused alone.
    """
    path = Path(path)
    recorded = answers_by_question(path)
    return traces_of(TableFile(path).table(), columns, path) if recorded is None else recorded


def answers_by_question(path: Path) -> RecordedFile | None:
    """Answers of a JSON file that is one object with a name for each question; None: the file is a table."""
    if path.suffix.lower() != ".json":
        return None
    data = read_json(path)
    return _from_object(data) if isinstance(data, dict) and not _wraps_records(data) else None


def traces_of(table: Table, columns: TraceColumns | None, path: Path) -> RecordedFile:
    """Read the recorded answers of a table.

    Raises `FileFormatError` for columns that are not there, or not found.
    """
    return _from_table(table, columns or default_columns(table, path), path)


def guess_trace_columns(headers: Sequence[str]) -> dict[str, str]:
    """{field of `TraceColumns`: column}, for the columns whose names say what they hold."""
    names = {plain_name(header): header for header in reversed(headers)}
    usual = {"question": QUESTION_COLUMNS, "answer": ANSWER_COLUMNS, "replicate": REPLICATE_COLUMNS}
    found = {field: next((names[word] for word in words if word in names), None) for field, words in usual.items()}
    return {field: column for field, column in found.items() if column is not None}


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
    """{key for a question in a file: ids}.

    Ids go before texts, because two questions may share a text.
    """
    by_text: dict[str, list[str]] = {}
    for question in questions:
        for key in dict.fromkeys(
            (question.question, question.question.strip(), question_fingerprint(question.question))
        ):
            by_text.setdefault(key, []).append(question.id)
    by_id = {question.id.removeprefix("urn:uuid:"): [question.id] for question in questions}
    # The later one wins: an id as it stands, then one without its prefix, then texts.
    return by_text | by_id | {question.id: [question.id] for question in questions}


def _wraps_records(data: dict[str, Any]) -> bool:
    """Check if the object stands around one list of records, instead of naming questions."""
    lists = [value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    return len(lists) == 1 and any(plain_name(name) in QUESTION_COLUMNS for name in lists[0][0])


def _from_object(data: dict[str, Any]) -> RecordedFile:
    recorded = RecordedFile(unit="entry")
    for number, (key, value) in enumerate(data.items(), 1):
        try:
            recorded.answers[key] = _check(value)
        except InputError as fault:
            recorded.refused.append(RefusedRow(number, f"the answer to “{key[:60]}” cannot be read: {fault}"))
    return recorded


def _from_table(table: Table, columns: TraceColumns, path: Path) -> RecordedFile:
    _check_columns(table, columns, path)
    recorded = RecordedFile(refused=list(table.refused), unit=table.unit)
    found = Replicates(table.unit)
    for row in table.rows:
        try:
            place = _replicate(row, columns)
            # Before the answer is read: a refused one still keeps the place of its number.
            found.note(place)
            found.add(_key(row, columns.question), place, row.number, _answer(row, columns.answer))
        except InputError as fault:
            recorded.refused.append(RefusedRow(row.number, str(fault)))
    recorded.answers = found.answers()
    recorded.refused.sort(key=lambda refused: refused.row)
    return recorded


def _check_columns(table: Table, columns: TraceColumns, path: Path) -> None:
    known = set(table.headers)
    answer = columns.answer if columns.answer in known else columns.answer.split(".", 1)[0]
    for column in (columns.question, answer, columns.replicate):
        if column is not None and column not in known:
            listed = ", ".join(f"“{header}”" for header in table.headers)
            raise FileFormatError(f"{path.name} has no column “{column}”. Its columns are: {listed}.", path=str(path))


def _check(value: Any) -> Any:
    given = [answer for answer in replicates(value) if answer is not None]
    for answer in given or [None]:
        to_messages(answer)
    return value


def _key(row: Row, column: str) -> str:
    value = _readable(row, column)
    if value is None or not str(value).strip():
        raise InputError(f"column “{column}” is empty: no question text")
    return str(value)


def _answer(row: Row, column: str) -> Any:
    """The record's answer; a text that is JSON of a message list counts as the list."""
    value = _readable(row, column)
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            decoded = parse(value)
        except (ValueError, RecursionError):
            # A text in brackets is an answer like any other.
            decoded = None
        value = decoded if is_message_list(decoded) else value
    if value is None or value == "":
        raise InputError(f"column “{column}” has no answer")
    to_messages(value)
    return value


def _replicate(row: Row, columns: TraceColumns) -> int | None:
    """The number of the record among the answers to its question; None if it has none."""
    value = None if columns.replicate is None else _readable(row, columns.replicate)
    if value is None or value == "":
        return None
    try:
        # Spreadsheets and JSON may write 1 as 1.0.
        number = float(value)
        if number.is_integer() and 0 <= number < MOST_REPLICATES:
            return int(number)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(
        f"column “{columns.replicate}” must contain a replicate number such as 1 or 2, not “{str(value)[:40]}”"
    )


def _readable(row: Row, column: str) -> Any:
    value = row.value(column)
    if isinstance(value, BadCell):
        raise InputError(value.reason)
    return value


def default_columns(table: Table, path: Path) -> TraceColumns:
    """The columns that hold question and answer by their names.

    Raises `FileFormatError` if the names do not say enough.
    """
    guessed = guess_trace_columns(table.headers)
    if not {"question", "answer"} <= guessed.keys():
        listed = ", ".join(f"“{header}”" for header in table.headers)
        raise FileFormatError(
            f"{path.name} doesn’t say which columns contain the question and the recorded answer. "
            f"Name them, for example 'question_id' and 'response'. Its columns are: {listed}.",
            path=str(path),
        )
    return TraceColumns(**guessed)
