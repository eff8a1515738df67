"""The processes of one command, seen from outside: how many there are, and the memory of all of them together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PROC = Path("/proc")


def below(pid: int) -> list[int]:
    """The process and all that came from it and still live, without the time between two of them being counted."""
    found, next_ones = [], [pid]
    while next_ones:
        found.append(each := next_ones.pop())
        next_ones += _children(each)
    return found


def memory(pids: list[int], at_most: int) -> int:
    """Bytes of memory; what is shared between them counts once, if it matters for whether it is above `at_most`."""
    rough = sum(map(_resident, pids))
    return rough if rough <= at_most else sum(map(_own_share, pids))


def passing_files(pid: int) -> tuple[int, int]:
    """Bytes and number of the files that live in memory only, as this process sees them; zeros: unknown."""
    size = count = 0
    root = Path(f"/proc/{pid}/root")
    with suppress(OSError):
        if root.stat().st_dev == Path("/").stat().st_dev:
            return 0, 0  # the box is not closed yet: this is still the computer's own
        for place in ("tmp", "dev/shm"):
            state = os.statvfs(root / place)
            size += (state.f_blocks - state.f_bfree) * state.f_frsize
            count += state.f_files - state.f_ffree
    return size, count


def _children(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for thread in (_PROC / str(pid) / "task").iterdir():
            with suppress(OSError):
                yield from map(int, (thread / "children").read_text().split())


def _resident(pid: int) -> int:
    try:
        return int((_PROC / str(pid) / "statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _own_share(pid: int) -> int:
    try:
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return _resident(pid)
