"""Bytes from a cell: read as what they should be, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel

from karenina_gui.sandbox.reply import read_reply


class Note(BaseModel):
    text: str = ""
    anything: Any = None


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_without_an_error(body: bytes) -> None:
    found = read_reply(body, Note)
    assert found is None or isinstance(found, Note)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'{"text": 3}',
        b'{"text": "a"',
        b'{"anything": NaN}',
        b'{"anything": -Infinity}',
        b'{"anything": ' + b"9" * 5000 + b"}",
        b'{"anything": ' + b"[" * 65 + b"]" * 65 + b"}",
        b"[" * 1_000_000,
        b'{"text": "\xff"}',
    ],
)
def test_what_is_not_the_expected_json_is_nothing(body: bytes) -> None:
    assert read_reply(body, Note) is None


def test_ordinary_json_comes_through_as_it_is() -> None:
    value = {"list": [1, 2.5, None, True, "é", "😀"], "deep": [[[[{}]]]]}
    assert read_reply(json.dumps({"text": "x", "anything": value}).encode(), Note) == Note(text="x", anything=value)


def test_half_characters_become_the_replacement_character() -> None:
    found = read_reply(b'{"text": "a\\ud800b", "anything": {"\\uDFFF": ["\\ud83d\\ude00"]}}', Note)
    assert found == Note(text="a\ufffdb", anything={"\ufffd": ["\U0001f600"]})


def test_half_characters_are_replaced_however_they_were_sent() -> None:
    for half in (b"\xed\xa0\xbd", b"\\ud83d", b"\\uD83D"):
        found = read_reply(b'{"text": "a ' + half + b'"}', Note)
        assert found is not None
        assert found.text.startswith("a \ufffd")
        found.text.encode()
