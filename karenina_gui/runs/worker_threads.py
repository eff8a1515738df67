"""Worker threads that never keep the process from exiting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager

# Limits the number of threads while a provider is down and all workers wait for it.
MOST_STAND_INS = 64


class WorkerThreads:
    """A fixed number of threads with the same task. While one waits elsewhere, another replaces it."""

    # Daemon threads, because the threads of an executor are joined when the process exits, however long they take.
    def __init__(self, work: Callable[[], None], size: int, name: str) -> None:
        self._work = work
        self._size = size
        self._name = name
        self._lock = threading.Lock()
        self._present = 0
        self._ends: list[Future[None]] = []

    def begin(self) -> None:
        for _ in range(self._size):
            self._add()

    def wait(self, seconds: float) -> bool:
        """Wait at most this many seconds. True if all threads have ended."""
        with self._lock:
            ends = list(self._ends)
        done = not wait(ends, seconds).not_done
        with self._lock:
            # A replacement may have started during the wait.
            return done and len(ends) == len(self._ends)

    def raise_fault(self) -> None:
        """Raise the first error that ended a thread, if there is one."""
        for end in self._ends:
            if end.done():
                end.result()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Mark the calling worker as waiting, so that another worker takes its place."""
        if not isinstance(threading.current_thread(), _Worker):
            yield
            return
        with self._lock:
            self._present -= 1
            stands_in = sum(not end.done() for end in self._ends) < self._size + MOST_STAND_INS
        if stands_in:
            self._add()
        try:
            yield
        finally:
            with self._lock:
                self._present += 1

    def is_one_too_many(self) -> bool:
        """True if the calling worker must end, because the worker that it replaced is back."""
        worker = threading.current_thread()
        with self._lock:
            if self._present <= self._size or not isinstance(worker, _Worker):
                return False
            self._present -= 1
            worker.has_left = True
            return True

    def _add(self) -> None:
        worker = _Worker(self._run, f"{self._name}-{len(self._ends)}")
        with self._lock:
            self._present += 1
            self._ends.append(worker.end)
        worker.start()

    def _run(self) -> None:
        try:
            self._work()
        finally:
            worker = threading.current_thread()
            with self._lock:
                if isinstance(worker, _Worker) and not worker.has_left:
                    self._present -= 1


def any_worker_busy() -> bool:
    """True if a worker of any crew is running, possibly after its run was abandoned."""
    return any(isinstance(thread, _Worker) for thread in threading.enumerate())


class _Worker(threading.Thread):
    def __init__(self, work: Callable[[], None], name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.end: Future[None] = Future()
        self.has_left = False
        self._work = work

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.end.set_exception(error)
        else:
            self.end.set_result(None)
