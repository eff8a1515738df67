"""Errors of author-written code as values, and what it printed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from karenina_gui.sandbox.inside.json_values import message_of

PRINTED_AT_MOST = 8 * 1024
"""Characters of output that are kept."""

AUTHORS_LINE = "line_of_author"
"""Attribute of an error that was raised elsewhere: the line of the author's code."""
LONGEST_KIND = 80
"""Characters of an error's type that are kept."""

_SPEAKS_FOR_ITSELF = (SyntaxError, ValueError, TypeError, NameError, ImportError, NotImplementedError)


@dataclass(frozen=True)
class AuthorError:
    """What went wrong in author-written code, and in which of its lines (1-based; None: in none of them)."""

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
    """The error as a value. `namespace` holds the globals of the code, by which its own lines are recognised."""
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
        return AuthorError(kind, "templates cannot open files, use the network or start programs", line)
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


class Printed(io.TextIOBase):
    """Keeps the first 8 KiB of what is written."""

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
def printed() -> Iterator[Printed]:
    """Catches what is written to standard output and standard error."""
    output = Printed()
    with redirect_stdout(output), redirect_stderr(output):
        yield output
