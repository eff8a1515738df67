"""Default names of runs."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime


def by_date(moment: datetime) -> str:
    """`Nov 21, 2026, 12:03`."""
    return f"{moment:%b} {moment.day}, {moment:%Y, %H:%M}"


def unique_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number appended if others have it: `Nov 21, 2026, 12:03 (2)`."""
    numbered = (name, *(f"{name} ({number})" for number in range(2, len(taken) + 2)))
    return next(candidate for candidate in numbered if candidate not in taken)


def title_of(run_id: int, name: str) -> str:
    """Name for people, or `Run 3` if the name is only the time of the start, which is shown beside it."""
    return f"Run {run_id}" if is_by_date(name) else name


def is_by_date(name: str) -> bool:
    """True if a run's name is only the time of its start."""
    # `\S+` for the month, whose name depends on the locale. Older runs have the day in front.
    return re.fullmatch(r"(\S+ \d{1,2},|\d{1,2} \S+) \d{4}, \d\d:\d\d( \(\d+\))?", name) is not None
