"""Process tokens: they tell whether the process that owns a run is still alive."""

from __future__ import annotations

import os
from pathlib import Path


def this_process() -> str:
    """Token `pid@start`."""
    # The start time tells this process from a later one that got the same pid.
    return f"{os.getpid()}@{_start_time(os.getpid())}"


def is_alive(token: str) -> bool:
    """True if the process with this token is running. False if that is unknown."""
    pid, _, started = token.partition("@")
    if started:
        return _start_time(int(pid)) == started
    if os.name != "posix":
        return False  # os.kill with any signal terminates a process on Windows
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # the process exists and belongs to another user
    return True


def _start_time(pid: int) -> str:
    """Start time of a process in clock ticks since boot; empty if unknown or if the process has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    state, *rest = stat.rpartition(")")[2].split()
    return "" if state in "ZX" else rest[18]  # a killed process stays a zombie until its parent waits for it
