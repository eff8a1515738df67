"""One interface's entry in the registry, and what its factories may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from karenina_gui.adapters.calls import CallPolicy
from karenina_gui.adapters.connections import Connections
from karenina_gui.adapters.ports import AgentPort, LLMPort, PortCapabilities
from karenina_gui.adapters.recording import Recordings
from karenina_gui.schemas.config import ModelConfig


@dataclass(frozen=True)
class Wiring:
    """What a factory may use to open a port."""

    connections: Connections
    recordings: Recordings
    calls: CallPolicy
    listen: Callable[[LLMPort, ModelConfig], LLMPort] = lambda llm, model: llm
    """What an agent lets its model's port go through, so that each of its turns is recorded where a run is."""


LLMFactory = Callable[[ModelConfig, Wiring], LLMPort]
AgentFactory = Callable[[ModelConfig, Wiring], AgentPort]
Address = Callable[[ModelConfig, Mapping[str, str]], str]
"""Where requests go, given the environment. It need not be an address: whoever opens a port finds out."""
Lack = Callable[[ModelConfig], str | None]
"""What has to be installed or set before this model can be called, as a sentence; None: nothing. Loads nothing."""
ModelNames = Callable[[ModelConfig, Wiring], list[str]]
"""Names of the models that the server has. Errors: as the factory, and `ProviderError`."""


@dataclass(frozen=True)
class AdapterSpec:
    """An interface: its name in `ModelConfig.interface`, what it can do, and how its ports are opened."""

    name: str
    title: str
    """For people, in a list to choose from."""
    description: str = ""
    """One sentence of help."""
    agent_tier: Literal["tool_loop", "deep_agent"] = "tool_loop"
    """`deep_agent`: the runtime is itself an agent, so answers come through its `AgentPort`, never its `LLMPort`."""
    capabilities: PortCapabilities = field(default_factory=PortCapabilities)
    llm_factory: LLMFactory | None = None
    """None: the interface gives no single replies (recorded answers)."""
    agent_factory: AgentFactory | None = None
    """None: the interface runs no agents. `tool_loop(llm_factory)` where its models can call tools."""
    address: Address | None = None
    """None: no server is asked."""
    model_names: ModelNames | None = None
    """None: the server cannot be asked what models it has."""
    key_variable: str | None = None
    """Environment variable that holds the key unless a model names another; None: no key."""
    lacking: Lack | None = None
    """None: nothing has to be installed or set before a model can be called."""
    takes_seed: Callable[[ModelConfig], bool] = lambda model: False
    """Whether a seed of sampling is sent to this model's provider where a request has one."""
