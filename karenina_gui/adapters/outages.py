"""Models that cannot be asked just now: their calls wait, single ones try again, and all go on once one is answered.

Each model (at its address) has a line. A few failures in a row close it, or a single one that no wait can help (a
refused key, an empty account). While it is closed, one of the calls that wait in it is made from time to time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from threading import Condition
from typing import Literal

from karenina_gui import work_clock
from karenina_gui.errors import AuthenticationError, ProviderError, RunCancelled
from karenina_gui.listeners import Listeners
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.retry import RETRY_CATEGORIES

ModelKey = tuple[str, str, str]
"""A model at its address."""
MOST_WAITING = 16
"""Calls that wait for one model; further jobs of it are not begun."""

LONG = 120.0
"""Seconds. A provider that asks for a longer pause is away: one job must not sleep through it."""

_Kind = Literal["away", "doubtful", "account"]
"""`away`: nobody could have been answered; `doubtful`: it may be this one request that cannot be answered; `account`:
the key is refused, or nothing is left to pay with."""


@dataclass(frozen=True)
class Patience:
    """How long a run waits for its models, in seconds."""

    most: float = math.inf
    """For the end of one outage; afterwards calls fail. 0: nothing is waited for."""
    first: float = 2.0
    """Until the first try."""
    growth: float = 2.0
    longest: float = 120.0
    """Between two tries."""
    account: float = 300.0
    """Between two tries where a person has to do something first."""
    failures: int = 3
    """In a row, that make an outage."""
    alone: int = 8
    """Tries after which a doubtful call fails when no other call waits for the model."""
    unproven: bool = True
    """Whether to wait for a model whose key is refused before it has answered once."""


@dataclass(frozen=True)
class Outage:
    """A model that is waited for."""

    key: ModelKey
    model: str
    why: str
    """The provider's last error message, for people."""
    account: bool
    """Whether a person has to do something: enter another key, pay."""
    reached: bool
    """Whether its provider has answered at all; if not, its address may be wrong."""
    seconds: float | None
    """Until the next try; None: it is under way."""


def model_key(model: ModelConfig) -> ModelKey:
    address = model.endpoint_base_url or model.anthropic_base_url or model.model_provider or ""
    return (model.interface, address, str(model.model_name))


