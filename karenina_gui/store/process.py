"""Whose run it is: a token for a process, by which another one can tell whether it still lives."""

from __future__ import annotations

import os
from pathlib import Path


def this_process() -> str:
    """`pid@start`, so that a later process with the same number is not taken for this one."""
    return f"{os.getpid()}@{_started(os.getpid())}"


def is_alive(token: str) -> bool:
    """Whether the process of this token still runs. Where that cannot be known, it counts as gone."""
    pid, _, started = token.partition("@")
    if started:
        return _started(int(pid)) == started
    if os.name != "posix":
        return False  # asking would end the process there
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _started(pid: int) -> str:
    """Start of a process in clock ticks since boot; empty where the system does not tell, or the process has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    state, *rest = stat.rpartition(")")[2].split()
    return "" if state in "ZX" else rest[18]  # one that was killed stays in the table until its parent looks
