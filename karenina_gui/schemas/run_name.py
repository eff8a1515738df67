"""Default names of runs."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime


def by_date(moment: datetime) -> str:
    """`21 Nov 2026, 12:03`."""
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def told_apart(name: str, taken: Collection[str]) -> str:
    """The name, with a number appended if others have it: `21 Nov 2026, 12:03 (2)`."""
    numbered = (name, *(f"{name} ({number})" for number in range(2, len(taken) + 2)))
    return next(each for each in numbered if each not in taken)


def is_by_date(name: str) -> bool:
    """True if a run's name is only the time of its start."""
    # `\S+` for the month, whose name depends on the locale.
    return re.fullmatch(r"\d{1,2} \S+ \d{4}, \d\d:\d\d( \(\d+\))?", name) is not None
