"""The slots: a few zygotes that many threads share, first come, first served."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from karenina_gui.errors import SandboxError
from karenina_gui.sandbox.session import Reply, Session


class Pool:
    """At most `slots` zygotes, each started when it is first needed. Safe for any number of threads."""

    def __init__(self, slots: int, start: Callable[[], Session]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._free: list[Session | None] = [None] * slots
        """None: a slot whose zygote is not running."""
        self._waiting: deque[_Ticket] = deque()
        self._busy: set[Session] = set()
        self._closed = False

    def warm_up(self) -> None:
        """Start every zygote that is free and not running; they come up side by side."""
        with self._lock:
            empty = [] if self._closed else [slot for slot in self._free if slot is None]
            self._free = [slot for slot in self._free if slot is not None]
        sessions: list[Session | None] = list(empty)
        try:
            for index in range(len(sessions)):
                sessions[index] = self._start()
            for session in sessions:
                if session is not None:
                    session.wait_until_ready()
        finally:
            for session in sessions:
                self._give_back(session)

    def ask(self, cell: str, request: bytes, wall_s: float) -> Reply:
        """The reply of the cell with this key; `lost` when its zygote was lost twice.

        SandboxError when no zygote can be started, or the pool is closed.
        """
        reply = Reply("lost")
        for _ in range(2):
            with self._session(cell) as session:
                reply = session.ask(cell, request, wall_s)
            if reply.status != "lost" or self._closed:
                break
        return reply

    def close(self) -> None:
        """Kill every zygote, also those at work: their callers get `lost`."""
        with self._lock:
            self._closed = True
            idle, busy = [session for session in self._free if session is not None], list(self._busy)
        for session in idle:
            session.kill()
        for session in busy:
            session.interrupt()

    @property
    def zygotes(self) -> list[int]:
        """Process ids of the zygotes that are free and running."""
        with self._lock:
            return [session.pid for session in self._free if session is not None and session.alive]

    @contextmanager
    def _session(self, cell: str) -> Iterator[Session]:
        session = self._take(cell)
        try:
            if session is not None and not session.alive:
                session = None
            if session is None:
                self._must_be_open()
                session = self._start()
            with self._lock:
                self._busy.add(session)
            self._must_be_open()
            session.wait_until_ready()
            yield session
        finally:
            self._give_back(session)

    def _take(self, cell: str) -> Session | None:
        self._must_be_open()
        with self._lock:
            if self._free and not self._waiting:
                return self._free.pop(_best(self._free, cell))
            ticket = _Ticket()
            self._waiting.append(ticket)
        ticket.called.wait()
        return ticket.session

    def _give_back(self, session: Session | None) -> None:
        usable = session
        if session is not None and (self._closed or not session.alive):
            session.kill()
            usable = None
        with self._lock:
            if session is not None:
                self._busy.discard(session)
            if self._waiting:
                self._waiting.popleft().call(usable)
            else:
                self._free.append(usable)

    def _must_be_open(self) -> None:
        if self._closed:
            raise SandboxError("the sandbox is closed")


class _Ticket:
    """A place in the queue."""

    def __init__(self) -> None:
        self.called = threading.Event()
        self.session: Session | None = None

    def call(self, session: Session | None) -> None:
        self.session = session
        self.called.set()


def _best(free: list[Session | None], cell: str) -> int:
    """The zygote that has this cell alive, else one that runs, else an empty slot."""

    def rank(index: int) -> int:
        session = free[index]
        return 2 if session is None else 0 if cell in session.recent else 1

    return min(range(len(free)), key=rank)
