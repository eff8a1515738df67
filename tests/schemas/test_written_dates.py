"""Dates as people write them: read where they have one meaning, and only there."""

from __future__ import annotations

from datetime import datetime

import pytest

from karenina_gui.schemas.primitives import DateMatch, DateRange, DateTolerance
from karenina_gui.schemas.primitives.written_dates import may_name_a_day, written_date


@pytest.mark.parametrize(
    "text",
    [
        *("Jan 2, 2020", "january 2 2020", "Jan. 2nd, 2020", "2 January 2020", "2nd of January, 2020", "02-Jan-2020"),
        *("Thursday, January 2, 2020", "Thu, 2 Jan 2020", "the 2nd of January 2020", "2020/1/2", "2020.01.02"),
        *(" 2 JAN 2020 ", "January 2, 2020 at 10:30", "2 Jan 2020, 9:05 pm", "Thu, 02 Jan 2020 10:30:00 GMT"),
        *("2. Januar 2020", "Donnerstag, den 2. Januar 2020", "2.Jänner 2020", "2 janvier 2020", "le 2 janv. 2020"),
        *("2 de enero de 2020", "2 gennaio 2020", "2 de janeiro de 2020", "2 januari 2020", "2020 January 2"),
        *("2020-01-02 (Thursday)", "Thursday, 2020-01-02", "2020-01-02, Thu", "2020-01-02 (Do.)", "2/Jan/2020"),
        *(
            "2020年1月2日",
            "2020年1月2日（木）",
            "2020년 1월 2일",
            "2020. 1. 2.",
            "2020\u201101\u201102",
            "２０２０-０１-０２",
        ),
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
        ("31. 1. 2020", datetime(2020, 1, 31)),
        ("5. M\u00e4rz 2024", datetime(2024, 3, 5)),
        ("5. Ma\u0308rz 2024", datetime(2024, 3, 5)),
        ("mar 5 mars 2024", datetime(2024, 3, 5)),
        ("1er août 2024", datetime(2024, 8, 1)),
        ("1º de março de 2024", datetime(2024, 3, 1)),
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
        "05.03.2024",
        "5-Mar-24",
        "05/03/24",
        "before 5 March 2024",
        "5 March 2024 or 6 March 2024",
        "2024-03-05 (approximately)",
        "März 2024",
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


def test_a_last_day_in_words_lasts_until_midnight() -> None:
    assert DateRange(max="December 31 2020").check("2020-12-31T18:00", None)
    assert not DateRange(max="December 31 2020, 17:00").check("2020-12-31T18:00", None)


@pytest.mark.parametrize(
    "text",
    [
        "03/05/2024",
        "5-Mar-24",
        "5 March",
        "the fifth of March 2024",
        "5 marca 2024",
        "5 марта 2024 г.",
        "2024-03-05 14:30 CET",
    ],
)
def test_a_text_that_is_not_read_may_name_a_day(text: str) -> None:
    assert written_date(text) is None
    assert may_name_a_day(text)


@pytest.mark.parametrize(
    "text",
    ["", "unknown", "not stated", "N/A", "March 2024", "2024", "2024-03", "44 BC", "2024-02-30", "31 February 2024"],
)
def test_a_text_without_a_day_names_none(text: str) -> None:
    assert written_date(text) is None
    assert not may_name_a_day(text)


@pytest.mark.parametrize(
    "text",
    [
        *('"2024-03-05"', "`2024-03-05`", "**2024-03-05**", "March 5, 2024."),
        *("5 March 2024 AD", "am Dienstag, 5. März 2024"),
    ],
)
def test_marks_around_a_date_are_left_out(text: str) -> None:
    assert written_date(text) == datetime(2024, 3, 5)
