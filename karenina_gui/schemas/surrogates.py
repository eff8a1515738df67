"""Halves of surrogate pairs, as `"\\ud83d"` in a cut-off JSON text leaves them.

They have no UTF-8 form, so that no file, database or socket takes a text with one of them.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from pydantic import BaseModel

T = TypeVar("T")

_HALF = re.compile("[\ud800-\udfff]")


def without_surrogates(value: T) -> T:
    """The same with U+FFFD for every half, in keys, lists, tuples and models too; `value` itself if there is none."""
    whole: T = _repaired(value) if _has_surrogates(value) else value
    return whole


def _has_surrogates(value: Any) -> bool:
    """A loop, not a recursion: what a model wrote may be nested as deeply as its JSON can be read."""
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
    """The text can be encoded: it contains no half of a pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _repaired(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, list | tuple):
        return type(value)(_repaired(item) for item in value)
    if isinstance(value, dict):
        return {_repaired(key): _repaired(item) for key, item in value.items()}
    if isinstance(value, BaseModel):
        return type(value).model_validate(_repaired(value.model_dump()))
    return value
