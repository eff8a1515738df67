"""Processes of one command, counted and measured from outside its box."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PROC = Path("/proc")


def below(pid: int) -> list[int]:
    """Return the process and its living descendants. Not atomic: processes may start or end while the tree is read."""
    tree, next_ones = [], [pid]
    while next_ones:
        tree.append(current := next_ones.pop())
        next_ones += _children(current)
    return tree


def is_running(pid: int) -> bool:
    """False if the process has ended, also while nobody has asked for its exit code."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def memory(pids: list[int], at_most: int) -> int:
    """Memory of the processes in bytes. Shared pages count once if the rough sum is above `at_most`."""
    # The sum of resident sizes is cheap, but counts shared pages repeatedly; PSS walks all page tables.
    rough = sum(map(_resident, pids))
    return rough if rough <= at_most else sum(map(_own_share, pids))


def passing_files(pid: int) -> tuple[int, int]:
    """Size in bytes and number of files in the box's in-memory file systems; zeros if unknown."""
    size = count = 0
    root = Path(f"/proc/{pid}/root")
    with suppress(OSError):
        if root.stat().st_dev == Path("/").stat().st_dev:
            return 0, 0  # the box is not closed yet: this is still the computer's own
        for name in ("tmp", "dev/shm"):
            state = os.statvfs(root / name)
            size += (state.f_blocks - state.f_bfree) * state.f_frsize
            count += state.f_files - state.f_ffree
    return size, count


def _children(pid: int) -> Iterator[int]:
    with suppress(OSError):
        # The kernel lists children by the thread that started them, not by process.
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
