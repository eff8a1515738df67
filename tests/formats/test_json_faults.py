"""Faults of JSON files in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.json_text import parse_content


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a" 1}', "a colon is missing"),
        ('{"a": 1 "b": 2}', "a comma is missing"),
        ("{a: 1}", "a name in double quotes is missing"),
        ("", "a value is missing"),
        ("[1] 2", "there is text after the end"),
        ('{"a": "x', "a closing quote is missing"),
        ('"a\nb"', "there is a line break or tab inside a text"),
        ('"\\q"', "a backslash is not followed by a valid letter"),
        ('"\\u12"', "a backslash is not followed by a valid letter"),
    ],
)
def test_a_fault_is_said_without_the_words_of_python(text: str, reason: str) -> None:
    with pytest.raises(FileFormatError, match=f"q.json is not valid JSON: {reason} ") as caught:
        parse_content(text.encode(), Path("q.json"))
    assert "line 1, column" in str(caught.value)
