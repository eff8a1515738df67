"""The models that a run may use: which interfaces there are, what is kept under a name, and whether it answers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from karenina_gui.adapters.open import Adapters, ConnectionReport
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.spec import AdapterSpec
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.store.models import Models


@dataclass(frozen=True)
class KeyState:
    """Where a model's key comes from; the key itself is never shown."""

    variable: str
    is_set: bool


class ModelShelf:
    """Model configurations by name, and what can be said of them without a run."""

    def __init__(self, models: Models, adapters: Adapters, environment: Mapping[str, str] = os.environ) -> None:
        self._adapters = adapters
        self._environment = environment
        self.kept = models
        """Named configurations: `all()`, `save(name, config)`, `delete(name)`."""

    def interfaces(self) -> list[AdapterSpec]:
        """What a model can be reached through, in the order in which it is offered."""
        return AdapterRegistry.specs()

    def can_judge(self, model: ModelConfig) -> bool:
        return AdapterRegistry.require(model.interface).capabilities.judges

    def key(self, model: ModelConfig) -> KeyState | None:
        """The variable that holds the model's key; None: it needs none. Errors: `ConfigurationError`."""
        variable = model.api_key_env or AdapterRegistry.require(model.interface).key_variable
        return None if variable is None else KeyState(variable, bool(self._environment.get(variable, "").strip()))

    def recording_label(self, model: ModelConfig) -> str | None:
        """Label of the recording that the model plays back; None: it is live. Errors: `InputError`."""
        return self._adapters.recording_label(model)

    def is_recorded(self, model: ModelConfig, request: LLMRequest) -> bool:
        """Whether a model that plays back a recording has a reply to this request. Errors: `InputError`."""
        return self._adapters.is_recorded(model, request)

    def check(self, model: ModelConfig) -> ConnectionReport:
        """Ask the model one short question; takes up to 20 s."""
        return self._adapters.check(model)

    def close(self) -> None:
        self._adapters.close()
