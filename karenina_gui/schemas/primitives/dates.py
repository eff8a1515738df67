"""Primitives for dates. An extracted text that is not a date fails; an expected one raises `ValueError`.

A judge is asked again for a text that may name a day, but in more than one way or in a notation that is not read here.

Dates are read as ISO 8601 or in common notations (see `written_dates`), unless a `strptime` `format` is given. If only
one of two times names its zone, the other is taken as UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from pydantic import Field

from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive
from karenina_gui.schemas.primitives.written_dates import may_name_a_day, written_date

A_DATE = "a date such as 2020-01-31 or Jan 31, 2020"


class DatePrimitive(ComparisonPrimitive):
    """Compares dates."""

    @property
    def notation(self) -> str:
        return "YYYY-MM-DD, followed by the time of day where that is stated, as in 2020-01-31T14:30"

    def is_readable(self, extracted: Any) -> bool:
        return _moment(extracted) is not None or not may_name_a_day(str(extracted))


class DateMatch(DatePrimitive):
    """The same calendar day; the time of day plays no part."""

    format: str | None = None

    @property
    def notation(self) -> str:
        return f"a date in the strptime format {self.format}" if self.format else "YYYY-MM-DD"

    def is_readable(self, extracted: Any) -> bool:
        if _moment(extracted, self.format) is not None:
            return True
        return _moment(extracted) is None and not may_name_a_day(str(extracted))

    def check(self, extracted: Any, expected: Any) -> bool:
        expected_date = _expected_moment(expected, self.format)
        moment = _moment(extracted, self.format)
        return moment is not None and moment.date() == expected_date.date()


class DateTolerance(DatePrimitive):
    """At most `tolerance` units earlier or later, the limit included."""

    tolerance: int = Field(ge=0)
    unit: Literal["days", "hours", "minutes"] = "days"

    def check(self, extracted: Any, expected: Any) -> bool:
        expected_moment = _expected_moment(expected)
        moment = _moment(extracted)
        return moment is not None and abs(_utc(moment) - _utc(expected_moment)) <= self._reach()

    def _reach(self) -> timedelta:
        try:
            return timedelta(**{self.unit: self.tolerance})
        except OverflowError:
            raise ValueError(f"the tolerance of {self.tolerance:,} {self.unit} is too large") from None


class DateRange(DatePrimitive):
    """Between `min` and `max`, both included (None: no limit); the expected value plays no part.

    A limit without a time of day stands for the whole day.
    """

    min: str | None = None
    max: str | None = None

    def check(self, extracted: Any, expected: Any) -> bool:
        earliest = datetime.min if self.min is None else _limit(self.min)
        latest = datetime.max if self.max is None else _last_moment(self.max)
        moment = _moment(extracted)
        return moment is not None and _utc(earliest) <= _utc(moment) <= _utc(latest)


def _moment(value: Any, form: str | None = None) -> datetime | None:
    """Parse a date; None: the value is not one."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time.min)
    text = str(value).strip()
    try:
        return datetime.strptime(text, form) if form else datetime.fromisoformat(text)
    except ValueError:
        return None if form else written_date(text)
    except re.error:
        # `strptime` turns the format into a pattern with one named group for each part.
        raise ValueError(f"the format {form} contains a part of the date twice") from None


def _expected_moment(value: Any, form: str | None = None) -> datetime:
    moment = _moment(value, form)
    if moment is None:
        fault = f"is not in the format {form}" if form else f"cannot be read as {A_DATE}"
        raise ValueError(f"the expected date {value!r} {fault}")
    return moment


def _limit(value: str) -> datetime:
    moment = _moment(value)
    if moment is None:
        raise ValueError(f"the limit {value!r} cannot be read as {A_DATE}")
    return moment


def _last_moment(limit: str) -> datetime:
    moment = _limit(limit)
    # A day as the upper limit includes all of its hours.
    return moment if _HOUR.search(limit) else datetime.combine(moment, time.max, moment.tzinfo)


# A time of day: 14:30, or the hour alone as in 2020-01-31T14.
_HOUR = re.compile(r":|\dT\d\d|\d \d\d(?!\d\d)", re.ASCII)


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
