"""Outages of models: calls to an unavailable model wait, one of them probes it, and all resume when it answers.

Each model (at its address) has a queue. A few consecutive failures close the queue, or a single one that waiting cannot
fix (a rejected key, an empty account). While it is closed, one of the waiting calls is made from time to time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from threading import Condition

from karenina_gui import work_clock
from karenina_gui.adapters.fault_kinds import FaultKind, asks_for_long_pause, kind_of_fault, makes_outage
from karenina_gui.adapters.patience import Patience, WaitTotal
from karenina_gui.errors import ModelUnavailable, ProviderError, RunCancelled
from karenina_gui.events import Signal
from karenina_gui.schemas.model_config import ModelConfig

ModelKey = tuple[str, str, str]
"""A model at its address."""
CLUSTER = "cluster"
"""In place of an interface in the key of a run's cluster."""
MOST_WAITING = 16
"""Number of calls that wait for one model; no further jobs of it are started."""


@dataclass(frozen=True)
class Outage:
    """A model that calls are waiting for."""

    key: ModelKey
    model: str
    why: str
    """The provider's last error message, for the user."""
    account: bool
    """True if the user has to act: enter another key, pay."""
    reached: bool
    """True if the provider has answered at all; if not, its URL may be wrong."""
    seconds: float | None
    """Seconds until the next probe; None: it is in progress."""

    @property
    def is_model(self) -> bool:
        """False: calls are waiting for the run's cluster."""
        return self.key[0] != CLUSTER


def model_key(model: ModelConfig) -> ModelKey:
    address = model.endpoint_base_url or model.anthropic_base_url or model.model_provider or ""
    return (model.interface, address, str(model.model_name))


