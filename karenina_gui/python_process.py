"""A second Python process that computes what would block this one.

It is a new interpreter and ends when its pipe closes. Requests and replies are pickled, so they must come from this
application alone.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

_PASSED_ON = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR", "TEMP", "TMP")
"""Variables that libraries and systems need. The others, such as API keys, are none of its business."""
_LAUNCH = f"import sys; from {__name__} import run; run(sys.argv[1])"


class PythonProcess:
    """One process, started on first use. Answers one request at a time, so callers take turns."""

    def __init__(self, entry: str) -> None:
        """`entry`: `package.module:function`, which calls `answer_requests` in the new process."""
        self._entry = entry
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.SimpleQueue[tuple[Any] | None] = queue.SimpleQueue()

    @property
    def pid(self) -> int | None:
        """Process id; None: not running."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process unless it is running. Raises `OSError`."""
        self._running()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.end()
        # A new interpreter and not `multiprocessing`: spawning would import the main module, and with it the
        # application. Pipes of the process itself, since Windows passes no others on.
        process = subprocess.Popen(
            # -P: a file in the working directory must not shadow a library.
            [sys.executable, "-P", "-c", _LAUNCH, self._entry],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl+C is for the application
            env={
                **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
            },
        )
        self._process, self._replies = process, queue.SimpleQueue()
        # A thread reads, since not every system can wait for a pipe with a time limit.
        threading.Thread(target=_collect_replies, args=(process, self._replies), name=self._entry, daemon=True).start()
        return process

    def ask(self, request: Any, seconds: float) -> Any:
        """Send a request and return the reply.

        Raises `TimeoutError` if none came within `seconds`, and `OSError` or `EOFError` if the process has died or
        could not be started. After an error the next request starts another process.
        """
        message = pickle.dumps(request)
        try:
            return _exchange(self._running(), self._replies, message, seconds)
        except (OSError, EOFError):
            # A late reply would be taken for that of the next request.
            self.end()
            raise

    def end(self) -> None:
        """End the process; the next request starts another one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _exchange(
    process: subprocess.Popen[bytes], replies: queue.SimpleQueue[tuple[Any] | None], message: bytes, seconds: float
) -> Any:
    assert process.stdin is not None
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        process.kill()

    # A process that was stopped reads nothing, so that a long request would be written for ever.
    expiry = threading.Timer(seconds, expire)
    expiry.daemon = True
    expiry.start()
    try:
        process.stdin.write(message)
        process.stdin.flush()
        reply = replies.get()
    except ValueError:  # the pipe was closed by `end` meanwhile
        reply = None
    except OSError:
        if not expired.is_set():
            raise
        reply = None
    finally:
        expiry.cancel()
    if reply is None:
        raise TimeoutError if expired.is_set() else EOFError
    return reply[0]


def _collect_replies(process: subprocess.Popen[bytes], replies: queue.SimpleQueue[tuple[Any] | None]) -> None:
    """Queue each reply; None at the end, which leaves no zombie."""
    assert process.stdout is not None
    with contextlib.suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
        while True:
            replies.put((pickle.load(process.stdout),))
    replies.put(None)
    process.wait()


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
