"""Texts that were cut because of their length: a mark in the place of what is missing, and how it is found again.

The mark travels in the text itself, so that the model, judges, every file and whoever reads the trace see it alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_REASON = 500
"""Characters of a failure's reason, which upstream's result files take."""
_MARK = re.compile(r"\[\.\.\. cut here: ([\d,]{1,30}) bytes, of which ([\d,]{1,30}) are kept \.\.\.\]")
_EARLIER_MARK = re.compile(r"\[(?:\.\.\. )?(\d{1,20}) (?:bytes left out here \.\.\.|characters left out)\]")
"""As results of earlier versions have it."""
_NOTES = 4096
"""Bytes of what may have been added to a text after it was cut, such as an exit code."""


@dataclass(frozen=True)
class Cut:
    """The cut of a text: sizes in bytes, and where its mark begins and ends in the text."""

    before: int
    after: int
    begin: int
    end: int


def mark(before: int, kept: int) -> str:
    """What stands in the place of what is missing; sizes in bytes."""
    return f"[... cut here: {before:,} bytes, of which {kept:,} are kept ...]"


def shortened(text: str, at_most: int) -> str:
    """A text of at most so many bytes and the mark: of a longer one the beginning and the end."""
    data = text.encode("utf-8", "replace")
    half = max(1, at_most // 2)
    if len(data) <= 2 * half:
        return text
    begin, end = (part.decode("utf-8", "replace") for part in (data[:half], data[-half:]))
    return f"{begin}\n{mark(len(data), 2 * half)}\n{end}"


def cut_of(text: str) -> Cut | None:
    """The cut that a text shows; None: it was not cut.

    A text may quote the mark of another one, which tells other sizes than this text can have.
    """
    if found := next((each for each in _MARK.finditer(text) if _fits(text, each)), None):
        return Cut(_number(found[1]), _number(found[2]), *found.span())
    if (found := _EARLIER_MARK.search(text)) is not None:
        around = _size(text) - _size(found[0])
        if _size(text[: found.start()]) * 4 > around < _size(text[found.end() :]) * 4 + 2 * _NOTES:
            return Cut(around + int(found[1]), around, *found.span())
    return None


def shortened_reason(reason: str) -> str:
    """As much of a reason as a failure takes; the end of a longer one is an ellipsis."""
    return reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"


def _fits(text: str, found: re.Match[str]) -> bool:
    """Whether the sizes are those of this text; bytes that are no text take up to three as the sign for them."""
    before, kept, size = _number(found[1]), _number(found[2]), _size(text) - _size(found[0])
    return kept < before and 0.9 * kept <= size <= 3 * kept + _NOTES


def _number(written: str) -> int:
    return int(written.replace(",", "") or 0)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
