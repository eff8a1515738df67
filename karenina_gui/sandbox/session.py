"""The zygote as seen from the application: started, asked through its slots, and killed at any anomaly."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import threading
import time
import weakref
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import interpreter
from karenina_gui.sandbox.framing import HEADER, with_length
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
        self._slots = [(requests[slot][1], replies[slot][0]) for slot in range(slots)]
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
            _close(self._slots)
            raise SandboxError(f"the process for template code could not be started: {failure}") from failure
        finally:
            _close(inside)
        weakref.finalize(self, _end, self._process, self._slots)
        for pipe, _ in self._slots:
            os.set_blocking(pipe, False)
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
            assert self._process.stdout is not None
            try:
                json.loads(_frame(self._process.stdout.fileno(), _HEADER_BYTES, time.monotonic() + _START_S))
            except (EOFError, TimeoutError, ValueError) as failure:
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
        _kill_group(self._process)
        self._process.wait()

    def _relay(
        self, slot: int, cell: str, request: bytes, wall_s: float, *, more: bool
    ) -> tuple[dict[str, Any], bytes]:
        deadline = time.monotonic() + wall_s + _GRACE_S
        control = json.dumps({"cell": cell, "wall_s": wall_s, "more": more}).encode()
        requests, replies = self._slots[slot]
        _send(requests, with_length(control) + with_length(request), deadline)
        header: dict[str, Any] = json.loads(_frame(replies, _HEADER_BYTES, deadline))
        return header, _frame(replies, self._limits.reply_bytes, deadline)

    def _end_if_fat(self, slot: int, cell: str, pid: int) -> None:
        """End an idle cell that holds much memory. A cell cannot tell its size: it can open no file of /proc."""
        if _resident_mb(pid) > self._limits.idle_cell_mb:
            control = json.dumps({"end": cell, "pid": pid}).encode()
            _send(self._slots[slot][0], with_length(control), time.monotonic() + _GRACE_S)

    def _last_words(self) -> str:
        self._process.kill()
        assert self._process.stderr is not None
        lines = self._process.stderr.read(1 << 16).decode(errors="replace").strip().splitlines()
        self.kill()
        return lines[-1] if lines else "it ended without a message"


def _send(pipe: int, message: bytes, deadline: float) -> None:
    rest = memoryview(message)
    poller = select.poll()
    poller.register(pipe, select.POLLOUT)
    while rest:
        try:
            rest = rest[os.write(pipe, rest) :]
        except BlockingIOError:
            _wait(poller, deadline)


def _frame(pipe: int, longest: int, deadline: float) -> bytes:
    (length,) = HEADER.unpack(_exactly(pipe, HEADER.size, deadline))
    if length > longest:
        raise ValueError("frame too long")
    return _exactly(pipe, length, deadline)


def _exactly(pipe: int, length: int, deadline: float) -> bytes:
    parts = bytearray()
    poller = select.poll()
    poller.register(pipe, select.POLLIN)
    while len(parts) < length:
        _wait(poller, deadline)
        part = os.read(pipe, min(1 << 16, length - len(parts)))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def _wait(poller: select.poll, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0 or not poller.poll(left * 1000):
        raise TimeoutError


def _resident_mb(pid: int) -> float:
    """Resident memory in MB; 0.0 if the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _end(process: subprocess.Popen[bytes], slots: list[tuple[int, int]]) -> None:
    _kill_group(process)
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    _close(slots)


def _close(slots: list[tuple[int, int]]) -> None:
    for pair in slots:
        for pipe in pair:
            os.close(pipe)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the zygote with its process group. Cells die with it in any case (PDEATHSIG)."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
