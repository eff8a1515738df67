"""Errors of author-written code as values, and what it printed."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from karenina_gui.sandbox.inside.json_values import message_of
from karenina_gui.schemas.pattern_faults import fault_sentence

PRINTED_AT_MOST = 8 * 1024
"""Characters of output to keep."""

AUTHORS_LINE = "line_of_author"
"""Attribute of an error that was raised elsewhere: the line in the author's code."""
LONGEST_KIND = 80
"""Characters to keep of an error's type."""

_SPEAKS_FOR_ITSELF = (SyntaxError, ValueError, TypeError, NameError, ImportError, NotImplementedError)


@dataclass(frozen=True)
class AuthorError:
    """An error in author-written code. `line` is 1-based; None if it is in none of the author's lines."""

    kind: str
    message: str
    line: int | None
    column: int | None = None
    speaks_for_itself: bool = False

    @property
    def text(self) -> str:
        """Kind and message."""
        return f"{self.kind}: {self.message}"

    @property
    def sentence(self) -> str:
        """The message alone where it needs no kind to be understood."""
        return self.message if self.speaks_for_itself else self.text


def author_error(error: BaseException, namespace: dict[str, Any]) -> AuthorError:
    """Convert an error to a value. `namespace`: globals of the code, by which its own lines are recognized."""
    kind = type(error).__name__[:LONGEST_KIND]
    if isinstance(error, SyntaxError) and error.filename == "<string>":
        column = error.offset - 1 if error.offset else None
        return AuthorError(kind, message_of(error), error.lineno, column, speaks_for_itself=True)
    line = getattr(error, AUTHORS_LINE, None) or _last_line(error, namespace)
    if isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
        return AuthorError(kind, f"the code tried to end the program ({message_of(error)})", line)
    if isinstance(error, MemoryError):
        return AuthorError(kind, "the code needs more memory than it may use", line)
    if isinstance(error, PermissionError):
        return AuthorError(kind, "the code cannot open files, use the network, or start programs", line)
    if isinstance(error, re.error):
        return AuthorError(kind, fault_sentence(error), line, speaks_for_itself=True)
    if isinstance(error, RecursionError):
        return AuthorError(kind, "a function calls itself without end", line)
    return AuthorError(kind, message_of(error), line, speaks_for_itself=isinstance(error, _SPEAKS_FOR_ITSELF))


def _last_line(error: BaseException, namespace: dict[str, Any]) -> int | None:
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_globals is namespace:
            line = step.tb_lineno
        step = step.tb_next
    return line


class PrintedOutput(io.TextIOBase):
    """Text stream that keeps the first 8 KiB."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = PRINTED_AT_MOST

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._room > 0:
            self._parts.append(text[: self._room])
            self._room -= len(self._parts[-1])
        return len(text)

    @property
    def text(self) -> str:
        return "".join(self._parts)


@contextmanager
def capture_output() -> Iterator[PrintedOutput]:
    """Capture standard output and standard error within the block."""
    output = PrintedOutput()
    with redirect_stdout(output), redirect_stderr(output):
        yield output
