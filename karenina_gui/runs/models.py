"""Models that a run may use: interfaces, saved configurations, keys and connection checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karenina_gui.adapters.adapter_spec import AdapterSpec
from karenina_gui.adapters.connection_check import (
    CheckState as CheckState,
    ConnectionReport as ConnectionReport,
    Part as Part,
)
from karenina_gui.adapters.consents import accesses_of, models_of as models_of
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.keys import KeyOrigin as KeyOrigin
from karenina_gui.adapters.local_servers import LocalServer as LocalServer, find_local_servers
from karenina_gui.adapters.ports import LLMRequest, Purpose
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.run_ports import uses_agent
from karenina_gui.pipeline.unused_settings import unused_of_model
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.text.urls import is_local

if TYPE_CHECKING:
    from karenina_gui.store.models import Models  # loads the database, which a run in Python does not need


@dataclass(frozen=True)
class KeyState:
    """Origin of a model's API key. The key itself is never shown."""

    variable: str
    origin: KeyOrigin | None
    """None: the key is not set."""

    @property
    def is_set(self) -> bool:
        return self.origin is not None


@dataclass(frozen=True)
class KeyUse(KeyState):
    """API key with its users."""

    interfaces: tuple[str, ...]
    """Titles of the interfaces whose default key it is."""
    models: tuple[str, ...]
    """Names of the saved models that use it, or whose MCP servers do."""
    conditions: tuple[tuple[str, str], ...] = ()
    """(place, name) of the conditions whose MCP servers use it."""


