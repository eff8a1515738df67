"""Reading of files in a process that can be ended.

A small file can ask for more memory or time than a computer has, and most libraries that read it know no limits.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.tables.workbook_kinds import is_workbook
from karenina_gui.python_process import PythonProcess, answer_requests

T = TypeVar("T")

SMALL = 1 << 20
"""Bytes of a text file that is read at once, which takes no more than a blink."""
MEMORY_MB, MEMORY_PER_MB = 700, 12
"""Address space for a file, and more for each megabyte of it; the interpreter alone takes 200."""
SECONDS, SECONDS_PER_MB = 5.0, 0.5
"""Time for a file, and more for each megabyte of it."""
SECONDS_PER_MB_OF_WORKBOOK = 4.0
"""More time: a workbook is compressed, and slow to read."""

_idle: deque[PythonProcess] = deque()
_is_reader = False


def read_apart(read: Callable[..., T], path: Path, *arguments: Any) -> T:
    """Return `read(path, *arguments)`, computed in another process for a workbook or a file that is not small.

    `read`: a function of a module, or a method of an object that can be pickled. Raises what it raises, and
    `FileFormatError` if it needs too much memory or time.
    """
    size_mb = _size(path) / (1 << 20)
    workbook = is_workbook(path)
    if _is_reader or not (workbook or size_mb * (1 << 20) > SMALL):
        return read(path, *arguments)
    process = _reader()
    seconds = SECONDS + (SECONDS_PER_MB_OF_WORKBOOK if workbook else SECONDS_PER_MB) * size_mb
    memory_mb = int(MEMORY_MB + MEMORY_PER_MB * size_mb)
    try:
        reply = process.ask((read, (path, *arguments), memory_mb, seconds), seconds)
    except TimeoutError:
        raise _too_large(path, f"reading it takes more than {seconds:.0f} s") from None
    except (OSError, EOFError):
        raise _too_large(path, f"reading it takes more than {memory_mb:,} MB of memory") from None
    # One is enough for the next file, unless it has become fat.
    if _idle or size_mb > 1:
        process.end()
    else:
        _idle.append(process)
    if isinstance(reply, Exception):
        raise reply
    value: T = reply[0]
    return value


def _reader() -> PythonProcess:
    try:
        return _idle.pop()
    except IndexError:
        return PythonProcess(f"{__name__}:{serve.__name__}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # whoever reads it says why it cannot be read
        return 0


def _too_large(path: Path, reason: str) -> FileFormatError:
    return FileFormatError(
        f"{path.name} is too large or damaged: {reason}. Save the part that you need as a smaller file.",
        path=str(path),
    )


def _end_idle() -> None:
    while _idle:
        _idle.pop().end()


atexit.register(_end_idle)


def serve() -> None:
    """Read files until the pipe closes."""
    global _is_reader
    _is_reader = True
    answer_requests(_answer)


def _answer(request: tuple[Callable[..., Any], tuple[Any, ...], int, float]) -> tuple[Any] | Exception:
    """Return the value in a tuple, or the error. Ends the process if the memory does not suffice."""
    read, arguments, memory_mb, seconds = request
    _limit(memory_mb << 20, seconds)
    try:
        return (read(*arguments),)
    except MemoryError:
        os._exit(1)
    except Exception as error:
        return error


def _limit(memory: int, seconds: float) -> None:
    """Limit memory in bytes and processor seconds, if the system can: also when the application ends meanwhile."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime + seconds) + 2
    for kind, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, cpu)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
