"""Shortened texts: a mark in place of the missing part, and how it is recognized.

The mark is part of the text, so that models, judges, files and readers of the trace all see it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_REASON = 500
"""Characters of a failure's reason, the limit in upstream's result files."""
_MARK = re.compile(r"\[\.\.\. cut here: ([\d,]{1,30}) bytes, of which ([\d,]{1,30}) are kept \.\.\.\]")
_EARLIER_MARK = re.compile(r"\[(?:\.\.\. )?(\d{1,20}) (?:bytes left out here \.\.\.|characters left out)\]")
"""Form in results of earlier versions."""
_NOTES = 4096
"""Bytes that may have been appended to a text after it was cut, such as an exit code."""


@dataclass(frozen=True)
class Cut:
    """The cut in a text: sizes in bytes, and the position of its mark in the text."""

    before: int
    after: int
    begin: int
    end: int


def mark(before: int, after: int) -> str:
    """Mark in place of the missing part; sizes in bytes."""
    return f"[... cut here: {before:,} bytes, of which {after:,} are kept ...]"


def shorten(text: str, at_most: int) -> str:
    """Shorten a text to `at_most` bytes and the mark, keeping its beginning and end."""
    data = text.encode("utf-8", "replace")
    half = max(1, at_most // 2)
    # Cut as bytes, since limits are in bytes; a character that is cut in half becomes U+FFFD.
    if len(data) <= 2 * half:
        return text
    begin, end = (part.decode("utf-8", "replace") for part in (data[:half], data[-half:]))
    return f"{begin}\n{mark(len(data), 2 * half)}\n{end}"


def cut_of(text: str) -> Cut | None:
    """The cut in a text; None: it was not cut.

    A text may quote the mark of another one, whose sizes do not fit this text.
    """
    if match := next((mark for mark in _MARK.finditer(text) if _fits(text, mark)), None):
        return Cut(_number(match[1]), _number(match[2]), *match.span())
    # The earlier mark has no size to check: it counts if it is about in the middle of the text.
    if (match := _EARLIER_MARK.search(text)) is not None:
        around = _size(text) - _size(match[0])
        if _size(text[: match.start()]) * 4 > around < _size(text[match.end() :]) * 4 + 2 * _NOTES:
            return Cut(around + int(match[1]), around, *match.span())
    return None


def shortened_reason(reason: str) -> str:
    """Shorten a failure's reason, ending in an ellipsis."""
    return reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"


def _fits(text: str, match: re.Match[str]) -> bool:
    """True if the sizes fit this text. Each byte of invalid text takes up to three as U+FFFD."""
    before, after, size = _number(match[1]), _number(match[2]), _size(text) - _size(match[0])
    return after < before and 0.9 * after <= size <= 3 * after + _NOTES


def _number(written: str) -> int:
    return int(written.replace(",", "") or 0)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
