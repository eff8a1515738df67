"""Processes of this computer, seen from outside."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.until import comes


def running(argument: str) -> list[str]:
    """Ids of the processes with this argument."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if argument.encode() in words:
            found.append(each.parent.name)
    return found


def stop(pid: int) -> None:
    """Stop a process (SIGSTOP), and wait until it has stopped. On Linux."""
    os.kill(pid, signal.SIGSTOP)
    assert comes(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
