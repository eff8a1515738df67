"""One zygote, seen from the application: started, asked one request at a time, and killed when anything is odd."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
import weakref
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox import interpreter
from karenina_gui.sandbox.frames import HEADER, framed
from karenina_gui.sandbox.ladder import SandboxLevel
from karenina_gui.sandbox.limits import Limits
from karenina_gui.schemas.template import CodeFaultKind

_START_S = 60.0
_GRACE_S = 10.0
"""Beyond the wall clock that the zygote keeps: a slow fork on a busy machine is not an anomaly."""
_HEADER_BYTES = 4096
_FAULTS: frozenset[str] = frozenset({"timeout", "memory", "cpu", "blocked", "crashed", "too_large", "bad_reply"})

Status = Literal["ok"] | CodeFaultKind


@dataclass(frozen=True)
class Reply:
    """What the zygote says of a request (`status`) and what the cell answered (`body`, not to be trusted)."""

    status: Status
    body: bytes = b""
    cpu_s: float | None = None
    """Processor seconds of the cell for this request; None when it was stopped."""


class Session:
    """A zygote of the given level; SandboxError when it does not come up."""

    def __init__(self, level: SandboxLevel, limits: Limits) -> None:
        self._limits = limits
        config = {"landlock": level.rung == 1, "seccomp": level.confined, "limits": asdict(limits)}
        try:
            self._process = interpreter.start(
                "zygote", json.dumps(config), stdin=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as failure:
            raise SandboxError(f"the process for template code could not be started: {failure}") from failure
        self._end = weakref.finalize(self, _end, self._process)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests, self._replies = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._requests, False)
        self.pid = self._process.pid
        self._ready = False
        self.recent: dict[str, None] = {}
        """Keys that probably have a live cell here, the oldest first."""

    def wait_until_ready(self) -> None:
        """Until the zygote has imported everything and locked itself; SandboxError when it fails or takes too long."""
        if self._ready:
            return
        try:
            json.loads(self._frame(_HEADER_BYTES, time.monotonic() + _START_S))
        except (EOFError, TimeoutError, ValueError) as failure:
            raise SandboxError(f"the process for template code did not start: {self._last_words()}") from failure
        self._ready = True

    def ask(self, cell: str, request: bytes, wall_s: float) -> Reply:
        """Put a request to a cell. `lost` when the zygote died or answered oddly; it is killed then."""
        try:
            header, body = self._relayed(cell, request, wall_s)
            status = header["status"]
            if status == "ok":
                self._remember(cell)
                self._end_if_fat(cell, header["pid"])
                return Reply("ok", body, header["cpu_s"])
        except (EOFError, TimeoutError, OSError, ValueError, KeyError, TypeError):
            self.kill()
            return Reply("lost")
        if status == "not_locked":
            self.kill()
            raise SandboxError("the process for template code could not be locked, so the code was not run")
        self.recent.pop(cell, None)
        return Reply(cast(Status, status) if status in _FAULTS else "crashed")

    @property
    def alive(self) -> bool:
        return self._end.alive and self._process.poll() is None

    def kill(self) -> None:
        """End the zygote and its cells. Only for the thread that holds the session: it closes the pipes."""
        self._end()

    def interrupt(self) -> None:
        """End the zygote and its cells while another thread waits for it, which is then told that it was lost."""
        _kill_group(self._process)

    def _relayed(self, cell: str, request: bytes, wall_s: float) -> tuple[dict[str, Any], bytes]:
        deadline = time.monotonic() + wall_s + _GRACE_S
        control = json.dumps({"cell": cell, "wall_s": wall_s}).encode()
        self._send(framed(control) + framed(request), deadline)
        header: dict[str, Any] = json.loads(self._frame(_HEADER_BYTES, deadline))
        return header, self._frame(self._limits.reply_bytes, deadline)

    def _remember(self, cell: str) -> None:
        self.recent.pop(cell, None)
        self.recent[cell] = None
        if len(self.recent) > self._limits.live_cells:
            del self.recent[next(iter(self.recent))]

    def _end_if_fat(self, cell: str, pid: int) -> None:
        """A cell waits with all the memory it took. Only from outside of the lock can its size be told."""
        if _resident_mb(pid) > self._limits.idle_cell_mb:
            self._send(framed(json.dumps({"end": cell}).encode()), time.monotonic() + _GRACE_S)
            del self.recent[cell]

    def _send(self, message: bytes, deadline: float) -> None:
        rest = memoryview(message)
        poller = select.poll()
        poller.register(self._requests, select.POLLOUT)
        while rest:
            try:
                rest = rest[os.write(self._requests, rest) :]
            except BlockingIOError:
                _wait(poller, deadline)

    def _frame(self, longest: int, deadline: float) -> bytes:
        (length,) = HEADER.unpack(self._exactly(HEADER.size, deadline))
        if length > longest:
            raise ValueError("frame too long")
        return self._exactly(length, deadline)

    def _exactly(self, length: int, deadline: float) -> bytes:
        parts = bytearray()
        poller = select.poll()
        poller.register(self._replies, select.POLLIN)
        while len(parts) < length:
            _wait(poller, deadline)
            part = os.read(self._replies, min(1 << 16, length - len(parts)))
            if not part:
                raise EOFError
            parts += part
        return bytes(parts)

    def _last_words(self) -> str:
        self._process.kill()
        assert self._process.stderr is not None
        lines = self._process.stderr.read(1 << 16).decode(errors="replace").strip().splitlines()
        self.kill()
        return lines[-1] if lines else "it ended without a message"


def _wait(poller: select.poll, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0 or not poller.poll(left * 1000):
        raise TimeoutError


def _resident_mb(pid: int) -> float:
    """Resident memory; 0.0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _end(process: subprocess.Popen[bytes]) -> None:
    _kill_group(process)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """The cells go with the zygote's group, or at its death."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
