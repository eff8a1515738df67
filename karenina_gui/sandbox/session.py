"""The zygote as seen from the application: started, asked through its slots, and killed at any anomaly."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import weakref
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal, cast

from karenina_gui.errors import SandboxError
from karenina_gui.python_process import Channel, end_process
from karenina_gui.sandbox import interpreter
from karenina_gui.sandbox.framing import read_frame, with_length
from karenina_gui.sandbox.isolation_level import SandboxLevel
from karenina_gui.sandbox.limits import Limits
from karenina_gui.schemas.template import CodeFaultKind

_START_S = 60.0
_GRACE_S = 10.0
"""Seconds beyond the timeout that the zygote keeps: a slow fork on a busy machine is not an anomaly."""
_HEADER_BYTES = 4096
_FAULTS: frozenset[str] = frozenset({"timeout", "memory", "cpu", "blocked", "crashed", "too_large", "bad_reply"})

Status = Literal["ok"] | CodeFaultKind


@dataclass(frozen=True)
class Reply:
    """Reply to a request: the zygote's `status`, which can be trusted, and the cell's `body`, which cannot."""

    status: Status
    body: bytes = b""
    cpu_s: float | None = None
    """Processor seconds of the cell for this request; None if it was stopped."""


class Session:
    """A zygote of the given level, which confines. Raises `SandboxError` if it does not start.

    It serves `slots` concurrent requests, each for one thread.
    """

    def __init__(self, level: SandboxLevel, limits: Limits, slots: int) -> None:
        self._limits = limits
        requests, replies = [os.pipe() for _ in range(slots)], [os.pipe() for _ in range(slots)]
        inside = [(requests[slot][0], replies[slot][1]) for slot in range(slots)]
        outside = [(requests[slot][1], replies[slot][0]) for slot in range(slots)]
        config = {"landlock": level.rung == 1, "limits": asdict(limits), "slots": inside}
        try:
            self._process = interpreter.start(
                "zygote",
                json.dumps(config),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pipes=[fd for pair in inside for fd in pair],
            )
        except OSError as failure:
            _close(chain(*outside))
            raise SandboxError(f"the process for template code could not be started: {failure}") from failure
        finally:
            _close(chain(*inside))
        weakref.finalize(self, _end, self._process)
        read = partial(_read_reply, limits.reply_bytes)
        self._slots = [
            Channel(self._process, os.fdopen(to, "wb", 0), os.fdopen(back, "rb", 0), read) for to, back in outside
        ]
        self.pid = self._process.pid
        self._starting = threading.Lock()
        self._ready = False

    def wait_until_ready(self) -> None:
        """Wait until the zygote has imported everything and locked itself.

        Raises `SandboxError` if it fails or takes too long.
        """
        with self._starting:
            if self._ready:
                return
            try:
                self._slots[0].receive(_START_S)
            except (EOFError, TimeoutError) as failure:
                raise SandboxError(f"the process for template code did not start: {self._last_words()}") from failure
            self._ready = True

    def ask(self, slot: int, cell: str, request: bytes, wall_s: float, *, more: bool = False) -> Reply:
        """Put a request to a cell. Returns `lost` if the zygote died or sent an odd reply; it is then killed.

        `more`: another request to the same cell is expected.
        """
        try:
            header, body = self._relay(slot, cell, request, wall_s, more=more)
            status = header["status"]
            if status == "ok":
                self._end_if_fat(slot, cell, header["pid"])
                return Reply("ok", body, header["cpu_s"])
        # A zygote out of step could hand one template's reply to another, so it gets no second chance.
        except (EOFError, TimeoutError, OSError, ValueError, KeyError, TypeError):
            self.kill()
            return Reply("lost")
        if status == "not_locked":
            self.kill()
            raise SandboxError("the process for template code could not be locked, so the code was not run")
        return Reply(cast(Status, status) if status in _FAULTS else "crashed")

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End the zygote and its cells; threads that wait for it get `lost`."""
        end_process(self._process)

    def _relay(
        self, slot: int, cell: str, request: bytes, wall_s: float, *, more: bool
    ) -> tuple[dict[str, Any], bytes]:
        control = json.dumps({"cell": cell, "wall_s": wall_s, "more": more}).encode()
        header, body = self._slots[slot].ask(with_length(control) + with_length(request), wall_s + _GRACE_S)
        return json.loads(header), body

    def _end_if_fat(self, slot: int, cell: str, pid: int) -> None:
        """End an idle cell that holds much memory. A cell cannot tell its size: it can open no file of /proc."""
        if _resident_mb(pid) > self._limits.idle_cell_mb:
            control = json.dumps({"end": cell, "pid": pid}).encode()
            self._slots[slot].send(with_length(control))

    def _last_words(self) -> str:
        self._process.kill()
        assert self._process.stderr is not None
        lines = self._process.stderr.read(1 << 16).decode(errors="replace").strip().splitlines()
        self.kill()
        return lines[-1] if lines else "it ended without a message"


def _resident_mb(pid: int) -> float:
    """Resident memory in MB; 0.0 if the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _read_reply(longest: int, pipe: IO[bytes]) -> tuple[bytes, bytes]:
    """Header and body."""
    return read_frame(pipe, _HEADER_BYTES), read_frame(pipe, longest)


def _end(process: subprocess.Popen[bytes]) -> None:
    end_process(process)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _close(pipes: Iterable[int]) -> None:
    for pipe in pipes:
        os.close(pipe)
