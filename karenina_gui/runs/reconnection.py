"""Connection settings of today for a run that goes on; what decides its answers stays as the run had it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.reproducibility import Connection
from karenina_gui.schemas.tool_server import ToolServer

CONNECTING = (
    "endpoint_base_url", "anthropic_base_url", "endpoint_api_key", "anthropic_api_key", "api_key_env",
    "request_timeout", "agent_timeout", "retry_policy", "mcp_http_timeout", "mcp_sse_read_timeout",
)  # fmt: skip
"""Settings of a model that say how it is reached, and how patiently."""
DECIDING = (
    "interface", "model_provider", "model_name", "system_prompt", "temperature", "max_tokens", "extra_kwargs",
    "mcp_tool_filter", "workspace_tools", "claude_code_tools", "agent_middleware",
)  # fmt: skip
"""Settings of a model that decide what it answers."""
_ADDRESS_MODE = "endpoint_base_url_mode"
"""The one further parameter that belongs to the address."""
_SECRET = ("endpoint_api_key", "anthropic_api_key")


@dataclass(frozen=True)
class SettingToday:
    """One setting of a model that differs on the page Models from what the run has."""

    model: str
    name: str
    """As in `ModelConfig`; `mcp_servers` for the address of a server."""
    run: Any
    today: Any
    taken: bool
    """Whether the run goes on with today's; otherwise it keeps its own."""


def reconnected(config: VerificationConfig, kept: Mapping[str, ModelConfig]) -> VerificationConfig:
    """The run's configuration, its models reached as those of the same names in `kept` are."""
    return config.model_copy(
        update={
            place: [_connected(model, kept.get(str(model.id))) for model in getattr(config, place)]
            for place in ("answering_models", "parsing_models")
        }
    )


def settings_today(config: VerificationConfig, kept: Mapping[str, ModelConfig]) -> list[SettingToday]:
    """How the models of `kept` differ from those of the same names in the run, each once."""
    models = {str(model.id): model for model in (*config.parsing_models, *config.answering_models)}
    return [found for name, model in sorted(models.items()) for found in _differences(name, model, kept.get(name))]


def unknown_today(config: VerificationConfig, kept: Mapping[str, ModelConfig]) -> list[str]:
    """The run's models that are reached at an address and are not in `kept`: nothing of theirs can be of today."""
    return sorted(
        {
            str(model.id)
            for model in (*config.parsing_models, *config.answering_models)
            if str(model.id) not in kept and _has_address(model)
        }
    )


def _has_address(model: ModelConfig) -> bool:
    spec = AdapterRegistry.get_spec(model.interface)
    return spec is not None and spec.address is not None


def connections_of(models: Iterable[ModelConfig], environment: Mapping[str, str], since: str) -> list[Connection]:
    """The address of each model that has one. `since`: ISO 8601 in UTC."""
    found: dict[str, Connection] = {}
    for model in models:
        spec = AdapterRegistry.get_spec(model.interface)
        if spec is not None and spec.address is not None:
            name = str(model.id)
            found[name] = Connection(model=name, address=spec.address(model, environment), since=since)
    return list(found.values())


def _connected(model: ModelConfig, today: ModelConfig | None) -> ModelConfig:
    if today is None or today.interface != model.interface:
        return model
    changes: dict[str, Any] = {name: getattr(today, name) for name in CONNECTING}
    changes["extra_kwargs"] = {
        **{name: value for name, value in model.extra_kwargs.items() if name != _ADDRESS_MODE},
        **{name: value for name, value in today.extra_kwargs.items() if name == _ADDRESS_MODE},
    }
    servers = today.tool_servers
    if model.mcp_urls_dict:
        changes["mcp_urls_dict"] = {
            name: (servers[name].url if name in servers else None) or url for name, url in model.mcp_urls_dict.items()
        }
    if model.mcp_servers:
        changes["mcp_servers"] = {
            name: _reached(server, servers.get(name)) for name, server in model.mcp_servers.items()
        }
    return model.model_copy(update=changes)


def _reached(server: ToolServer, today: ToolServer | None) -> ToolServer:
    """A program that is started decides what its tools do; an address only says where they are."""
    if today is None or "stdio" in (server.type, today.type):
        return server
    names = ("type", "url", "headers", "connect_seconds", "call_seconds")
    return server.model_copy(update={name: getattr(today, name) for name in names})


def _differences(name: str, model: ModelConfig, today: ModelConfig | None) -> Iterator[SettingToday]:
    if today is None:
        return
    if today.interface == model.interface:
        for setting in CONNECTING:
            before, now = getattr(model, setting), getattr(today, setting)
            if before != now and setting not in _SECRET:
                yield SettingToday(name, setting, before, now, taken=True)
        for server, entry in model.tool_servers.items():
            now = today.tool_servers.get(server)
            if now is not None and _reached(entry, now) != entry:
                yield SettingToday(name, "mcp_servers", entry.url, now.url, taken=True)
    for setting in DECIDING:
        before, now = _deciding(model, setting), _deciding(today, setting)
        if before != now:
            yield SettingToday(name, setting, before, now, taken=False)


def _deciding(model: ModelConfig, setting: str) -> Any:
    value = getattr(model, setting)
    if setting == "extra_kwargs":
        return {name: each for name, each in value.items() if name != _ADDRESS_MODE}
    return value or None if setting != "temperature" else value
