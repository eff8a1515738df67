"""Exit codes of all commands, and what they print."""

from __future__ import annotations

import logging
import re
import sys

DONE = 0
PARTLY = 1
"""The results were written, but some jobs ended with errors or some rows were skipped."""
BAD_INPUT = 2
"""Nothing was done; the message says how to correct the input."""
INTERRUPTED = 130


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that control a terminal or the direction of text, except tabs and line feeds."""


def printable(text: str) -> str:
    """The text with visible codes for control characters: names from files could change what a terminal shows."""
    return _CONTROL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


class PrintableFormatter(logging.Formatter):
    """Formatter of messages for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


def say(text: str) -> None:
    """A line of the result."""
    print(printable(text))


def complain(text: str) -> None:
    """A line on the error stream."""
    print(printable(text), file=sys.stderr)


def warn(text: str) -> None:
    """A line on the error stream that people and scripts find by its first word."""
    complain(f"warning: {text}")
