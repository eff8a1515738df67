"""JSON value by value, so that a file of any length needs no more memory than its largest value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TextIO

from karenina_gui.formats.json_text import is_too_dense, json_fault
from karenina_gui.text.surrogates import without_surrogates

CHUNK = 1 << 20
"""Number of characters that are read at a time."""
LARGEST_VALUE = 1 << 26
"""Characters of one value, which is read at once."""
_SPACE = " \t\n\r"
_AT_THE_EDGE = 32
"""A fault so near to what is read may be healed by what comes next: a half number, word or escape."""


class JsonFault(ValueError):
    """A text that is no JSON from `line` on."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(f"{reason} on line {line}")
        self.line = line


class JsonStream:
    """Reads a text once, from its beginning to its end.

    Whoever is told of a member or an element takes it before asking for the next.
    """

    def __init__(self, file: TextIO, chunk: int = CHUNK) -> None:
        self._file = file
        self._chunk = chunk
        self._text = ""
        self._at = 0
        self._lines = 1
        self._ended = False
        self._decoder = json.JSONDecoder(parse_constant=lambda _: None)  # NaN, which is no JSON

    def peek(self) -> str:
        """The sign that comes next, without spaces; empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if self._ended:
                return ""
            self._read_on()

    def value(self) -> object:
        """The whole value that comes next."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as fault:
                if self._ended or not self._may_heal(fault):
                    raise self._fault(json_fault(fault), fault.pos) from fault
            except RecursionError as fault:
                raise self._fault("A value is nested too deeply", self._at) from fault
            except ValueError as fault:  # Python reads no number of more than some thousand digits
                raise self._fault("A number is too long", self._at) from fault
            else:
                if end < len(self._text) or self._ended:  # else a number may go on
                    self._at = end
                    return without_surrogates(value)
            self._read_on()

    def members(self) -> Iterator[str]:
        """Names in the object that comes next."""
        self._take("{")
        if self._skip("}"):
            return
        while True:
            if self.peek() != '"':
                raise self._fault("A quoted name is missing", self._at)
            name = str(self.value())
            self._take(":")
            yield name
            if self._skip("}"):
                return
            self._take(",")

    def elements(self) -> Iterator[int]:
        """Numbers, from 1, of the elements in the list that comes next."""
        self._take("[")
        if self._skip("]"):
            return
        number = 1
        while True:
            yield number
            number += 1
            if self._skip("]"):
                return
            self._take(",")

    def _take(self, sign: str) -> None:
        if self.peek() != sign:
            actual = repr(self.peek()) if self.peek() else "the end of the file"
            raise self._fault(f"expected {sign!r}, found {actual}", self._at)
        self._at += 1

    def _skip(self, sign: str) -> bool:
        if self.peek() != sign:
            return False
        self._at += 1
        return True

    def _may_heal(self, fault: json.JSONDecodeError) -> bool:
        return fault.msg.startswith("Unterminated") or fault.pos > len(self._text) - _AT_THE_EDGE

    def _read_on(self) -> None:
        """Read the next piece and drop what is done with.

        What is kept is at most doubled, so that a long value is not tried too often.
        """
        rest = self._text[self._at :]
        if len(rest) > LARGEST_VALUE or is_too_dense(rest):
            raise self._fault("A value is too large", self._at)
        more = self._file.read(max(self._chunk, len(rest)))
        self._lines += self._text.count("\n", 0, self._at)
        self._text, self._at, self._ended = rest + more, 0, not more

    def _fault(self, reason: str, position: int) -> JsonFault:
        return JsonFault(reason[:1].upper() + reason[1:], self._lines + self._text.count("\n", 0, position))
