"""Numbers as people write them: read where they have one meaning, and said to be."""

from __future__ import annotations

import pytest

from karenina_gui.gui.kit.number_text import NumberLimits, number_in, number_reading


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


@pytest.mark.parametrize(
    ("limits", "entered", "number"),
    [
        (NumberLimits(1, whole=True), 3.0, 3),
        (NumberLimits(0, most=1), 1, 1.0),
        (NumberLimits(above=0), None, None),
        (NumberLimits(), -7.5, -7.5),
    ],
)
def test_a_number_of_a_control_is_read_as_its_field_has_it(
    limits: NumberLimits, entered: float | None, number: float | None
) -> None:
    assert repr(limits.read(entered)) == repr(number)


@pytest.mark.parametrize(
    ("limits", "entered", "sentence"),
    [
        (NumberLimits(1, most=64, whole=True), 2.5, "A whole number from 1 to 64."),
        (NumberLimits(1, most=64, whole=True), 65, "A whole number from 1 to 64."),
        (NumberLimits(above=0), 0, "A number above 0."),
        (NumberLimits(most=5), float("inf"), "A number, 5 at most."),
    ],
)
def test_a_number_out_of_range_is_refused_with_the_range(limits: NumberLimits, entered: float, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        limits.read(entered)
    with pytest.raises(ValueError, match=r"Less\."):
        limits.read(entered, "Less.")
