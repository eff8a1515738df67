"""Registry entry of an interface, and the resources of its factories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.connections import Connections
from karenina_gui.adapters.ports import AgentPort, LLMPort, PortCapabilities
from karenina_gui.adapters.recording import Recordings
from karenina_gui.schemas.model_config import ModelConfig


@dataclass(frozen=True)
class AdapterDependencies:
    """Resources that a factory may use to open a port."""

    connections: Connections
    recordings: Recordings
    calls: CallPolicy
    listen: Callable[[LLMPort, ModelConfig], LLMPort] = lambda llm, model: llm
    """Wrapper for the model's port of an agent, so that each turn is recorded if the run is."""


LLMFactory = Callable[[ModelConfig, AdapterDependencies], LLMPort]
AgentFactory = Callable[[ModelConfig, AdapterDependencies], AgentPort]
Address = Callable[[ModelConfig, Mapping[str, str]], str]
"""URL of requests, given the environment. Not validated: opening a port does that."""
Lack = Callable[[ModelConfig], str | None]
"""Sentence about what has to be installed or configured before this model can be called; None: nothing.

Imports nothing.
"""
ModelNames = Callable[[ModelConfig, AdapterDependencies], list[str]]
"""Names of the models on the server. Raises as the factory does, and `ProviderError`."""


@dataclass(frozen=True)
class AdapterSpec:
    """An interface: its name in `ModelConfig.interface`, its capabilities, and the factories of its ports."""

    name: str
    title: str
    """Title in a list to choose from."""
    description: str = ""
    """One sentence of help."""
    agent_tier: Literal["tool_loop", "deep_agent"] = "tool_loop"
    """`deep_agent`: the runtime is itself an agent, so answers come through its `AgentPort`, never its `LLMPort`."""
    capabilities: PortCapabilities = field(default_factory=PortCapabilities)
    llm_factory: LLMFactory | None = None
    """None: the interface gives no single replies (recorded answers)."""
    agent_factory: AgentFactory | None = None
    """None: the interface runs no agents. `tool_loop(llm_factory)` if its models can call tools."""
    address: Address | None = None
    """None: there is no server."""
    model_names: ModelNames | None = None
    """None: the server cannot list its models."""
    key_variable: str | None = None
    """Environment variable of the key unless a model names another; None: no key."""
    key_variable_of: Callable[[ModelConfig], str | None] | None = None
    """The same for interfaces of several providers; None: `key_variable`."""
    key_field: Literal["endpoint_api_key", "anthropic_api_key"] = "endpoint_api_key"
    """Field of `ModelConfig` with a key that is used in place of the variable's."""
    takes_addresses: bool = True
    """False if nothing in `ModelConfig.extra_kwargs` decides where requests go."""
    lacking: Lack | None = None
    """None: nothing has to be installed or configured before a model can be called."""
    takes_seed: Callable[[ModelConfig], bool] = lambda model: False
    """True if a request's sampling seed is sent to this model's provider."""

    def usual_key(self, model: ModelConfig) -> str | None:
        """Environment variable of the model's key unless the model names another; None: no key."""
        return self.key_variable_of(model) if self.key_variable_of else self.key_variable
