"""Values of cells as fields of a question.

Each function raises `RowProblem` if a cell cannot be read so.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Iterable
from string import ascii_uppercase
from typing import Any

from karenina_gui.errors import InputError
from karenina_gui.formats.json_text import parse
from karenina_gui.formats.tables.rows import LARGEST_CELL, BadCell, Row
from karenina_gui.text import quantity
from karenina_gui.traces.provider_formats import is_message_list, to_messages


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
