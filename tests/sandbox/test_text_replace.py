"""Matches in texts with their replacements: in this process for plain text, in a process of its own for expressions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from karenina_gui.sandbox import Sandbox
from karenina_gui.sandbox.inside import text_replace
from karenina_gui.schemas.text_edits import TextSearch


def test_an_endless_expression_is_stopped_and_the_next_one_runs(sandbox: Sandbox) -> None:
    endless = sandbox.find(TextSearch(text="(a+)+$", is_regex=True), ["a" * 60 + "!"])
    assert endless.error is not None and endless.error.startswith("The search was stopped after")
    found = sandbox.find(TextSearch(text=r"(\d+) mg", replacement="$1 g", is_regex=True), ["3 mg, 5 mg", "none"])
    assert found.items == [[(0, 4, "3 g"), (6, 10, "5 g")], []]


def test_the_matches_of_one_request_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_replace, "MOST", 3)
    request = {"search": TextSearch(text="a").model_dump(), "texts": ["aa", "aa", "aa"]}
    assert [len(found) for found in text_replace.find_each(request)["items"]] == [2, 1, 0]


@given(text=st.text("aA b.$(", max_size=20), sought=st.text("aA b.$(", min_size=1, max_size=3))
def test_plain_text_is_found_as_python_finds_it(text: str, sought: str) -> None:
    request = {"search": TextSearch(text=sought, replacement="$1", match_case=True).model_dump(), "texts": [text]}
    (found,) = text_replace.find_each(request)["items"]
    assert [(start, end) for start, end, _ in found] == [match.span() for match in re.finditer(re.escape(sought), text)]
    assert {new for *_, new in found} <= {"$1"}
