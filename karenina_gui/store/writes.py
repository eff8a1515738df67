"""Retries of writes that the computer refuses for a while.

A full disk, a lock held by another program and a read-only folder may all pass. Such a write is retried with growing
pauses, and the application shows that it waits. Permanent causes, such as a damaged file or a violated constraint, are
raised at once.
"""

from __future__ import annotations

import asyncio
import errno
import math
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy.exc import DBAPIError

from karenina_gui.errors import NotSavedError
from karenina_gui.events import Signal
from karenina_gui.schemas.write_delay import WriteDelay

P = ParamSpec("P")
T = TypeVar("T")


class _HasWrites(Protocol):
    @property
    def writes(self) -> Writes: ...


class _HasDatabase(Protocol):
    @property
    def _database(self) -> _HasWrites: ...


S = TypeVar("S", bound=_HasDatabase)

FIRST_PAUSE = 0.1
"""Seconds before the first retry. Each later pause doubles."""
LONGEST_PAUSE = 2.0
"""Maximum seconds between two retries."""
GRACE = 2.0
"""Seconds for which waiting writes are retried after `close`."""

ON_EVENT_LOOP = "A write on the event loop; use AppContext.write"

IN_USE = "another program is using the library"
DISK_FULL = "the disk is full"
NO_RESPONSE = "the disk doesn’t respond"
READ_ONLY = "the library is read-only"
UNREACHABLE = "the library file can’t be opened"

_CAUSES = {
    sqlite3.SQLITE_BUSY: IN_USE,
    sqlite3.SQLITE_LOCKED: IN_USE,
    sqlite3.SQLITE_FULL: DISK_FULL,
    sqlite3.SQLITE_IOERR: NO_RESPONSE,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: UNREACHABLE,
}
"""By primary result code (https://sqlite.org/rescode.html)."""

_SYSTEM_CAUSES = {
    errno.ENOSPC: DISK_FULL,
    errno.EDQUOT: DISK_FULL,
    errno.EIO: NO_RESPONSE,
    errno.EROFS: READ_ONLY,
}


def passing_cause(error: BaseException) -> str | None:
    """Cause of a refused write that may pass; None: the error is permanent."""
    if isinstance(error, DBAPIError):
        code = getattr(error.orig, "sqlite_errorcode", None)
        # Extended result codes keep the primary code in the low byte.
        return None if code is None else _CAUSES.get(code & 0xFF)
    return _SYSTEM_CAUSES.get(error.errno or 0) if isinstance(error, OSError) else None


class Writes:
    """All waiting writes of one library. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[str, float]] = {}
        """(cause, time of the first refusal) by thread."""
        self._closing = threading.Event()
        self._last_call = math.inf
        self.delay_changed: Signal[[]] = Signal()
        """`delay` has another value."""
        self._window_thread: int | None = None

    def keep_off(self, thread: int) -> None:
        """Warn of writes on this thread. It renders all windows, which freeze while it waits."""
        self._window_thread = thread

    @property
    def delay(self) -> WriteDelay | None:
        """The longest delay and the number of waiting writes; None: nothing waits."""
        with self._lock:
            waiting = list(self._waiting.values())
        if not waiting:
            return None
        cause, since = min(waiting, key=lambda wait: wait[1])
        return WriteDelay(cause, since, len(waiting))

    def persist(self, write: Callable[[], T]) -> T:
        """Call `write`, and repeat it as long as the computer refuses it for a cause that may pass.

        On the thread of an event loop, which must not block, there is a single attempt. Raises `NotSavedError` there
        and if the library closes first, and any other error of `write`.
        """
        if threading.get_ident() == self._window_thread:
            warnings.warn(ON_EVENT_LOOP, RuntimeWarning, stacklevel=3)
        pause = FIRST_PAUSE
        try:
            while True:
                try:
                    return write()
                except (DBAPIError, OSError) as error:
                    cause = passing_cause(error)
                    if cause is None:
                        raise
                    if _on_event_loop():
                        raise NotSavedError(cause) from error
                    self._note(cause)
                if self._closing.wait(pause):
                    time.sleep(pause)
                    if time.monotonic() > self._last_call:
                        raise NotSavedError(cause)
                pause = min(2 * pause, LONGEST_PAUSE)
        finally:
            self._note(None)

    def close(self) -> None:
        """Give waiting writes `GRACE` seconds more; after that they raise `NotSavedError`."""
        self._last_call = time.monotonic() + GRACE
        self._closing.set()

    def _note(self, cause: str | None) -> None:
        thread = threading.get_ident()
        with self._lock:
            before = self._waiting.get(thread)
            if cause is None:
                self._waiting.pop(thread, None)
            else:
                self._waiting[thread] = (cause, before[1] if before else time.time())
            changed = (before and before[0]) != cause
        if changed:
            self.delay_changed.emit()


def persistent(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Decorate a method that is one transaction, so that `Writes.persist` retries it.

    Its class has a `_database`.
    """

    # A retry must see the same arguments, so iterators become lists before the first attempt.
    @wraps(method)
    def persist(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        listed: Any = [list(argument) if isinstance(argument, Iterator) else argument for argument in args]
        return self._database.writes.persist(lambda: method(self, *listed, **kwargs))

    return persist


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
