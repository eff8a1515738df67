"""Facts of any shape as lines of text, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from karenina_gui.errors import InputError
from karenina_gui.gui.kit.metadata_rows import from_rows, repeated_names, rows_of_sources, sources_of, to_rows


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
    with pytest.raises(InputError, match="Enter a name for “easy”"):
        from_rows([{"key": " ", "value": "easy"}], None)


def test_a_repeated_name_loses_no_value_and_is_told_at_its_line() -> None:
    rows = [{"key": "site", "value": "A"}, {"key": "site (2)", "value": "B"}, {"key": " site ", "value": "C"}]
    assert from_rows(rows, None) == {"site": "A", "site (2)": "B", "site (3)": "C"}
    assert list(repeated_names(rows)) == [2]
    assert "saved as “site (3)”" in repeated_names(rows)[2]


SOURCES = [
    {"name": "A textbook", "url": "https://example.org", "page": 12, "doi": "10.1000/182"},
    {"@type": "CreativeWork", "name": "A talk"},
    {"url": "doi:10.1000/182", "authors": ["Ada", "Bo"]},
]


def test_sources_keep_what_has_no_column_of_its_own() -> None:
    rows = rows_of_sources(SOURCES)
    assert [row.get("more") for row in rows] == ["page: 12; doi: 10.1000/182", None, 'authors: ["Ada", "Bo"]']
    assert sources_of(rows) == SOURCES
    assert sources_of([]) is None and rows_of_sources(None) == []


def test_what_is_entered_of_a_source_gets_its_name_and_keeps_its_type() -> None:
    rows = rows_of_sources(SOURCES)
    rows[0]["more"] = "page: 13; see https://example.org/x; section: 3"
    rows[1]["more"] = "chapter two"
    assert sources_of(rows[:2]) == [
        {"name": "A textbook", "url": "https://example.org", "page": 13, "note": "see https://example.org/x",
         "section": "3"},
        {"@type": "CreativeWork", "name": "A talk", "note": "chapter two"},
    ]  # fmt: skip


@given(st.lists(st.dictionaries(st.text(min_size=1, max_size=9), st.text(max_size=20) | st.integers() | st.booleans())))
def test_sources_of_any_shape_are_as_before_where_nobody_typed(sources: list[dict[str, Any]]) -> None:
    assume(not any({"more", "_rest"} & source.keys() for source in sources))
    assert sources_of(rows_of_sources(sources)) == (sources or None)
