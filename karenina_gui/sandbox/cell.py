"""A cell: the locked-down process that runs the code of one template, and nothing else.

The zygote forks it and speaks with it over two pipes; inside, `_live` answers requests until the cell is ended. What
the code breaks in its own process stays there: no other template's code ever runs in it.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import NoReturn

from karenina_gui.sandbox import template_code
from karenina_gui.sandbox.framing import HEADER, body_of, read_frame, with_length, write_frame
from karenina_gui.sandbox.limits import OUT_OF_MEMORY, Limits

_REQUESTS, _REPLIES = 3, 4
"""The cell's only open descriptors.

Standard input and output stay closed, so that a stray print cannot corrupt a frame.
"""
_NOT_LOCKED = 92


class Cell:
    """One cell, as the zygote sees it."""

    def __init__(self, limits: Limits, lock: Callable[[int], None]) -> None:
        """Fork. `lock` is called inside with the zygote's process id before anything else happens there."""
        self._limits = limits
        self._served = 0
        self._outgoing, self._incoming, self._deadline = memoryview(b""), bytearray(), 0.0
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        zygote = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _live(requests, replies, lambda: lock(zygote))
        os.close(requests)
        os.close(replies)
        os.set_blocking(self._requests, False)

    def begin(self, request: bytes, wall_s: float) -> None:
        """Hand over a request; from now on `go_on`, whenever a pipe of `register` is ready, or `left_s` is over."""
        # A cell is suspended between requests (see `go_on`).
        os.kill(self.pid, signal.SIGCONT)
        self._outgoing, self._incoming = memoryview(with_length(request)), bytearray()
        self._deadline = time.monotonic() + wall_s

    def register(self, poller: select.poll) -> None:
        poller.register(self._replies, select.POLLIN)
        if self._outgoing:
            poller.register(self._requests, select.POLLOUT)

    @property
    def left_s(self) -> float:
        return self._deadline - time.monotonic()

    def go_on(self, ready: set[int]) -> tuple[str, bytes] | None:
        """Status and body of the reply; None: not complete yet.

        The body is empty unless the status is `ok`; anything else ends the cell: timeout, too_large, bad_reply, or how
        the process ended (see `_cause_of_death`).
        """
        status = self._exchange(ready)
        if status is None:
            return None
        self._served += 1
        if status == "ok":
            os.kill(self.pid, signal.SIGSTOP)  # whatever runs on after the reply gets no processor time
            body, self._incoming = bytes(self._incoming[HEADER.size :]), bytearray()
            return status, body
        cause = self.end()
        return (cause if status == "gone" else status), b""

    def fresh(self) -> bool:
        """True if the cell can serve another request: alive, not worn out, and silent since its last reply."""
        poller = select.poll()
        poller.register(self._replies, select.POLLIN)
        # Readable means a forged second reply, or the end of the process. Neither may serve the next answer.
        if poller.poll(0):
            return False
        return self._served < self._limits.lifetime_requests and self.cpu_s() < self._limits.lifetime_cpu_s / 2

    def cpu_s(self) -> float:
        """Processor time used so far, in seconds; 0.0 where the system offers no clock of another process."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2)  # the kernel's own encoding of a process's clock
        except OSError:
            return 0.0

    def end(self) -> str:
        """Kill the cell, wait for it, and say what it died of."""
        os.kill(self.pid, signal.SIGKILL)  # changes nothing for one that is ending already
        os.close(self._requests)
        os.close(self._replies)
        _, state, usage = os.wait4(self.pid, 0)
        return _cause_of_death(state, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, self._limits)

    def _exchange(self, ready: set[int]) -> str | None:
        if self.left_s <= 0:
            return "timeout"
        if self._outgoing and self._requests in ready:
            self._outgoing = self._send(self._outgoing)
        if self._replies not in ready:
            return None
        part = os.read(self._replies, 1 << 16)
        if not part:
            return "gone"
        self._incoming += part
        return self._status_of(self._incoming, sent=not self._outgoing)

    def _send(self, outgoing: memoryview) -> memoryview:
        try:
            return outgoing[os.write(self._requests, outgoing) :]
        except BlockingIOError:
            return outgoing
        except BrokenPipeError:
            return outgoing[:0]  # the end of the replies will tell

    def _status_of(self, incoming: bytearray, *, sent: bool) -> str | None:
        """Status of the exchange; None while the reply is incomplete."""
        if len(incoming) < HEADER.size:
            return None
        (length,) = HEADER.unpack_from(incoming)
        missing = length - (len(incoming) - HEADER.size)
        # The announced length decides before the body is collected: a flood must not fill the zygote's memory.
        if length > self._limits.reply_bytes:
            return "too_large"
        if missing > 0:
            return None
        # Surplus bytes, or a reply before the request was read, come from code that writes into the pipe itself.
        return "ok" if missing == 0 and sent else "bad_reply"


def _cause_of_death(state: int, cpu_s: float, peak_kb: int, limits: Limits) -> str:
    if os.WIFEXITED(state):
        return {OUT_OF_MEMORY: "memory", _NOT_LOCKED: "not_locked"}.get(os.WEXITSTATUS(state), "crashed")
    signal_number = os.WTERMSIG(state)
    if signal_number == signal.SIGXCPU or cpu_s >= limits.lifetime_cpu_s:
        return "cpu"
    # The kernel's OOM killer sends SIGKILL, too, and leaves no other trace than the memory that was used.
    if signal_number == signal.SIGKILL and peak_kb > limits.memory_mb * 1024 * 0.8:
        return "memory"
    # seccomp sends SIGSYS for a foreign calling convention only; every other forbidden call fails with EPERM.
    return "blocked" if signal_number == signal.SIGSYS else "crashed"


def _live(requests: int, replies: int, lock: Callable[[], None]) -> NoReturn:
    """Serve requests until the cell is killed.

    Leaves through `os._exit` only: exit handlers and unflushed buffers belong to the zygote.
    """
    try:
        _keep_only(requests, replies)
        lock()
    except BaseException:
        os._exit(_NOT_LOCKED)
    try:
        gc.enable()
        while True:
            reply = template_code.execute(json.loads(read_frame(_REQUESTS)))
            write_frame(_REPLIES, body_of(reply))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BaseException:
        os._exit(1)


def _keep_only(requests: int, replies: int) -> None:
    # By way of 0 and 1: copying straight to 3 and 4 could overwrite the pipe that is copied next.
    os.dup2(requests, 0)
    os.dup2(replies, 1)
    os.dup2(0, _REQUESTS)
    os.dup2(1, _REPLIES)
    os.closerange(0, _REQUESTS)
    # Pipes of other slots are inherited. The code must not read or forge another template's replies.
    os.closerange(_REPLIES + 1, 4096)
    sys.stdin = sys.__stdin__ = None  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = None  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = None  # type: ignore[misc]