class Outages:
    """The lines of one run. Thread-safe.

    `waiting` is entered by each call that waits.
    """

    def __init__(self, patience: Patience | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.patience = patience or Patience()
        self.clock = clock
        self._listeners: Listeners[[]] = Listeners()
        self.waiting: Callable[[], AbstractContextManager[None]] = nullcontext
        self.moved = Condition()
        self._lines: dict[ModelKey, Line] = {}
        self._held = False
        self._over = False

    def listen(self, callback: Callable[[], None]) -> None:
        """Call it whenever a line closes, opens or is tried; from any thread."""
        self._listeners.add(callback)

    @property
    def held(self) -> bool:
        """Whether somebody wants that nothing is asked for the moment."""
        return self._held

    @property
    def over(self) -> bool:
        return self._over

    def line(self, model: ModelConfig) -> Line:
        key = model_key(model)
        with self.moved:
            if key not in self._lines:
                self._lines[key] = Line(self, key, str(model.id))
            return self._lines[key]

    def now(self) -> tuple[Outage, ...]:
        """The models that are waited for at this moment."""
        with self.moved:
            if self._over:
                return ()
            return tuple(line.outage() for line in self._lines.values() if line.closed and not line.given_up)

    def takes_more(self, key: ModelKey) -> bool:
        """Whether a further job of the model may begin: while it is waited for, one after each try that failed."""
        with self.moved:
            line = self._lines.get(key)
            return not self._held and (line is None or line.takes_more())

    def has_room(self, key: ModelKey) -> bool:
        """Whether a job may begin that will ask this model later."""
        with self.moved:
            line = self._lines.get(key)
            return not self._held and (line is None or not line.closed or len(line.calls) < MOST_WAITING)

    def begun(self, key: ModelKey) -> None:
        """A further job of the model has begun."""
        with self.moved:
            if line := self._lines.get(key):
                line.begun_at = line.tries

    def try_now(self, key: ModelKey | None = None) -> None:
        """Wait no longer before the next try; None: of every model."""
        with self.moved:
            for line in self._lines.values():
                if key in (None, line.key):
                    line.next_try = self.clock()
        self.tell()

    def hold(self) -> None:
        """Ask nothing further until `go_on`; calls under way come to their end."""
        with self.moved:
            self._held = True
        self.tell()

    def go_on(self) -> None:
        """After `hold`; whatever is waited for is tried at once."""
        with self.moved:
            self._held = False
        self.try_now()

    def end(self) -> None:
        """Whatever waits gives up: `RunCancelled`."""
        with self.moved:
            self._over = True
        self.tell()

    def tell(self) -> None:
        with self.moved:
            self.moved.notify_all()
        self._listeners.tell()


@dataclass
class Waited:
    """How long somebody has waited for models that could not be asked."""

    seconds: float = 0.0


@dataclass(eq=False)
class Line:
    """The calls of one model."""

    outages: Outages
    key: ModelKey
    name: str
    answers: int = 0
    """That it has given."""
    failures: int = 0
    """In a row."""
    closed: bool = False
    given_up: bool = False
    closings: int = 0
    """How often it was closed."""
    calls: list[Call] = field(default_factory=list)
    """That wait."""
    trying: Call | None = None
    tries: int = 0
    begun_at: int = -1
    """What `tries` was when the last job was begun."""
    next_try: float = 0.0
    _since: float = 0.0
    _fault: ProviderError | None = None

    def outage(self) -> Outage:
        seconds = None if self.trying else max(0.0, self.next_try - self.outages.clock())
        account = self._fault is not None and _kind(self._fault) == "account"
        reached = self._fault is not None and self._fault.reached
        return Outage(self.key, self.name, str(self._fault or ""), account, reached, seconds)

    def takes_more(self) -> bool:
        if not self.closed or self.given_up:
            return True
        if not self.calls and self.trying is None:
            return True  # nobody is there to try
        return len(self.calls) < MOST_WAITING and self.tries != self.begun_at

    def call(self, waited: Waited) -> Call:
        return Call(self, self.answers, waited, self.outages.clock())

    def close(self, fault: ProviderError) -> None:
        clock = self.outages.clock()
        self.closed, self.given_up, self._since = True, False, clock
        self.closings += 1
        self.tries, self.begun_at = 0, 0
        self._plan(fault)

    def open(self) -> None:
        self.closed = self.given_up = False

    def plan(self, fault: ProviderError) -> None:
        """After a try that failed."""
        self.tries += 1
        self._plan(fault)

    def fault(self) -> ProviderError | None:
        """What a call fails with that is not waited for any more; None: it is."""
        if self.outages.clock() - self._since >= self.outages.patience.most:
            self.given_up = True
        last = self._fault
        if not self.given_up or last is None:
            return None
        return ProviderError(
            f"{last} (waited for in vain, {self.outages.patience.most:g} s)",
            category=last.category,
            status=last.status,
            reached=last.reached,
        )

    def patience_left(self) -> float:
        return self._since + self.outages.patience.most - self.outages.clock()

    def prober(self) -> Call:
        return min(self.calls, key=lambda call: call.tries)

    def _plan(self, fault: ProviderError) -> None:
        patience, self._fault = self.outages.patience, fault
        longest = patience.account if _kind(fault) == "account" else patience.longest
        pause = min(longest, patience.first * patience.growth ** min(self.tries, 64))
        self.next_try = self.outages.clock() + max(pause, fault.retry_after or 0.0)


@dataclass(eq=False)
class Call:
    """One model call with all its attempts."""

    line: Line
    answers: int
    """That the model had given when it began."""
    waited: Waited
    since: float
    """When it began, or when what it has waited for was counted last."""
    tries: int = 0
    """Of this call, while its model was waited for."""
    doubted: bool = False

    @contextmanager
    def attempt(self, is_own_end: Callable[[ProviderError], bool]) -> Iterator[None]:
        """One attempt, as soon as it may be made. `is_own_end`: whether the provider is not to blame for a failure.

        Errors: `RunCancelled`; `ProviderError` when the model was waited for in vain.
        """
        self._admitted()
        try:
            yield
        except RunCancelled:
            with self.line.outages.moved:
                self._tried()
            raise
        except ProviderError as fault:
            if is_own_end(fault):
                with self.line.outages.moved:
                    self._tried()
            else:
                self._failed(fault)
            raise
        except BaseException:
            self._answered()
            raise
        else:
            self._answered()

    @property
    def waits(self) -> bool:
        """Whether its model is waited for, or was in vain."""
        return self.line.closed

    def goes_on(self, fault: ProviderError) -> bool:
        """Whether it is made again, as if for the first time, after its attempts are used up."""
        outages, line, kind = self.line.outages, self.line, _kind(fault)
        if kind is None:
            return False
        with outages.moved:
            if line.given_up:
                return False
            if line.closed:
                alone = line.calls in ([], [self]) and self.tries >= outages.patience.alone
                if kind == "doubtful" and alone:
                    line.open()
                    return False
                self._spend()
                return True
            if kind == "account":
                if not line.answers and not outages.patience.unproven:
                    return False
            elif line.answers != self.answers and not _is_long(fault) and (fault.status != 403 or self.doubted):
                return False  # others are answered
            self.doubted = True
            self._spend()
            line.close(fault)
        outages.tell()
        return True

    def _spend(self) -> None:
        """All of its time until now was spent on an outage."""
        now = self.line.outages.clock()
        self.waited.seconds += now - self.since
        work_clock.pause(now - self.since)
        self.since = now

    def _admitted(self) -> None:
        outages, line = self.line.outages, self.line
        with outages.moved:
            if not self._must_wait():
                return
            line.calls.append(self)
        outages.tell()
        try:
            with outages.waiting(), outages.moved:
                while self._must_wait():
                    outages.moved.wait(self._glance())
        finally:
            with outages.moved:
                line.calls.remove(self)
                self._spend()
        outages.tell()

    def _must_wait(self) -> bool:
        outages, line = self.line.outages, self.line
        if outages.over:
            raise RunCancelled("The run was cancelled; no further model call is made.")
        if outages.held:
            return True
        if not line.closed:
            return False
        if fault := line.fault():
            raise fault
        if line.trying is None and outages.clock() >= line.next_try and (not line.calls or line.prober() is self):
            line.trying = self
            self.tries += 1
            return False
        return True

    def _glance(self) -> float | None:
        """Seconds until there may be something to do without anybody telling."""
        outages, line = self.line.outages, self.line
        if outages.held or not line.closed:
            return None
        until = [line.patience_left()]
        if line.trying is None:
            until.append(line.next_try - outages.clock())
        nearest = max(0.001, min(until))
        return None if math.isinf(nearest) else nearest

    def _tried(self) -> bool:
        was = self.line.trying is self
        if was:
            self.line.trying = None
        return was

    def _answered(self) -> None:
        line = self.line
        with line.outages.moved:
            self._tried()
            line.answers += 1
            line.failures = 0
            was_closed = line.closed
            line.open()
        if was_closed:
            line.outages.tell()

    def _failed(self, fault: ProviderError) -> None:
        line, kind = self.line, _kind(fault)
        if kind is None:
            if fault.category == "rejected":
                self._answered()
            else:
                with line.outages.moved:
                    self._tried()
            return
        with line.outages.moved:
            tried = self._tried()
            line.failures += 1
            if tried and line.closed:
                line.plan(fault)
            elif not line.closed and _counts(fault) and line.failures >= line.outages.patience.failures:
                line.close(fault)
        line.outages.tell()


def _counts(fault: ProviderError) -> bool:
    """Whether failures like this one in a row make an outage; a busy provider is asked again, an account ends it."""
    return fault.category != "rate_limit" and _kind(fault) != "account"


def _is_long(fault: ProviderError) -> bool:
    return fault.retry_after is not None and fault.retry_after > LONG


def _kind(fault: ProviderError) -> _Kind | None:
    """None: the provider is there and has refused this request, or sent what cannot be read."""
    if fault.account or (isinstance(fault, AuthenticationError) and fault.status != 403):
        return "account"
    if fault.status == 403:
        return "doubtful"  # some providers refuse single prompts so
    if fault.category not in RETRY_CATEGORIES or fault.status == 200:
        return None
    certain = not fault.reached or fault.category == "rate_limit" or fault.status in (502, 503, 529)
    return "away" if certain else "doubtful"
