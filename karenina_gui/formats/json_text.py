"""JSON as checkpoints and results write it, without a secret in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, datetime, time
from pathlib import Path, PurePath
from typing import Any
from uuid import UUID

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.text.surrogates import without_surrogates

SECRET_KEYS = frozenset({"endpoint_api_key", "anthropic_api_key", "openai_api_key", "api_key"})
"""Object keys under which configurations hold keys."""
_FAULTS = {
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name": "a name in double quotes is missing",
    "Expecting value": "a value is missing",
    "Illegal trailing comma": "there is a comma too many",
    "Extra data": "there is text after the end",
    "Unterminated string": "a closing quote is missing",
    "Invalid control character": "there is a line break or tab inside a text",
    "Invalid \\": "a backslash is not followed by a valid letter",
}
"""Reasons by the start of Python’s message."""


def read_json(path: Path) -> Any:
    """The parsed file (UTF-8, with or without BOM).

    Raises `FileFormatError`, which says what is wrong and where.
    """
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise FileFormatError(f"{path} cannot be read: {fault.strerror or fault}.", path=str(path)) from fault
    return parse_content(content, path)


def parse_content(content: bytes, path: Path) -> Any:
    """The parsed content of a file, like `read_json`. `path` is for messages."""
    if is_too_dense(content):
        raise FileFormatError(f"{path.name} {TOO_DENSE}.", path=str(path))
    try:
        return parse(content.decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        raise FileFormatError(f"{path.name} is not a JSON file: it is not UTF-8 text.", path=str(path)) from fault
    except json.JSONDecodeError as fault:
        message = f"{path.name} is not valid JSON: {json_fault(fault)} (line {fault.lineno}, column {fault.colno})."
        raise FileFormatError(message, path=str(path), row=fault.lineno) from fault
    except ValueError as fault:  # Python reads no number of more than some thousand digits
        raise FileFormatError(f"{path.name} contains a number that is too long to read.", path=str(path)) from fault
    except RecursionError as fault:
        raise FileFormatError(f"{path.name} is nested too deeply to read.", path=str(path)) from fault


TOO_DENSE = "has too many values for its length, and would take all memory"
MOST_MEMORY, MOST_TIMES = 64 << 20, 12
"""Bytes that the values of a text may take, or a multiple of its length; usual files take six times theirs."""


def is_too_dense(text: str | bytes) -> bool:
    """Check for a text of very many small values, which take a multiple of its length in memory."""
    signs: tuple[Any, ...] = ("{", "[", ",") if isinstance(text, str) else (b"{", b"[", b",")
    # Bytes of an object with a value, of a list, and of a value.
    memory = sum(size * text.count(sign) for sign, size in zip(signs, (240, 72, 50), strict=True))
    return memory > MOST_MEMORY and memory > MOST_TIMES * len(text)


def json_fault(fault: json.JSONDecodeError) -> str:
    """The reason in plain words, in lower case and without its place."""
    return next((explanation for start, explanation in _FAULTS.items() if fault.msg.startswith(start)), fault.msg)


def parse(text: str, **options: Any) -> Any:
    """The value of a JSON text, with U+FFFD for each half of a character; `options` and errors as in `json.loads`."""
    value = json.loads(text, **options)
    _refuse_deep(value)
    return without_surrogates(value)


MOST_DEPTH = 100


def _refuse_deep(value: Any) -> None:
    """Raise `RecursionError` for lists and objects within each other that cannot be saved, though they can be read."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_DEPTH):
        parts = (node.values() if isinstance(node, dict) else node for node in level)
        if not (level := [part for node in parts for part in node if isinstance(part, dict | list)]):
            return
    raise RecursionError


def to_json_bytes(data: Any, *, indent: int | None = 2) -> bytes:
    """UTF-8 text of the data; dates become ISO texts, sets lists.

    NaN and Infinity stay, as Python writes and reads them, so that a benchmark that holds one can be saved unchanged.

    Raises `InputError` for data that has no JSON form.
    """
    try:
        text = json.dumps(data, ensure_ascii=False, indent=indent, default=_plain)
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8 form, but JSON can escape it.
        return json.dumps(data, indent=indent, default=_plain).encode("ascii")
    except (TypeError, ValueError, RecursionError) as fault:
        raise InputError(f"This cannot be written to a file: {fault}.") from fault


def without_secrets(data: Any) -> Any:
    """The same data with every key of a provider replaced by null; unchanged parts are not copied."""
    if isinstance(data, dict):
        cleaned = {key: _without_secret(key, value) for key, value in data.items()}
        return data if _are_same(cleaned.values(), data.values()) else cleaned
    if isinstance(data, list):
        entries = [without_secrets(entry) for entry in data]
        return data if _are_same(entries, data) else entries
    return data


def _without_secret(key: Any, value: Any) -> Any:
    # Only texts are keys; null or a number under such a name tells nothing.
    return None if key in SECRET_KEYS and isinstance(value, str) else without_secrets(value)


def _are_same(new: Iterable[Any], old: Iterable[Any]) -> bool:
    """Check that no value was replaced, not even by an equal one."""
    return all(a is b for a, b in zip(new, old, strict=True))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, PurePath | UUID):
        return str(value)
    if isinstance(value, set | frozenset):
        # In a fixed order, so that the same data gives the same file.
        return sorted(value, key=repr)
    raise TypeError(f"values of the type {type(value).__name__} can’t be written as JSON")
