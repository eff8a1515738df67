"""Threads that work side by side on one thing, and none of which keeps the process from ending."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future


def begun(work: Callable[[], None], size: int, name: str) -> list[Future[None]]:
    """So many threads that all do this, and how each comes to its end.

    Those of an executor would be waited for when the process ends, however long they take.
    """
    crew = [_Worker(work, f"{name}-{number}") for number in range(size)]
    for worker in crew:
        worker.start()
    return [worker.end for worker in crew]


def somebody_works() -> bool:
    """Whether anybody of any crew is at work, perhaps on what nobody waits for any more."""
    return any(isinstance(thread, _Worker) for thread in threading.enumerate())


class _Worker(threading.Thread):
    def __init__(self, work: Callable[[], None], name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.end: Future[None] = Future()
        self._work = work

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.end.set_exception(error)
        else:
            self.end.set_result(None)
