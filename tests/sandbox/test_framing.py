"""Frames on a pipe, and replies as JSON whatever an author's code put into them."""

from __future__ import annotations

import json
import math
import os
import threading

import pytest

from karenina_gui.sandbox.framing import body_of, in_utf8, read_frame, with_length, write_frame


class Own:
    def __str__(self) -> str:
        return "its own"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (Own(), "its own"),
        ({1: [Own(), None, True]}, {"1": ["its own", None, True]}),
        ((1, 2.5, "é"), [1, 2.5, "é"]),
        ({"one"}, ["one"]),
    ],
)
def test_what_json_lacks_becomes_text(value: object, written: object) -> None:
    assert json.loads(body_of({"value": value})) == {"value": written}


def test_numbers_too_long_for_digits_and_long_texts_are_cut() -> None:
    found = json.loads(body_of({"number": 1 << 20_000, "also": Own(), "text": "x" * 5000}))
    assert found["number"].startswith("0x1") and len(found["number"]) == 1000
    assert found["text"] == "x" * 5000


def test_frames_follow_one_another_and_end_with_the_pipe() -> None:
    read, write = os.pipe()
    bodies = [b"", b"{}", in_utf8("half a pair: \ud800"), b"x" * 300_000]

    def send() -> None:
        for body in bodies:
            write_frame(write, body)
        os.write(write, with_length(b"cut off")[:6])
        os.close(write)

    sender = threading.Thread(target=send)
    sender.start()
    assert [read_frame(read) for _ in bodies] == bodies
    with pytest.raises(EOFError):
        read_frame(read)
    sender.join()
    os.close(read)
