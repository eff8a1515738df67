"""Calls of models outside of runs: limits, retries, outages, and cancellation as in a run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.outages import Outages
from karenina_gui.adapters.patience import Patience
from karenina_gui.adapters.ports import Cancelled, LLMPort
from karenina_gui.runs.execution import OpenAdapters
from karenina_gui.schemas.model_config import ModelConfig

MAX_OUTAGE = 120.0
"""Seconds for which calls wait for a model that is unavailable."""
CONCURRENT_CALLS = 4


@dataclass(frozen=True)
class ModelCalls:
    """Replies of models."""

    adapters: AdapterFactory
    policy: CallPolicy

    def llm(self, model: ModelConfig) -> LLMPort:
        """Port of a model. Raises `ConfigurationError`, or `AuthenticationError` if its key is missing."""
        return self.adapters.llm(model, self.policy)

    def recording_label(self, model: ModelConfig) -> str | None:
        """See `AdapterFactory.recording_label`."""
        return self.adapters.recording_label(model)

    def end_calls(self) -> None:
        """End calls in progress, after a cancellation."""
        self.adapters.end_calls()


@contextmanager
def model_calls(
    open_adapters: OpenAdapters, cancelled: Cancelled, patience: Patience | None = None
) -> Iterator[ModelCalls]:
    """Open the models for a `with` block. `patience` None: calls wait `MAX_OUTAGE` seconds for unavailable models."""
    # Shorter than in a run: somebody waits in front of the screen.
    waits = patience or Patience(max_outage=MAX_OUTAGE, waits_for_untested_keys=False)
    policy = CallPolicy(
        cancelled=cancelled,
        permits=threading.Semaphore(CONCURRENT_CALLS),
        outages=Outages(waits) if waits.max_outage else None,
    )
    with open_adapters(None) as adapters:
        yield ModelCalls(adapters, policy)