class Outages:
    """The queues of one run. Thread-safe.

    `waiting` is a context that each waiting call enters.
    """

    def __init__(self, patience: Patience | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.patience = patience or Patience()
        self.clock = clock
        self.changed: Signal[[]] = Signal()
        """A queue closed, opened or was probed."""
        self.waiting: Callable[[], AbstractContextManager[None]] = nullcontext
        self.moved = Condition()
        self.common: Line | None = None
        """Queue of what all calls need, such as the cluster; None: they need nothing else."""
        self._lines: dict[ModelKey, Line] = {}
        self._held = False
        self._over = False

    @property
    def held(self) -> bool:
        """True while the user has paused the run."""
        return self._held

    @property
    def starts_nothing(self) -> bool:
        """True if no job may start, whatever its model."""
        return self._held or (self.common is not None and self.common.closed and not self.common.given_up)

    @property
    def over(self) -> bool:
        return self._over

    def line(self, model: ModelConfig) -> Line:
        return self.line_of(model_key(model), str(model.id))

    def line_of(self, key: ModelKey, name: str) -> Line:
        """The queue of a model, or of anything else that a run can wait for, such as its cluster."""
        with self.moved:
            if key not in self._lines:
                self._lines[key] = Line(self, key, name)
            return self._lines[key]

    def now(self) -> tuple[Outage, ...]:
        """The models that calls are waiting for now."""
        with self.moved:
            if self._over:
                return ()
            return tuple(line.outage() for line in self._lines.values() if line.closed and not line.given_up)

    def takes_more(self, key: ModelKey) -> bool:
        """True if another job of the model may start. During an outage one may start after each failed probe."""
        with self.moved:
            line = self._lines.get(key)
            return not self.starts_nothing and (line is None or line.takes_more())

    def has_room(self, key: ModelKey) -> bool:
        """True if a job may start that will ask this model later."""
        with self.moved:
            line = self._lines.get(key)
            return not self.starts_nothing and (line is None or not line.closed or len(line.calls) < MOST_WAITING)

    def note_start(self, key: ModelKey) -> None:
        """Note that a job of the model has started."""
        with self.moved:
            if line := self._lines.get(key):
                line.begun_at = line.tries

    def try_now(self, key: ModelKey | None = None) -> None:
        """Skip the pause before the next probe; None: of every model."""
        with self.moved:
            for line in self._lines.values():
                if key in (None, line.key):
                    line.next_try = self.clock()
        self.tell()

    def hold(self) -> None:
        """Send nothing more until `go_on`; calls in progress finish."""
        with self.moved:
            self._held = True
        self.tell()

    def go_on(self) -> None:
        """Resume after `hold`; unavailable models are probed at once."""
        with self.moved:
            self._held = False
        self.try_now()

    def end(self) -> None:
        """Make all waiting calls raise `RunCancelled`."""
        with self.moved:
            self._over = True
        self.tell()

    def tell(self) -> None:
        with self.moved:
            self.moved.notify_all()
        self.changed.emit()


@dataclass(eq=False)
class Line:
    """The queue of one model."""

    outages: Outages
    key: ModelKey
    name: str
    answers: int = 0
    """Number of answers from the model."""
    failures: int = 0
    """Number of consecutive failures."""
    closed: bool = False
    given_up: bool = False
    closings: int = 0
    """Number of times that the queue was closed."""
    calls: list[TrackedCall] = field(default_factory=list)
    """Waiting calls."""
    trying: TrackedCall | None = None
    tries: int = 0
    begun_at: int = -1
    """Value of `tries` when the last job was started."""
    next_try: float = 0.0
    failure: ProviderError | None = None
    """Error of all calls, because another process has waited in vain; None: calls are made."""
    _since: float = 0.0
    _fault: ProviderError | None = None

    def outage(self) -> Outage:
        seconds = None if self.trying else max(0.0, self.next_try - self.outages.clock())
        account = self._fault is not None and kind_of_fault(self._fault) == "account"
        reached = self._fault is not None and self._fault.reached
        return Outage(self.key, self.name, str(self._fault or ""), account, reached, seconds)

    def takes_more(self) -> bool:
        if not self.closed or self.given_up:
            return True
        if not self.calls and self.trying is None:
            # No call is left that could probe the model.
            return True
        return len(self.calls) < MOST_WAITING and self.tries != self.begun_at

    def call(self, waited: WaitTotal) -> TrackedCall:
        return TrackedCall(self, self.answers, waited, self.outages.clock())

    def close(self, fault: ProviderError) -> None:
        clock = self.outages.clock()
        self.closed, self.given_up, self._since = True, False, clock
        self.closings += 1
        self.tries, self.begun_at = 0, 0
        self._plan(fault)

    def open(self) -> None:
        self.closed = self.given_up = False

    def fail(self, fault: ProviderError) -> None:
        """Let all calls fail with this error, none of them is made."""
        self.closed = self.given_up = True
        self.failure = fault

    def plan(self, fault: ProviderError) -> None:
        """Schedule the next probe after one that failed."""
        self.tries += 1
        self._plan(fault)

    def fault(self) -> ProviderError | None:
        """Error for a call once the run has given up on the model; None while it waits."""
        if self.failure is not None:
            return self.failure
        if self.outages.clock() - self._since >= self.outages.patience.max_outage:
            self.given_up = True
        last = self._fault
        if not self.given_up or last is None:
            return None
        return ProviderError(
            f"{last} (gave up after {self.outages.patience.max_outage:g} s)",
            category=last.category,
            status=last.status,
            reached=last.reached,
        )

    def unavailable(self) -> ModelUnavailable | None:
        """Error for a call that must not wait here; None: it waits."""
        if self.outages.patience.waits_here or not self.closed or self._fault is None:
            return None
        return ModelUnavailable(self.key, self._fault)

    def patience_left(self) -> float:
        return self._since + self.outages.patience.max_outage - self.outages.clock()

    def prober(self) -> TrackedCall:
        # The least tried call probes, so that one unanswerable request does not keep the queue closed.
        return min(self.calls, key=lambda call: call.tries)

    def _plan(self, fault: ProviderError) -> None:
        patience, self._fault = self.outages.patience, fault
        longest = patience.account_pause if kind_of_fault(fault) == "account" else patience.max_pause
        # The exponent is capped: a float overflows after about 1,000 doublings.
        pause = min(longest, patience.first_pause * patience.pause_factor ** min(self.tries, 64))
        self.next_try = self.outages.clock() + max(pause, fault.retry_after or 0.0)


@dataclass(eq=False)
class TrackedCall:
    """One model call with all its attempts."""

    line: Line
    answers: int
    """Number of the model's answers when the call began."""
    waited: WaitTotal
    since: float
    """Time when it began, or until which its waiting has been counted."""
    tries: int = 0
    """Number of its probes during outages."""
    doubted: bool = False

    @contextmanager
    def attempt(self, is_own_end: Callable[[ProviderError], bool]) -> Iterator[None]:
        """Run one attempt as soon as it is allowed. `is_own_end`: True for a failure that is not the provider's fault.

        Raises `RunCancelled`, or `ProviderError` if waiting for the model was in vain.
        """
        self._wait_for_turn()
        try:
            yield
        except RunCancelled:
            with self.line.outages.moved:
                self._end_probe()
            raise
        except ProviderError as fault:
            if is_own_end(fault):
                with self.line.outages.moved:
                    self._end_probe()
            else:
                self._on_failure(fault)
            raise
        # Any other error arose from a reply: the model is available.
        except BaseException:
            self._on_answer()
            raise
        else:
            self._on_answer()

    @property
    def waits(self) -> bool:
        """True if its model is unavailable, or was given up."""
        return self.line.closed

    def goes_on(self, fault: ProviderError) -> bool:
        """Decide whether the call starts over after its attempts are used up."""
        outages, line, kind = self.line.outages, self.line, kind_of_fault(fault)
        if kind is None:
            return False
        with outages.moved:
            if line.given_up:
                return False
            if line.closed:
                if kind == "doubtful" and self._has_tried_alone():
                    line.open()
                    return False
                self._spend()
                return True
            if self._is_at_fault(fault, kind):
                return False
            self.doubted = True
            self._spend()
            line.close(fault)
        outages.tell()
        return True

    def _has_tried_alone(self) -> bool:
        """True if no other call could have shown that the model is available."""
        return self.line.calls in ([], [self]) and self.tries >= self.line.outages.patience.max_lone_probes

    def _is_at_fault(self, fault: ProviderError, kind: FaultKind) -> bool:
        """True if the failure says nothing about the model's availability."""
        line = self.line
        if kind == "account":
            return not line.answers and not line.outages.patience.waits_for_untested_keys
        # Other calls are answered, so this request is the problem.
        return line.answers != self.answers and not asks_for_long_pause(fault) and (fault.status != 403 or self.doubted)

    def _spend(self) -> None:
        """Count all of its time until now as spent on an outage."""
        now = self.line.outages.clock()
        self.waited.seconds += now - self.since
        work_clock.pause(now - self.since)
        self.since = now

    def _wait_for_turn(self) -> None:
        outages, line = self.line.outages, self.line
        with outages.moved:
            if not self._must_wait():
                return
            if unavailable := line.unavailable():
                raise unavailable
            line.calls.append(self)
        outages.tell()
        try:
            # While all calls wait, stand-ins would double the number of calls afterwards.
            with nullcontext() if line is outages.common else outages.waiting(), outages.moved:
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
            raise RunCancelled("The run was stopped. No more models are called.")
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
        """Seconds until something may be due without a notification."""
        outages, line = self.line.outages, self.line
        if outages.held or not line.closed:
            return None
        # Time alone ends the patience and starts the next probe; everything else notifies.
        until = [line.patience_left()]
        if line.trying is None:
            until.append(line.next_try - outages.clock())
        nearest = max(0.001, min(until))
        return None if math.isinf(nearest) else nearest

    def _end_probe(self) -> bool:
        was = self.line.trying is self
        if was:
            self.line.trying = None
        return was

    def _on_answer(self) -> None:
        line = self.line
        with line.outages.moved:
            self._end_probe()
            line.answers += 1
            line.failures = 0
            was_closed = line.closed
            line.open()
        if was_closed:
            line.outages.tell()

    def _on_failure(self, fault: ProviderError) -> None:
        line, kind = self.line, kind_of_fault(fault)
        if kind is None:
            if fault.category == "rejected":
                self._on_answer()
            else:
                with line.outages.moved:
                    self._end_probe()
            return
        with line.outages.moved:
            tried = self._end_probe()
            line.failures += 1
            if tried and line.closed:
                line.plan(fault)
            elif not line.closed and makes_outage(fault) and line.failures >= line.outages.patience.min_failures:
                line.close(fault)
        line.outages.tell()
