"""Raw parts of a JSON text. A parser keeps one of two values with the same name, and no spelling.

The caller must have parsed the whole text as JSON before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\n\r]*")


def decode(body: bytes) -> str:
    """The text of a body, as `json.loads` decodes it."""
    return body.decode(json.detect_encoding(body), "surrogatepass")


def members(text: str) -> dict[str, str]:
    """Values of a JSON object by name, as JSON text (the last one of a repeated name); empty if it is not an object."""
    values: dict[str, str] = {}
    at = _next(text, 0)
    if text[at : at + 1] == "{":
        at = _next(text, at + 1)
        while text[at] != "}":
            name, at = _DECODER.raw_decode(text, at)
            start = _next(text, _next(text, at) + 1)
            at = _end(text, start)
            values[name] = text[start:at]
            at = _after(text, at)
    return values


def items(text: str) -> Iterator[str]:
    """Items of a JSON array, as JSON text; nothing if it is not an array."""
    at = _next(text, 0)
    if text[at : at + 1] == "[":
        at = _next(text, at + 1)
        while text[at] != "]":
            start, at = at, _end(text, at)
            yield text[start:at]
            at = _after(text, at)


def value(text: str | None) -> Any:
    """The parsed value; None if there is no text."""
    return None if text is None else json.loads(text)


def _end(text: str, start: int) -> int:
    end: int = _DECODER.raw_decode(text, start)[1]
    return end


def _after(text: str, end: int) -> int:
    """Start of the next value, or of the closing bracket."""
    at = _next(text, end)
    return _next(text, at + 1) if text[at] == "," else at


def _next(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at
