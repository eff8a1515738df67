"""Conversion of an author's values to plain JSON. Other objects become text; nothing here raises."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, time
from enum import Enum
from typing import Any

from pydantic import BaseModel

DEEPEST = 40
"""Levels of nesting to keep."""
WIDEST_INTEGER = 10_000
"""Bits of the largest integer that is written in digits."""
LONGEST_MESSAGE = 500
_UNCHANGED = (str, bool)
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


def as_json(value: Any, depth: int = 0) -> Any:
    """Convert to None, bool, int, float, text, list or dict; infinities and NaN become text, sets become lists."""
    if value is None or type(value) in _UNCHANGED:
        return value
    try:
        return _as_json(value, depth)
    except BaseException as error:
        # An author's `__str__` or `__iter__` may raise anything, SystemExit included.
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"


def message_of(error: BaseException) -> str:
    """Text of the error, cut to 500 characters; its type if it has no text."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    return text[:LONGEST_MESSAGE] or type(error).__name__


def _simple_as_json(value: str | int | float | date | time) -> Any:
    if isinstance(value, str):
        # A subclass of the author's may override any method, so the base class converts.
        return str.__str__(value)
    if isinstance(value, int):
        return int(value) if value.bit_length() <= WIDEST_INTEGER else f"<integer of {value.bit_length()} bits>"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    return value.isoformat()


def _as_json(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return as_json(value.value, depth + 1)
    if isinstance(value, str | int | float | date | time):
        return _simple_as_json(value)
    if depth >= DEEPEST:
        return "<nested too deeply to show>"
    if isinstance(value, BaseModel):
        value = dict(value)
    if isinstance(value, Mapping):
        return {_text(key): as_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item, depth + 1) for item in value]
    if isinstance(value, set | frozenset):  # whose order differs from process to process
        return sorted((as_json(item, depth + 1) for item in value), key=lambda item: (type(item).__name__, str(item)))
    return _text(value)


def _text(value: Any) -> str:
    """Printed form; the type alone if that holds a memory address, which differs from run to run."""
    text = str(value)
    return f"<{type(value).__name__}>" if not isinstance(value, str) and _ADDRESS.search(text) else text
