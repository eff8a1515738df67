r"""Lone surrogates, as in `"\\ud83d"` of a truncated JSON text.

They have no UTF-8 form, so that no file, database or socket accepts a text with one.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from pydantic import BaseModel

T = TypeVar("T")

# Python's `str` allows them, unlike its encoder.
_HALF = re.compile("[\ud800-\udfff]")


def without_surrogates(value: T) -> T:
    """Copy with U+FFFD for lone surrogates, in keys, lists, tuples and models too; `value` itself without any."""
    whole: T = _repair(value) if _has_surrogates(value) else value
    return whole


def _has_surrogates(value: Any) -> bool:
    """True if any text has one.

    A loop, not a recursion: a model's reply may be nested as deeply as its JSON can be parsed.
    """
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            if not has_utf8_form(part):
                return True
        elif isinstance(part, dict):
            left += [*part, *part.values()]
        elif isinstance(part, list | tuple):
            left += part
        elif isinstance(part, BaseModel):
            left.append(part.model_dump())
    return False


def has_utf8_form(text: str) -> bool:
    """True if the text can be encoded, that is, contains no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _repair(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, list | tuple):
        return type(value)(_repair(item) for item in value)
    if isinstance(value, dict):
        return {_repair(key): _repair(item) for key, item in value.items()}
    if isinstance(value, BaseModel):
        return type(value).model_validate(_repair(value.model_dump()))
    return value
