"""Ports of one run: the adapters together with the run's call policy."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.adapters.call_policy import CallPolicy
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import AgentPort, LLMPort, ParserPort
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.schemas.model_config import ModelConfig


@dataclass(frozen=True)
class RunPorts:
    """`Ports` for the pipeline. Thread-safe as `AdapterFactory` is."""

    adapters: AdapterFactory
    calls: CallPolicy

    def llm(self, model: ModelConfig) -> LLMPort:
        return self.adapters.llm(model, self.calls)

    def parser(self, model: ModelConfig) -> ParserPort:
        return self.adapters.parser(model, self.calls)

    def agent(self, model: ModelConfig) -> AgentPort:
        return self.adapters.agent(model, self.calls)

    def uses_agent(self, model: ModelConfig) -> bool:
        return uses_agent(model)

    def is_agent_runtime(self, model: ModelConfig) -> bool:
        return is_agent_runtime(model)

    def runs_agents(self, model: ModelConfig) -> bool:
        self.adapters.consents.require(model)
        return runs_agents(model)

    def recording_label(self, model: ModelConfig) -> str | None:
        return self.adapters.recording_label(model)


def uses_agent(model: ModelConfig) -> bool:
    """See `Ports.uses_agent`. Raises `ConfigurationError` for an unknown interface."""
    spec = AdapterRegistry.require(model.interface)
    return (
        bool(model.tool_servers or model.workspace_tools) or spec.agent_tier == "deep_agent" or spec.llm_factory is None
    )


def is_agent_runtime(model: ModelConfig) -> bool:
    """See `Ports.is_agent_runtime`. Raises `ConfigurationError` for an unknown interface."""
    return AdapterRegistry.require(model.interface).agent_tier == "deep_agent"


def runs_agents(model: ModelConfig) -> bool:
    """See `Ports.runs_agents`. Raises `ConfigurationError` for an unknown interface."""
    spec = AdapterRegistry.require(model.interface)
    return spec.agent_factory is not None and spec.llm_factory is not None
