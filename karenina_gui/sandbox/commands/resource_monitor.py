"""Monitor for limits that the kernel does not enforce for a command as a whole."""

from __future__ import annotations

import os
import time
from pathlib import Path

from karenina_gui.sandbox.commands import box_processes
from karenina_gui.sandbox.workspace import safe_walk
from karenina_gui.schemas.workspace import WorkspaceLimits

# Empty files in a tmpfs take no blocks, only kernel memory that nothing else counts.
_FILES_IN_MEMORY = 20_000
_SCARCE = 1 << 30
"""Bytes to keep free on the disk, wherever a command hides what it writes."""


class CommandWatch:
    """Polls the processes, memory and disk space of one command."""

    def __init__(self, folder: Path, limits: WorkspaceLimits, box: int | None) -> None:
        self._folder, self._limits, self._box = folder, limits, box
        self._memory = limits.memory_mb << 20
        before = safe_walk.usage(folder)
        self._disk = max(limits.disk_mb << 20, before.size)
        """A workspace that is over the limit already may stay so, to let a command tidy up."""
        self._free = _free(folder)
        self._next_look = 0.0

    def trouble(self) -> str | None:
        """Reason to stop the command; None while it is within its limits."""
        return self._too_many() or self._too_much_disk()

    def _too_many(self) -> str | None:
        if self._box is None:
            return None
        pids = box_processes.below(self._box)
        # 8 more for bubblewrap's own processes, the shells and `timeout`.
        if len(pids) > self._limits.processes + 8:
            return f"Stopped: it had more than {self._limits.processes} processes at the same time."
        in_files, files = box_processes.passing_files(self._box)
        if files > _FILES_IN_MEMORY:
            return f"Stopped: it made more than {_FILES_IN_MEMORY} files in /tmp. Use /workspace, and fewer of them."
        if box_processes.memory(pids, self._memory - in_files) + in_files > self._memory:
            return f"Stopped: it used more than {self._limits.memory_mb} MB of memory, together with its files in /tmp."
        return None

    def _too_much_disk(self) -> str | None:
        now = time.monotonic()
        if now < self._next_look:
            return None
        try:
            used = safe_walk.usage(self._folder, enough=self._disk)
            free = _free(self._folder)
        except OSError:
            return "Stopped: the workspace no longer exists."
        # Pauses five times as long as the scan took, so that large workspaces do not keep a core busy.
        self._next_look = time.monotonic() + max(0.1, 5 * (time.monotonic() - now))
        if used.size > self._disk:
            return (
                f"Stopped: the workspace would hold more than {self._limits.disk_mb} MB (each file counts as 4 kB at "
                "least). Remove what is not needed."
            )
        if used.too_deep:
            return f"Stopped: it made more than {safe_walk.DEEPEST} nested folders."
        # Only if this command's own growth can explain it: another program may have filled the disk.
        if free < _SCARCE and self._free - free > self._limits.disk_mb << 20:
            return "Stopped: the disk of this computer is nearly full."
        return None


def over_quota(folder: Path, limits: WorkspaceLimits) -> str | None:
    """Sentence about a workspace that is over its quota; None if it is within."""
    try:
        used = safe_walk.usage(folder, enough=limits.disk_mb << 20)
    except OSError:
        return None
    if used.size <= limits.disk_mb << 20:
        return None
    return f"The workspace now holds more than the {limits.disk_mb} MB that it may hold; remove what is not needed"


def _free(folder: Path) -> int:
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize
