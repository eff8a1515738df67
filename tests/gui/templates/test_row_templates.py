"""Templates that a spreadsheet brings along are ready without an edit."""

from __future__ import annotations

import pytest

from karenina_gui.authoring.template_form.form import read_form
from karenina_gui.gui.pages.templates.row_templates import AUTOMATIC, ROW_STARTERS, is_open, row_template
from karenina_gui.sandbox import Sandbox


@pytest.mark.parametrize(
    ("answer", "type_", "expected"),
    [
        ("CYP3A4", "str", "CYP3A4"),
        ("5 mg", "float", 5),
        ("−2.5 °C", "float", -2.5),
        ("4,64", "float", 4.64),
        ("1.234,5 kg", "float", 1234.5),
        ("12 000", "float", 12000),
        ("18446744073709551615", "float", 18446744073709551615),
        ("5. März 2024", "str", "2024-03-05"),
        ("42%", "float", 42),
        ("Yes, because it binds irreversibly.", "bool", True),
        ("No. It does not.", "bool", False),
        ("1995-03-02", "str", "1995-03-02"),
        ("aspirin, ibuprofen and paracetamol", "list[str]", ["aspirin", "ibuprofen", "paracetamol"]),
        ('protein "p53"', "str", 'protein "p53"'),
    ],
)
def test_the_starter_that_fits_is_filled_in(answer: str, type_: str, expected: object, sandbox: Sandbox) -> None:
    source = row_template(AUTOMATIC, answer)
    assert source is not None
    form = read_form(source)
    assert not isinstance(form, str)
    (field,) = form.fields
    assert (field.type, field.expected) == (type_, expected)
    assert sandbox.outline(source).problems == []


def test_the_unit_of_a_number_is_asked_for() -> None:
    for answer in ("5 mg/kg", "1 234,5 mg/kg"):
        assert "in mg/kg" in (row_template("Number", answer) or "")


@pytest.mark.parametrize(("answer", "title"), [("1,234", "Number"), ("05.03.2024", "Date"), ("12,345 mg", "Number")])
def test_what_may_be_either_of_two_is_left_open_and_not_compared_as_text(answer: str, title: str) -> None:
    source = row_template(AUTOMATIC, answer)
    assert source is not None
    assert source == row_template(title, answer)
    assert is_open(source)


def test_a_sentence_gets_no_template_by_itself() -> None:
    assert row_template(AUTOMATIC, "It blocks the channel when the membrane is depolarized.") is None


@pytest.mark.parametrize("title", ROW_STARTERS)
def test_an_answer_that_does_not_fit_is_left_open_and_never_graded(title: str, sandbox: Sandbox) -> None:
    source = row_template(title, "It is not known, as nobody has looked at it; some say otherwise in long texts.")
    assert source is not None
    assert is_open(source) == bool(sandbox.outline(source).problems)
