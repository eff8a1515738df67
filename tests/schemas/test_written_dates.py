"""Dates as people write them: read where they have one meaning, and only there."""

from __future__ import annotations

from datetime import datetime

import pytest

from karenina_gui.schemas.primitives import DateMatch, DateRange, DateTolerance
from karenina_gui.schemas.primitives.written_dates import written_date


@pytest.mark.parametrize(
    "text",
    [
        *("Jan 2, 2020", "january 2 2020", "Jan. 2nd, 2020", "2 January 2020", "2nd of January, 2020", "02-Jan-2020"),
        *("Thursday, January 2, 2020", "Thu, 2 Jan 2020", "the 2nd of January 2020", "2020/1/2", "2020.01.02"),
        *(" 2 JAN 2020 ", "January 2, 2020 at 10:30", "2 Jan 2020, 9:05 pm"),
    ],
)
def test_the_same_day_in_many_ways(text: str) -> None:
    assert DateMatch().check(text, "2020-01-02")
    assert DateMatch().check("2020-01-02", text)
    assert not DateMatch().check(text, "2020-02-01")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("31/01/2020", datetime(2020, 1, 31)),
        ("01/31/2020", datetime(2020, 1, 31)),
        ("31.01.2020", datetime(2020, 1, 31)),
        ("03/03/2020", datetime(2020, 3, 3)),
        ("Sept 5, 2021 12:15 am", datetime(2021, 9, 5, 0, 15)),
        ("May 1, 1999 12:15 PM", datetime(1999, 5, 1, 12, 15)),
    ],
)
def test_what_has_one_meaning_is_read(text: str, moment: datetime) -> None:
    assert written_date(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "01/02/2020",
        "1.2.2020",
        "Feb 30, 2020",
        "13/13/2020",
        "Jan 2",
        "2020",
        "Maybe 2, 2020",
        "2 2020",
        "",
        "x" * 9999,
    ],
)
def test_what_is_no_date_or_could_be_two_is_not(text: str) -> None:
    assert written_date(text) is None


def test_the_other_comparisons_of_dates_read_them_too() -> None:
    assert DateTolerance(tolerance=1).check("Jan 3, 2020", "2020-01-02")
    assert DateRange(min="Jan 1, 2020", max="Dec 31, 2020").check("July 4, 2020", None)
    assert not DateMatch(format="%d/%m/%Y").check("Jan 2, 2020", "02/01/2020")
