"""Facts of any shape as lines of text, and back."""

from __future__ import annotations

import pytest

from karenina_gui.errors import InputError
from karenina_gui.gui.questions.metadata_rows import from_rows, repeated_names, to_rows


def test_what_nobody_touches_keeps_its_type() -> None:
    facts = {"difficulty": "easy", "year": 2001, "sure": True, "parts": [1, {"a": None}], "digits": "007"}
    assert from_rows(to_rows(facts), facts) == facts


def test_a_new_value_is_text_and_a_changed_number_stays_a_number() -> None:
    rows = [{"key": "year", "value": "2002"}, {"key": "page", "value": "12"}]
    assert from_rows(rows, {"year": 2001}) == {"year": 2002, "page": "12"}


def test_a_number_that_becomes_words_becomes_text() -> None:
    assert from_rows([{"key": "year", "value": "about 2001"}], {"year": 2001}) == {"year": "about 2001"}


def test_lines_without_a_name_are_no_facts() -> None:
    assert from_rows([{"key": " ", "value": " "}, {}], None) is None
    with pytest.raises(InputError, match="Name the fact “easy”"):
        from_rows([{"key": " ", "value": "easy"}], None)


def test_a_repeated_name_loses_no_value_and_is_told_at_its_line() -> None:
    rows = [{"key": "site", "value": "A"}, {"key": "site (2)", "value": "B"}, {"key": " site ", "value": "C"}]
    assert from_rows(rows, None) == {"site": "A", "site (2)": "B", "site (3)": "C"}
    assert list(repeated_names(rows)) == [2]
    assert "kept as “site (3)”" in repeated_names(rows)[2]
