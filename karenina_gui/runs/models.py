"""The models that a run may use: which interfaces there are, what is kept under a name, and whether it answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karenina_gui.adapters.bound import uses_agent
from karenina_gui.adapters.connection_check import CheckState as CheckState, ConnectionReport as ConnectionReport
from karenina_gui.adapters.keys import KeyOrigin as KeyOrigin
from karenina_gui.adapters.local_servers import LocalServer as LocalServer, find_local_servers
from karenina_gui.adapters.open import Adapters
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.adapters.spec import AdapterSpec
from karenina_gui.pipeline.settings_acted_upon import unused_of_model
from karenina_gui.schemas.addresses import is_local
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer

if TYPE_CHECKING:
    from karenina_gui.store.models import Models  # loads the database, which a run in Python does not need


@dataclass(frozen=True)
class KeyState:
    """Where a model's key comes from; the key itself is never shown."""

    variable: str
    origin: KeyOrigin | None
    """None: there is no key."""

    @property
    def is_set(self) -> bool:
        return self.origin is not None


@dataclass(frozen=True)
class KeyUse(KeyState):
    """A key, and who asks for it."""

    interfaces: tuple[str, ...]
    """Titles of the interfaces whose usual key it is."""
    models: tuple[str, ...]
    """Names of the kept models that are called with it, or whose MCP servers are."""
    conditions: tuple[tuple[str, str], ...] = ()
    """(place, name) of the conditions whose MCP servers are called with it."""


class ModelShelf:
    """Model configurations by name, and what can be said of them without a run.

    Nothing is said against a model for what its interface cannot do when there is no such interface here: that alone is
    an error wherever the model has to be reached.
    """

    def __init__(self, models: Models, adapters: Adapters) -> None:
        self._adapters = adapters
        self.kept = models
        """Named configurations: `all()`, `save(name, config)`, `delete(name)`."""
        self.keys = adapters.keys
        """Keys that are entered while the application runs, and those of the environment."""

    def interfaces(self) -> list[AdapterSpec]:
        """What a model can be reached through, in the order in which it is offered."""
        return AdapterRegistry.specs()

    def can_judge(self, model: ModelConfig) -> bool:
        spec = AdapterRegistry.get_spec(model.interface)
        return spec is None or spec.capabilities.judges

    def is_asked(self, model: ModelConfig) -> bool:
        """Whether it reads prompts; otherwise it only holds answers."""
        spec = AdapterRegistry.get_spec(model.interface)
        return spec is None or spec.llm_factory is not None

    def keeps_to_schemas(self, model: ModelConfig) -> bool:
        """Whether its interface can hold it to the form of a reply; otherwise that is asked for in words."""
        spec = AdapterRegistry.get_spec(model.interface)
        return spec is None or spec.capabilities.structured_output

    def can_be_agent(self, model: ModelConfig) -> bool:
        """Whether it can use tools, and look into workspaces."""
        return can_be_agent(model)

    def works_in_workspace(self, model: ModelConfig) -> bool:
        """Whether it gets to see the workspace of a question while it answers."""
        spec = AdapterRegistry.get_spec(model.interface)
        deep = spec is not None and spec.agent_tier == "deep_agent"
        return deep or (bool(model.workspace_tools) and can_be_agent(model))

    def works_with_tools(self, model: ModelConfig) -> bool:
        """Whether it answers as an agent, in as many turns as it takes."""
        return uses_agent(model) and self.is_asked(model)

    def tools_in_vain(self, model: ModelConfig) -> list[str]:
        """Its MCP servers and workspace tools, where its interface lets it use no tools while it answers."""
        return [] if can_be_agent(model) else [*sorted(model.tool_servers), *(model.workspace_tools or ())]

    def without_effect(self, model: ModelConfig) -> list[str]:
        """Settings of the model, from a file mostly, which this version does not act upon."""
        return unused_of_model(model)

    def unset_variables(self, model: ModelConfig) -> list[str]:
        """Variables that its MCP servers name and that nobody has set."""
        return [each for each in self._named_by(model.tool_servers) if self.keys.origin(each) is None]

    def _named_by(self, servers: Mapping[str, ToolServer]) -> list[str]:
        """Variables that MCP servers name, but for what the environment says anyway, such as HOME."""
        named = {variable for server in servers.values() for variable in server.variables}
        return sorted(variable for variable in named if self.keys.origin(variable) != "environment")

    def lacking(self, model: ModelConfig) -> str | None:
        """What has to be installed or set before it can be called; None: nothing. Errors: `ConfigurationError`."""
        lacking = AdapterRegistry.require(model.interface).lacking
        return lacking(model) if lacking else None

    def key(self, model: ModelConfig) -> KeyState | None:
        """The variable that holds the model's key; None: it needs none. Errors: `ConfigurationError`."""
        spec = AdapterRegistry.require(model.interface)
        variable = model.api_key_env or spec.key_variable
        if variable is None or (self.is_local(model) and model.api_key_env is None):
            return None
        return KeyState(variable, self.keys.origin(variable))

    def is_local(self, model: ModelConfig) -> bool:
        """Whether the model is served on this computer, where no key is needed unless it names one."""
        spec = AdapterRegistry.get_spec(model.interface)
        return spec is not None and spec.address is not None and is_local(spec.address(model, self.keys))

    def key_uses(self, conditions: Mapping[str, Iterable[Condition]] | None = None) -> list[KeyUse]:
        """Every key that an interface, a kept model or its MCP servers, or those of a condition ask for, in
        alphabetical order. `conditions`: by the place where they are written, in whatever words; None: there are none.
        """
        titles: dict[str, list[str]] = {}
        names: dict[str, list[str]] = {}
        under: dict[str, list[tuple[str, str]]] = {}
        for spec in self.interfaces():
            if spec.key_variable:
                titles.setdefault(spec.key_variable, []).append(spec.title)
        for name, model in self.kept.all().items():
            if AdapterRegistry.get_spec(model.interface) and (key := self.key(model)):
                names.setdefault(key.variable, []).append(name)
            for variable in self._named_by(model.tool_servers):
                names.setdefault(variable, []).append(name)
        for place, written in (conditions or {}).items():
            for condition in written:
                for variable in self._named_by(condition.mcp_servers or {}):
                    under.setdefault(variable, []).append((place, condition.name))
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

    def recording_label(self, model: ModelConfig) -> str | None:
        """Label of the recording that the model plays back; None: it is live. Errors: `InputError`."""
        return self._adapters.recording_label(model)

    def is_recorded(self, model: ModelConfig, request: LLMRequest) -> bool:
        """Whether a model that plays back a recording has a reply to this request. Errors: `InputError`."""
        return self._adapters.is_recorded(model, request)

    def local_servers(self) -> list[LocalServer]:
        """Servers of models on this computer; takes about a second."""
        return find_local_servers()

    def check(self, model: ModelConfig) -> ConnectionReport:
        """Ask the model short questions; takes up to 20 s for each."""
        return self._adapters.check(model)

    def close(self) -> None:
        self._adapters.close()


def takes_seed(model: ModelConfig) -> bool:
    """Whether its provider is sent the seed of a request; none is where it plays back what was said."""
    spec = AdapterRegistry.get_spec(model.interface)
    return spec is not None and spec.takes_seed(model)


def can_be_agent(model: ModelConfig) -> bool:
    """Whether its interface runs agents; nothing is said against one of an interface that is not here."""
    spec = AdapterRegistry.get_spec(model.interface)
    if spec is None:
        return True
    return spec.capabilities.judges and spec.agent_factory is not None
