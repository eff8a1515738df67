"""Formatting of numbers and names."""

from __future__ import annotations

import pytest

from karenina_gui.text import duration, join_list, percent, plural, quantity, rough_duration, verb


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        *[(0, 7, "0%"), (7, 7, "100%"), (1, 2, "50%"), (1, 3, "33%"), (2, 16, "13%"), (29, 200, "15%")],
        *[(999, 1000, ">99%"), (199, 200, ">99%"), (1, 300, "<1%"), (1, 200, "1%"), (198, 200, "99%")],
    ],
)
def test_only_all_is_100_percent_and_only_none_is_0(part: int, whole: int, text: str) -> None:
    assert percent(part / whole) == text


def test_a_number_comes_with_its_noun() -> None:
    cases = [(1, "job"), (1600, "job"), (0, "job"), (2, "reply"), (1, "reply"), (3, "key"), (2, "class"), (2, "match")]
    texts = ["1 job", "1,600 jobs", "0 jobs", "2 replies", "1 reply", "3 keys", "2 classes", "2 matches"]
    assert [quantity(number, noun) for number, noun in cases] == texts
    assert (plural(1, "try"), plural(2, "try")) == ("try", "tries")
    assert (verb(1, "is", "are"), verb(0, "is", "are"), verb(2, "is", "are")) == ("is", "are", "are")


def test_a_list_reads_like_a_sentence() -> None:
    lists = [[], ["A"], ["A", "B"], ["A", "B", "C"], ["A", "B", "C", "D"]]
    assert [join_list(each) for each in lists] == ["", "A", "A and B", "A, B, and C", "A, B, C, and D"]
    assert join_list(["A", "B", "C"], "or") == "A, B, or C"


def test_times_have_the_unit_that_suits_them() -> None:
    measured = [0.0004, 0.012, 1.239, 12.34, 185, 4320]
    assert [duration(each) for each in measured] == ["<1 ms", "12 ms", "1.24 s", "12.3 s", "3 min 05 s", "1 h 12 min"]
    assert [rough_duration(each) for each in (0.2, 2.4, 170, 4320)] == ["1 s", "2 s", "3 min", "1 h 12 min"]
