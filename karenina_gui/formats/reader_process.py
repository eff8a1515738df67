"""Reading of files in a process that can be ended.

A small file can ask for more memory or time than a computer has, and most libraries that read it know no limits.
"""

from __future__ import annotations

import atexit
import math
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

SMALL = 1 << 17
"""Bytes of a text file that is read at once: even one of nothing but brackets takes no more than a blink."""
MEMORY_MB, MEMORY_PER_MB, MEMORY_FROM_MB = 620, 12, 20
"""Address space for a file, and more for each megabyte above 20; the interpreter alone takes 200."""
FAT_MB = 300
"""Memory from which a process is not kept for the next file."""
SECONDS, SECONDS_PER_MB = 4.0, 0.2
"""Time for a file, and more for each megabyte of it."""
SECONDS_PER_MB_OF_WORKBOOK, SMALL_WORKBOOK_MB = 3.0, 0.5
"""Time for each megabyte of a workbook above the first half: it is compressed, and slow to read."""

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
    more = SECONDS_PER_MB_OF_WORKBOOK * max(0.0, size_mb - SMALL_WORKBOOK_MB) if workbook else SECONDS_PER_MB * size_mb
    seconds = SECONDS + more
    memory_mb = int(MEMORY_MB + MEMORY_PER_MB * max(0.0, size_mb - MEMORY_FROM_MB))
    try:
        reply = process.ask((read, (path, *arguments), Path.cwd(), memory_mb, seconds), seconds)
    except TimeoutError:
        raise _too_large(path, f"reading it takes more than {seconds:.0f} s") from None
    except (OSError, EOFError):
        raise _too_large(path, f"reading it takes more than {memory_mb:,} MB of memory") from None
    outcome, peak_mb = reply
    # One is enough for the next file, unless it has become fat.
    if _idle or peak_mb > FAT_MB:
        process.end()
    else:
        _idle.append(process)
    if isinstance(outcome, Exception):
        raise outcome
    value: T = outcome[0]
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


def _answer(
    request: tuple[Callable[..., Any], tuple[Any, ...], Path, int, float],
) -> tuple[tuple[Any] | Exception, float]:
    """Return the value in a tuple, or the error, and the memory in MB that the process has taken at most.

    Ends the process if the memory does not suffice.
    """
    read, arguments, folder, memory_mb, seconds = request
    os.chdir(folder)  # the path may be relative, and this process may have started elsewhere
    _limit(memory_mb << 20, seconds)
    try:
        return (read(*arguments),), _peak_mb()
    except MemoryError:
        os._exit(1)
    except Exception as error:
        return error, _peak_mb()


def _peak_mb() -> float:
    """Memory in MB that this process has taken at most; infinite if the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return math.inf


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
