"""Faults of JSON files in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.json_text import MOST_DEPTH, parse_content, read_json


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


@pytest.mark.parametrize("depth", [MOST_DEPTH - 2, MOST_DEPTH + 1, 480])
def test_what_is_nested_too_deeply_to_be_saved_is_refused(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "mine.jsonld"
    path.write_text('{"a":' * depth + "[]" + "}" * depth)
    if depth < MOST_DEPTH:
        assert read_json(path)["a"]
        return
    with pytest.raises(FileFormatError, match="nested too deeply"):
        read_json(path)
