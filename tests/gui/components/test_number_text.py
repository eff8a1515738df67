"""Numbers as people write them: read where they have one meaning, and said to be."""

from __future__ import annotations

import pytest

from karenina_gui.gui.components.number_text import number_in, number_reading


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("4,64", 4.64), ("1.234,5", 1234.5), ("-0,125", -0.125), ("1234,567", 1234.567), (",5", 0.5)),
        *(("1,234,567", 1234567), ("1,234.5", 1234.5), ("1.234.567", 1234567), ("1.234.567,8", 1234567.8)),
        *(("1 234,5", 1234.5), ("12\u202f000", 12000), ("1'234.5", 1234.5), ("\N{MINUS SIGN}4,5", -4.5)),
    ],
)
def test_another_notation_is_read_and_said(text: str, number: float) -> None:
    assert number_in(text) == number
    assert number_reading(text) == f"Read as {number_in(text)}."


@pytest.mark.parametrize(("text", "number"), [("4.64", 4.64), ("1.234", 1.234), ("-3", -3), ("five", None)])
def test_the_usual_notation_and_words_need_no_remark(text: str, number: float | None) -> None:
    assert number_in(text) == number
    assert number_reading(text) == ""


@pytest.mark.parametrize("text", ["1,234", "-12,345", "1,2,3", "12.34,5", "12,34.5"])
def test_what_may_be_two_numbers_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is ambiguous"):
        number_in(text)
    assert number_reading(text) == ""
