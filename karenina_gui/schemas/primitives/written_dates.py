"""English dates in common notations: `Jan 2, 2020`, `2 January 2020`, `Thursday, January 2nd, 2020`, `2020/1/2`.

Only unambiguous ones: `01/02/2020` is January to some and February to others, so it is read only if the month cannot be
the day (`31/01/2020`), or with a `format`. The month names are ours, since those of `strptime` depend on the computer's
locale.
"""

from __future__ import annotations

import re
from datetime import datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "sept",
    *_MONTHS,
)
_MONTH = rf"(?P<month>{'|'.join(sorted(_NAMES, key=len, reverse=True))})\.?"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_TIME = r"(?:,?\s+(?:at\s+)?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:\s*(?P<half>[ap])\.?m\.?)?)?"
_FORMS = [
    re.compile(form + _TIME, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY},?\s+{_YEAR}",
        rf"{_WEEKDAY}(?:the\s+)?{_DAY}(?:\s+of)?[\s-]+{_MONTH},?[\s-]+{_YEAR}",
        rf"{_YEAR}(?P<mark>[-/.])(?P<number>\d{{1,2}})(?P=mark){_DAY}",
        rf"(?P<first>\d{{1,2}})(?P<mark>[-/.])(?P<second_number>\d{{1,2}})(?P=mark){_YEAR}",
    )
]


def written_date(text: str) -> datetime | None:
    """Parse a date; None: it is not one, or is ambiguous."""
    found = next((match for form in _FORMS if (match := form.fullmatch(text.strip()))), None)
    if found is None:
        return None
    parts = found.groupdict()
    month_and_day = _month_and_day(parts)
    # 30 February has the form of a date.
    try:
        return None if month_and_day is None else datetime(int(parts["year"]), *month_and_day, *_time(parts))
    except ValueError:
        return None


def _month_and_day(parts: dict[str, str | None]) -> tuple[int, int] | None:
    if name := parts.get("month"):
        return _MONTHS.index(name[:3].lower()) + 1, int(parts["day"] or 0)
    if number := parts.get("number"):
        return int(number), int(parts["day"] or 0)
    first, second = int(parts["first"] or 0), int(parts["second_number"] or 0)
    if first == second or first > 12:
        return second, first
    return (first, second) if second > 12 else None


def _time(parts: dict[str, str | None]) -> tuple[int, int, int]:
    hour, half = int(parts["hour"] or 0), parts["half"]
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    return hour, int(parts["minute"] or 0), int(parts["second"] or 0)
