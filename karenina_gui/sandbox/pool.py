"""Slots of one zygote, shared by many threads, first come, first served."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox.session import Reply, Session


class Pool:
    """At most `slots` concurrent requests to one zygote, which is started when first needed. Thread-safe."""

    def __init__(self, slots: int, start: Callable[[int], Session]) -> None:
        """`start`: creates a zygote with this number of slots."""
        self._slots = slots
        self._start = start
        self._lock = threading.Lock()
        self._free = list(range(slots))
        self._waiting: deque[_Ticket] = deque()
        self._session: Session | None = None
        self._closed = False

    def warm_up(self) -> None:
        """Start the zygote unless it is running."""
        self._running()

    def ask(self, cell: str, request: bytes, wall_s: float, *, more: bool = False) -> Reply:
        """Return the reply of the cell with this key; `lost` if its zygote was lost twice.

        `more`: another request to this cell is expected. Raises `SandboxError` if no zygote can be started, or the pool
        is closed.
        """
        reply = Reply("lost")
        # Once more, since a zygote can be lost through no fault of this code (the OOM killer, another slot's anomaly).
        for _ in range(2):
            with self._slot() as slot:
                reply = self._running().ask(slot, cell, request, wall_s, more=more)
            if reply.status != "lost" or self._closed:
                break
        return reply

    def close(self) -> None:
        """Kill the zygote, even at work; its callers get `lost`."""
        with self._lock:
            self._closed = True
            session, self._session = self._session, None
        if session is not None:
            session.kill()

    @property
    def zygotes(self) -> list[int]:
        """Process id of the zygote, if it runs."""
        with self._lock:
            return [self._session.pid] if self._session is not None and self._session.alive else []

    def _running(self) -> Session:
        with self._lock:
            self._must_be_open()
            if self._session is None or not self._session.alive:
                self._session = self._start(self._slots)
            session = self._session
        session.wait_until_ready()
        return session

    @contextmanager
    def _slot(self) -> Iterator[int]:
        slot = self._take()
        try:
            yield slot
        finally:
            self._give_back(slot)

    def _take(self) -> int:
        with self._lock:
            self._must_be_open()
            if self._free:
                return self._free.pop()
            ticket = _Ticket()
            self._waiting.append(ticket)
        ticket.called.wait()
        return ticket.slot

    def _give_back(self, slot: int) -> None:
        # Handed over directly: a freed slot could be taken by a newcomer before the longest waiting thread wakes.
        with self._lock:
            if self._waiting:
                self._waiting.popleft().call(slot)
            else:
                self._free.append(slot)

    def _must_be_open(self) -> None:
        if self._closed:
            raise SandboxError("the sandbox is closed")


class _Ticket:
    """A place in the queue."""

    def __init__(self) -> None:
        self.called = threading.Event()
        self.slot = -1

    def call(self, slot: int) -> None:
        self.slot = slot
        self.called.set()
