"""Policy of model calls: cancellation, concurrency permits, time limits, and retries.

tenacity does the retries; the categories, budgets and backoff come from `RetryPolicy`.
"""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from threading import Semaphore
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception

from karenina_gui.adapters.fault_kinds import asks_for_long_pause
from karenina_gui.adapters.outages import Line, Outages, TrackedCall
from karenina_gui.adapters.patience import WaitTotal
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.errors import ProviderError, RunCancelled
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RETRY_CATEGORIES, RetryPolicy

T = TypeVar("T")


_GLANCE = 0.1
"""Polling interval in seconds for `cancelled` while waiting."""


def never() -> bool:
    """`cancelled` of a run that cannot be cancelled."""
    return False


@dataclass(frozen=True)
class CallPolicy:
    """Settings for every call of a run; a model's own `retry_policy` and `request_timeout` take precedence."""

    retry: RetryPolicy = field(default_factory=RetryPolicy)
    request_timeout: float = 120.0
    """Seconds for one attempt, from sending to the last byte."""
    cancelled: Cancelled = never
    """Polled before every attempt and while waiting."""
    permits: Semaphore | None = None
    """Limits the concurrent attempts over all models of a run; None: no limit.

    Held during an attempt only, never while waiting for the next one.
    """
    deadline: float = math.inf
    """Time (`time.monotonic()`) by which everything must be finished, not counting outages.

    No attempt begins or lasts beyond it.
    """
    waited: WaitTotal = field(default_factory=WaitTotal)
    """Time spent on waiting for unavailable models, which is added to the deadline."""
    outages: Outages | None = None
    """Lets calls wait while a model is unavailable; None: they fail."""
    line: Line | None = None
    """Queue of the model in `outages`; None without `outages`."""

    @property
    def seconds(self) -> float:
        """Timeout for the attempt that begins now. Raises `ProviderError` (timeout) if no time is left."""
        remaining = self.ends - time.monotonic()
        if remaining <= 0:
            raise ProviderError("No time left for another model call. Increase the time limit.", category="timeout")
        return min(self.request_timeout, remaining)

    @property
    def ends(self) -> float:
        """Time (`time.monotonic()`) by which everything must be finished."""
        return self.deadline + self.waited.seconds

    def of(self, model: ModelConfig) -> CallPolicy:
        """Copy with the model's own settings."""
        return replace(
            self,
            retry=model.retry_policy or self.retry,
            request_timeout=model.request_timeout or self.request_timeout,
            line=self.outages.line(model) if self.outages else None,
        )

    def run(self, attempt: Callable[[], T]) -> tuple[T, dict[str, int]]:
        """Return the attempt's result and the retries that it took, by category.

        Raises `RunCancelled`, also for an attempt that a cancel interrupted; the last `ProviderError` when the budget
        of its category is spent, with the retries in `retries`; any other error of the attempt at once.
        """
        call = self.line.call(self.waited) if self.line else None
        spent: Counter[str] = Counter()
        retrying = Retrying(
            retry=retry_if_exception(_is_transient),
            stop=lambda state: bool(call and call.waits) or self._is_exhausted(_fault(state), spent),
            wait=lambda state: self._pause(_fault(state), spent),
            before_sleep=lambda state: spent.update([_fault(state).category]),
            sleep=lambda seconds: self._sleep(seconds, call),
            reraise=True,
        )
        while True:
            try:
                return retrying(self._attempt, attempt, call), dict(spent)
            except ProviderError as fault:
                if call is None or self._is_own_end(fault) or not call.goes_on(fault):
                    fault.retries = dict(spent + Counter(fault.retries))
                    raise
            spent.clear()

    def _is_own_end(self, fault: ProviderError) -> bool:
        """True if our own time limit ended the call, not the provider."""
        return fault.category == "timeout" and time.monotonic() >= self.ends - _GLANCE

    def _attempt(self, attempt: Callable[[], T], call: TrackedCall | None) -> T:
        with call.attempt(self._is_own_end) if call else nullcontext(), self._permit():
            self._raise_if_cancelled()
            try:
                return attempt()
            except ProviderError:
                # A cancel cuts connections, which looks like a fault of the provider.
                self._raise_if_cancelled()
                raise

    def _is_exhausted(self, fault: ProviderError, spent: Counter[str]) -> bool:
        if asks_for_long_pause(fault):
            return True
        if time.monotonic() + (fault.retry_after or 0.0) >= self.ends:
            return True
        return spent[fault.category] >= self.retry.budget(fault.category).max_attempts

    def _pause(self, fault: ProviderError, spent: Counter[str]) -> float:
        """Seconds to wait: the provider's `Retry-After` plus a little jitter, else full-jitter exponential backoff."""
        budget = self.retry.budget(fault.category)
        if fault.retry_after is not None:
            # Without jitter all waiting calls would return at the same moment.
            return fault.retry_after + random.uniform(0, min(1.0, budget.backoff_min))
        ceiling = budget.backoff_min * budget.backoff_multiplier ** spent[fault.category]
        return random.uniform(0, min(budget.backoff_max, ceiling))

    def _sleep(self, seconds: float, call: TrackedCall | None) -> None:
        """Sleep until the next attempt, or until the model's queue closes, which then schedules the next attempt."""
        until, closings = time.monotonic() + seconds, call.line.closings if call else 0
        while (remaining := until - time.monotonic()) > 0 and not (call and call.line.closings > closings):
            self._raise_if_cancelled()
            self.seconds  # noqa: B018  (raises when the time is over)
            time.sleep(min(remaining, _GLANCE))

    @contextmanager
    def _permit(self) -> Iterator[None]:
        if self.permits is None:
            yield
            return
        while not self.permits.acquire(timeout=_GLANCE):
            self._raise_if_cancelled()
            self.seconds  # noqa: B018  (raises when the time is over)
        try:
            yield
        finally:
            self.permits.release()

    def _raise_if_cancelled(self) -> None:
        if self.cancelled():
            raise RunCancelled("The run was stopped. No more models are called.")


def _is_transient(error: BaseException) -> bool:
    return isinstance(error, ProviderError) and error.category in RETRY_CATEGORIES


def _fault(state: RetryCallState) -> ProviderError:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, ProviderError)
    return error