class ModelCatalog:
    """Saved model configurations, and facts about models that need no run.

    A model whose interface is missing is reported as capable of everything: the missing interface itself is the error,
    and it is raised as soon as the model is called.
    """

    def __init__(self, models: Models, adapters: AdapterFactory) -> None:
        self._adapters = adapters
        self._models = models
        """Saved configurations by name."""
        self.keys = adapters.keys
        """API keys entered in the application, and those of the environment."""
        self.consents = adapters.consents
        """What models may reach on this computer."""

    def interfaces(self) -> list[AdapterSpec]:
        """All interfaces, in the order in which they are offered."""
        return AdapterRegistry.specs()

    def can_judge(self, model: ModelConfig) -> bool:
        spec = AdapterRegistry.get_spec(model.interface)
        return spec is None or spec.capabilities.judges

    def is_asked(self, model: ModelConfig) -> bool:
        """True if the model reads prompts; False: it only returns recorded answers."""
        spec = AdapterRegistry.get_spec(model.interface)
        return spec is None or spec.llm_factory is not None

    def keeps_to_schemas(self, model: ModelConfig) -> bool:
        """True if the interface supports structured output; False: the schema is part of the prompt."""
        spec = AdapterRegistry.get_spec(model.interface)
        return spec is None or spec.capabilities.structured_output

    def can_be_agent(self, model: ModelConfig) -> bool:
        """True if the model can use tools and workspaces."""
        return can_be_agent(model)

    def works_in_workspace(self, model: ModelConfig) -> bool:
        """True if the model has access to the question's workspace while it answers."""
        spec = AdapterRegistry.get_spec(model.interface)
        deep = spec is not None and spec.agent_tier == "deep_agent"
        return deep or (bool(model.workspace_tools) and can_be_agent(model))

    def works_with_tools(self, model: ModelConfig) -> bool:
        """True if the model answers as an agent in several turns."""
        if AdapterRegistry.get_spec(model.interface) is None:
            return bool(model.tool_servers or model.workspace_tools)
        return uses_agent(model) and self.is_asked(model)

    def tools_in_vain(self, model: ModelConfig) -> list[str]:
        """MCP servers and workspace tools of a model whose interface does not support tools."""
        return [] if can_be_agent(model) else [*sorted(model.tool_servers), *(model.workspace_tools or ())]

    def without_effect(self, model: ModelConfig) -> list[str]:
        """Settings of the model, usually from a file, that this version ignores."""
        return unused_of_model(model)

    def unset_variables(self, model: ModelConfig) -> list[str]:
        """Unset environment variables that its MCP servers refer to."""
        return [variable for variable in self._named_by(model.tool_servers) if self.keys.origin(variable) is None]

    def _named_by(self, servers: Mapping[str, ToolServer]) -> list[str]:
        """Variables that MCP servers refer to, without those of the environment itself, such as HOME."""
        named = {variable for server in servers.values() for variable in server.variables}
        return sorted(variable for variable in named if self.keys.origin(variable) != "environment")

    def lacking(self, model: ModelConfig) -> str | None:
        """Missing package or setting without which the model cannot be called; None: nothing.

        Raises `ConfigurationError` if the interface does not exist.
        """
        lacking = AdapterRegistry.require(model.interface).lacking
        return lacking(model) if lacking else None

    def key(self, model: ModelConfig) -> KeyState | None:
        """Key of the model; None: it needs none. Raises `ConfigurationError` if the interface does not exist."""
        spec = AdapterRegistry.require(model.interface)
        variable = model.api_key_env or spec.key_variable
        # Local servers such as Ollama need no key, unless the model names one.
        if variable is None or (self.is_local(model) and model.api_key_env is None):
            return None
        return KeyState(variable, self.keys.origin(variable))

    def is_local(self, model: ModelConfig) -> bool:
        """True if the model is served on this computer."""
        spec = AdapterRegistry.get_spec(model.interface)
        return spec is not None and spec.address is not None and is_local(spec.address(model, self.keys))

    def key_uses(self, conditions: Mapping[str, Iterable[Condition]] | None = None) -> list[KeyUse]:
        """API keys used by interfaces, saved models, MCP servers and conditions, sorted by variable.

        `conditions`: by a label of the place that defines them; None: there are none.
        """
        titles: dict[str, list[str]] = {}
        for spec in self.interfaces():
            if spec.key_variable:
                titles.setdefault(spec.key_variable, []).append(spec.title)
        names = self._models_by_variable()
        under: dict[str, list[tuple[str, str]]] = {}
        for benchmark, defined in (conditions or {}).items():
            for condition in defined:
                for variable in self._named_by(condition.mcp_servers or {}):
                    under.setdefault(variable, []).append((benchmark, condition.name))
        return [
            KeyUse(
                variable,
                self.keys.origin(variable),
                interfaces=tuple(titles.get(variable, ())),
                models=tuple(names.get(variable, ())),
                conditions=tuple(under.get(variable, ())),
            )
            for variable in sorted({*titles, *names, *under})
        ]

    def _models_by_variable(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for name, model in self._models.all().items():
            # A saved model may use an interface of a plug-in that is no longer installed.
            if AdapterRegistry.get_spec(model.interface) and (key := self.key(model)):
                names.setdefault(key.variable, []).append(name)
            for variable in self._named_by(model.tool_servers):
                names.setdefault(variable, []).append(name)
        return names

    def recording_label(self, model: ModelConfig) -> str | None:
        """Label of the recording that the model plays back; None: it is live. Raises `InputError`."""
        return self._adapters.recording_label(model)

    def is_recorded(self, model: ModelConfig, request: LLMRequest) -> bool:
        """True if a model that plays back a recording has a reply to this request. Raises `InputError`."""
        return self._adapters.is_recorded(model, request)

    def is_schema_recorded(self, model: ModelConfig, schema: Mapping[str, Any]) -> bool:
        """True if a judge that plays back a recording has any reply to this response schema. Raises `InputError`."""
        return self._adapters.is_schema_recorded(model, schema)

    def is_purpose_recorded(self, model: ModelConfig, purpose: Purpose) -> bool:
        """True if a judge that plays back a recording has any reply of this purpose. Raises `InputError`."""
        return self._adapters.is_purpose_recorded(model, purpose)

    def local_servers(self, own_port: int | None) -> list[LocalServer]:
        """Model servers on this computer, except at `own_port`. Takes about a second."""
        return find_local_servers(own_port=own_port)

    def check(self, model: ModelConfig) -> ConnectionReport:
        """Send the model short prompts. Takes up to 20 s for each. Raises `ConsentError`."""
        return self._adapters.check(model)

    def agree_to_new(self, model: ModelConfig, before: ModelConfig | None = None) -> None:
        """Agree to what a person has just entered: what the model reaches, and `before` did not (None: no model).

        An edit next to what nobody has agreed to yet, such as another key for a foreign server, agrees to neither.
        """
        foreign = self.consents.missing(before) if before is not None else []
        had = accesses_of(before) if before is not None else []
        new = [access for access in accesses_of(model) if access not in had]
        self.consents.agree(access for access in new if not any(map(access.shares, foreign)))

    def close(self) -> None:
        self._adapters.close()


def takes_seed(model: ModelConfig) -> bool:
    """True if the provider receives the seed of a request. False for models that play back recordings."""
    spec = AdapterRegistry.get_spec(model.interface)
    return spec is not None and spec.takes_seed(model)


def can_be_agent(model: ModelConfig) -> bool:
    """True if the interface runs agents or does not exist."""
    spec = AdapterRegistry.get_spec(model.interface)
    if spec is None:
        return True
    return spec.capabilities.judges and spec.agent_factory is not None


def interface_title(name: str) -> str:
    """Title of an interface; its name if it is not installed."""
    spec = AdapterRegistry.get_spec(name)
    return spec.title if spec is not None else name
