"""Formatting of numbers and names in texts: counted nouns, lists, percentages, durations, time zones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime


def quantity(number: int, noun: str) -> str:
    """Number with its noun: `1 job`, `1,600 jobs`, `2 replies`."""
    return f"{number:,} {plural(number, noun)}"


def plural(number: int, noun: str) -> str:
    """Noun in the form for the number: `question` for 1, `questions` for all others, 0 included."""
    if number == 1:
        return noun
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"


def verb(number: int, one: str, many: str) -> str:
    """Form of a verb, or any other word, for the number: `is` and `are`."""
    return one if number == 1 else many


def join_list(items: Sequence[str], word: str = "and") -> str:
    """List in a sentence: `A`, `A and B`, `A, B, and C`; empty for no items."""
    if len(items) < 3:
        return f" {word} ".join(items)
    return f"{', '.join(items[:-1])}, {word} {items[-1]}"


def quote_list(names: Iterable[str]) -> str:
    """List of names in a sentence: `“A”, “B”, and “C”`."""
    return join_list([f"“{name}”" for name in names])


def percent(share: float) -> str:
    """Percentage of a share from 0 to 1, rounded half up: `77%`.

    `100%` and `0%` are exact; values close to them are `>99%` and `<1%`.
    """
    if share in (0, 1):
        return "100%" if share else "0%"
    # The addend keeps halves that floating point has made slightly smaller.
    whole = math.floor(share * 100 + 0.5 + 1e-9)
    if whole >= 100 and share < 1:
        return ">99%"
    return "<1%" if whole <= 0 else f"{whole}%"


def size_in_words(size: float) -> str:
    """A size in bytes as `340 bytes`, `12 kB` or `3.4 MB`."""
    if size < 1000:
        return quantity(int(size), "byte")
    for unit, one in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if size < one * 1000 or unit == "GB":
            figure = size / one
            return f"{figure:,.1f} {unit}" if figure < 9.95 else f"{figure:,.0f} {unit}"
    raise AssertionError


def duration(seconds: float) -> str:
    """Measured time: `<1 ms`, `12 ms`, `1.24 s`, `3 min 05 s`, `1 h 12 min`."""
    if seconds < 0.001:
        return "<1 ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def rough_duration(seconds: float) -> str:
    """Estimated time, 1 s or more: `2 s`, `3 min`, `1 h 12 min`."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 3600 else duration(seconds)


def zone_of(moment: datetime) -> str:
    """Time zone of an aware time: “CET”, or “UTC+05:30” where it has no short name."""
    name = moment.tzname() or ""
    # Windows has long names, some zones have numbers.
    return name if name.isalpha() and len(name) <= 5 else f"UTC{moment.isoformat()[-6:]}"
