"""Other processes: messages with a time limit, and a second Python that computes what would block this one."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from importlib import import_module
from typing import IO, Any, Generic, TypeVar, cast

T = TypeVar("T")

_PIPE_BYTES = 1 << 15
"""A pipe holds twice as much, so a message up to this length is written at once even if nobody reads."""
_PASSED_ON = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR", "TEMP", "TMP")
"""Variables that libraries and systems need. The others, such as API keys, are none of its business."""
_LAUNCH = f"import sys; from {__name__} import run; run(sys.argv[1])"


class Channel(Generic[T]):
    """Messages to a process and its replies over unbuffered pipes. Works on every system."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        requests: IO[bytes],
        replies: IO[bytes],
        read: Callable[[IO[bytes]], T],
    ) -> None:
        """`read`: reads one reply. An error that it raises ends the channel."""
        self._requests = requests
        self._replies: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()
        weakref.finalize(self, requests.close)
        # A thread reads, since not every system can wait for a pipe with a time limit.
        threading.Thread(target=_collect, args=(process, replies, read, self._replies), daemon=True).start()

    def ask(self, message: bytes, seconds: float) -> T:
        """Send a message and return the reply. Raises as `receive`.

        After an error, the process must be ended: its late reply would be taken for that of the next message.
        """
        self.send(message)
        return self.receive(seconds)

    def send(self, message: bytes) -> None:
        """Send a message. Never waits for a process that does not read."""
        if len(message) <= _PIPE_BYTES:
            self._write(message)
        else:
            threading.Thread(target=self._write, args=(message,), daemon=True).start()

    def receive(self, seconds: float) -> T:
        """Next reply. Raises `TimeoutError` if none comes in time, and `EOFError` if none will come."""
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if reply is None:
            self._replies.put(None)
            raise EOFError
        return reply[0]

    def _write(self, message: bytes) -> None:
        rest = memoryview(message)
        # The end of the replies tells that the process has ended.
        with contextlib.suppress(OSError, ValueError):
            while rest:
                rest = rest[self._requests.write(rest) :]


def _collect(
    process: subprocess.Popen[bytes],
    pipe: IO[bytes],
    read: Callable[[IO[bytes]], T],
    replies: queue.SimpleQueue[tuple[T] | None],
) -> None:
    """Queue each reply; None at the end. Leaves no zombie."""
    try:
        with contextlib.suppress(EOFError, OSError, ValueError, MemoryError, pickle.UnpicklingError), pipe:
            while True:
                replies.put((read(pipe),))
    finally:
        replies.put(None)
        process.wait()


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group with its group, and wait for it."""
    if process.poll() is None:
        try:
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    process.wait()


class PythonProcess:
    """A new interpreter, started on first use. It answers one request at a time, so callers take turns.

    It ends when its pipe closes. Requests and replies are pickled, so they must come from this application alone.
    """

    def __init__(self, entry: str) -> None:
        """`entry`: `package.module:function`, which calls `answer_requests` in the new process."""
        self._entry = entry
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel[Any] | None = None

    @property
    def pid(self) -> int | None:
        """Process id; None: not running."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process unless it is running. Raises `OSError`."""
        self._running()

    def _running(self) -> Channel[Any]:
        if self._process is not None and self._channel is not None and self._process.poll() is None:
            return self._channel
        self.end()
        # A new interpreter and not `multiprocessing`: spawning would import the main module, and with it the
        # application. Pipes of the process itself, since Windows passes no others on.
        process = subprocess.Popen(
            # -P: a file in the working directory must not shadow a library.
            [sys.executable, "-P", "-c", _LAUNCH, self._entry],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # Ctrl+C is for the application
            env={
                **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
                # By default, the C library of GNU keeps the memory of arrays that are no longer used.
                "MALLOC_MMAP_THRESHOLD_": str(1 << 19),
                "MALLOC_TRIM_THRESHOLD_": str(1 << 20),
            },
        )
        assert process.stdin is not None
        replies = io.BufferedReader(cast(io.RawIOBase, process.stdout))
        self._process, self._channel = process, Channel(process, process.stdin, replies, pickle.load)
        return self._channel

    def ask(self, request: Any, seconds: float) -> Any:
        """Send a request and return the reply.

        Raises `TimeoutError` if none came within `seconds`, and `OSError` or `EOFError` if the process has died or
        could not be started. After an error the next request starts another process.
        """
        message = pickle.dumps(request)
        try:
            return self._running().ask(message, seconds)
        except (OSError, EOFError):
            self.end()
            raise

    def end(self) -> None:
        """End the process; the next request starts another one."""
        process, self._process, self._channel = self._process, None, None
        if process is not None:
            end_process(process)


def run(entry: str) -> None:
    """Call the entry of a new process."""
    module, _, function = entry.partition(":")
    getattr(import_module(module), function)()


def answer_requests(answer: Callable[[Any], Any]) -> None:
    """Answer requests until the pipe closes, or the application has ended. `answer` must not raise."""
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # whatever a library prints must not come between the replies
    os.close(nowhere)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            # Not as one text of bytes, which a long reply would need twice.
            pickle.dump(answer(pickle.load(sys.stdin.buffer)), replies)
            replies.flush()


def _end_with_parent(parent: int) -> None:
    """End this process soon after its parent, also in the middle of an answer."""
    # Windows goes on telling the number of a parent that has ended.
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
