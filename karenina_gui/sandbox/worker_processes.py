"""Unconfined worker processes as seen from the application: a few, on every system, killed at a timeout.

They search patterns (`pattern_worker`), and run trusted code where there is no confinement (`trusted_worker`).
"""

from __future__ import annotations

import subprocess
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Literal

from karenina_gui.errors import SandboxError
from karenina_gui.python_process import Channel, end_process
from karenina_gui.sandbox import interpreter
from karenina_gui.sandbox.framing import read_frame, with_length
from karenina_gui.sandbox.limits import OUT_OF_MEMORY, Limits
from karenina_gui.sandbox.session import Reply

_START_S = 60.0
"""Seconds in which a new process must have loaded what it needs."""


Worker = Literal["pattern_worker", "trusted_worker"]


class WorkerProcesses:
    """At most `slots` processes, each started when first needed. Thread-safe."""

    def __init__(self, worker: Worker, slots: int, limits: Limits) -> None:
        """`worker`: module of this package that each process runs."""
        self._worker: Worker = worker
        self._limits = limits
        self._change = threading.Condition()
        self._free: list[_Process | None] = [None] * slots
        """Free slots, most recently used last; None: no process was started for the slot."""
        self._running: set[_Process] = set()
        self._closed = False

    def ask(self, request: bytes, wall_s: float, key: str = "") -> Reply:
        """Put a request to a process that has served only requests with this key.

        Raises `SandboxError` if no process can be started, or these are closed.
        """
        # Trusted code could otherwise change what another template finds in the same process.
        with self._process(key) as process:
            return process.ask(request, wall_s)

    def close(self) -> None:
        """End all processes. Calls in progress end as `lost`."""
        with self._change:
            self._closed = True
            running = list(self._running)
        for process in running:
            process.kill()

    @contextmanager
    def _process(self, key: str) -> Iterator[_Process]:
        process = self._take(key)
        try:
            if process is not None and not (process.alive and process.key == key):
                self._end(process)
                process = None
            if process is None:
                process = self._start(key)
            yield process
        finally:
            if process is not None and not process.alive:
                self._end(process)
                process = None
            with self._change:
                self._free.append(process)
                self._change.notify()

    def _take(self, key: str) -> _Process | None:
        """Take a free slot: one with a process for this key, else an empty one, else the least recently used."""
        with self._change:
            self._change.wait_for(lambda: self._free)
            places = range(len(self._free) - 1, -1, -1)
            keys = [None if process is None else process.key for process in self._free]
            fits = next((index for index in places if keys[index] == key), None)
            empty = next((index for index in places if keys[index] is None), 0)
            return self._free.pop(empty if fits is None else fits)

    def _start(self, key: str) -> _Process:
        with self._change:
            if self._closed:
                raise SandboxError("the sandbox is closed")
            process = _Process(self._worker, key, self._limits)
            self._running.add(process)
        return process

    def _end(self, process: _Process) -> None:
        with self._change:
            self._running.discard(process)
        process.kill()


class _Process:
    def __init__(self, worker: Worker, key: str, limits: Limits) -> None:
        self.key = key
        self._ready = False
        try:
            self._process = interpreter.start(
                worker, str(limits.memory_mb), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as failure:
            raise SandboxError(f"the process for patterns or code could not be started: {failure}") from failure
        self._end = weakref.finalize(self, end_process, self._process)
        assert self._process.stdin is not None and self._process.stdout is not None
        read = partial(read_frame, longest=limits.reply_bytes)
        self._channel = Channel(self._process, self._process.stdin, self._process.stdout, read)

    @property
    def alive(self) -> bool:
        return self._end.alive and self._process.poll() is None

    def kill(self) -> None:
        self._end()

    def ask(self, request: bytes, wall_s: float) -> Reply:
        try:
            if not self._ready:
                self._channel.receive(_START_S)
                self._ready = True
            return Reply("ok", self._channel.ask(with_length(request), wall_s))
        except TimeoutError:
            self.kill()
            return Reply("timeout" if self._ready else "lost")
        except EOFError:
            # The pipe closes a moment before the exit code is known.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            ended = self._process.returncode
            self.kill()
            return Reply("memory" if ended == OUT_OF_MEMORY else "lost" if ended in (None, 0) else "crashed")
