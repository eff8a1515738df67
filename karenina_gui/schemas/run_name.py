"""What a run is called to which nobody gave a name."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime


def by_date(moment: datetime) -> str:
    """`21 Nov 2026, 12:03`."""
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def told_apart(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where others have it: `21 Nov 2026, 12:03 (2)`."""
    numbered = (name, *(f"{name} ({number})" for number in range(2, len(taken) + 2)))
    return next(each for each in numbered if each not in taken)


def is_by_date(name: str) -> bool:
    """Whether a run is called by nothing but the time when it began."""
    return re.fullmatch(r"\d{1,2} \S+ \d{4}, \d\d:\d\d( \(\d+\))?", name) is not None
