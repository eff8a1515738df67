"""Reconnection of a resumed run: today's connection settings with the run's own answer settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.pipeline.unused_settings import UNUSED_OF_MODEL
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.reproducibility import Connection
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig

CONNECTING = (
    "endpoint_base_url",
    "anthropic_base_url",
    "endpoint_api_key",
    "anthropic_api_key",
    "api_key_env",
    "request_timeout",
    "agent_timeout",
    "retry_policy",
    "mcp_http_timeout",
    "mcp_sse_read_timeout",
)
"""Model settings for connections and timeouts."""
_COMPARED_OTHERWISE = {"id", "manual_traces", "recording", "mcp_urls_dict", "mcp_servers"}
DECIDING = [
    name for name in ModelConfig.model_fields if name not in {*CONNECTING, *UNUSED_OF_MODEL, *_COMPARED_OTHERWISE}
]
"""Model settings that influence answers."""
_ADDRESS_MODE = "endpoint_base_url_mode"
"""The only parameter in `extra_kwargs` that belongs to the connection."""
_SECRET = ("endpoint_api_key", "anthropic_api_key")


@dataclass(frozen=True)
class SettingToday:
    """Setting of a model that differs between the run and the Models page."""

    model: str
    name: str
    """Field of `ModelConfig`; `mcp_servers` for the URL of a server."""
    run: Any
    today: Any
    taken: bool
    """True if the resumed run uses today's value, False if it keeps its own."""


def reconnect(config: VerificationConfig, saved: Mapping[str, ModelConfig]) -> VerificationConfig:
    """Configuration of the run with the connection settings of the models with the same names in `kept`."""
    return config.model_copy(
        update={
            role: [_reconnect_model(model, saved.get(str(model.id))) for model in getattr(config, role)]
            for role in ("answering_models", "parsing_models")
        }
    )


def settings_today(config: VerificationConfig, saved: Mapping[str, ModelConfig]) -> list[SettingToday]:
    """Differences between the run's models and those with the same names in `kept`, each once."""
    models = {str(model.id): model for model in (*config.parsing_models, *config.answering_models)}
    return [item for name, model in sorted(models.items()) for item in _differences(name, model, saved.get(name))]


def unknown_today(config: VerificationConfig, saved: Mapping[str, ModelConfig]) -> list[str]:
    """Models of the run that have a URL and are missing from `kept`, so their settings cannot be refreshed."""
    return sorted(
        {
            str(model.id)
            for model in (*config.parsing_models, *config.answering_models)
            if str(model.id) not in saved and _has_address(model)
        }
    )


def _has_address(model: ModelConfig) -> bool:
    spec = AdapterRegistry.get_spec(model.interface)
    return spec is not None and spec.address is not None


def connections_of(models: Iterable[ModelConfig], environment: Mapping[str, str], since: str) -> list[Connection]:
    """Base URL of each model that has one. `since`: ISO 8601 in UTC."""
    connections: dict[str, Connection] = {}
    for model in models:
        spec = AdapterRegistry.get_spec(model.interface)
        if spec is not None and spec.address is not None:
            name = str(model.id)
            connections[name] = Connection(model=name, address=spec.address(model, environment), since=since)
    return list(connections.values())


def _reconnect_model(model: ModelConfig, today: ModelConfig | None) -> ModelConfig:
    # A model that now has another interface would give other answers.
    if today is None or today.interface != model.interface:
        return model
    changes: dict[str, Any] = {name: getattr(today, name) for name in CONNECTING}
    changes["extra_kwargs"] = _with_address_mode(model.extra_kwargs, today.extra_kwargs)
    servers = today.tool_servers
    if model.mcp_urls_dict:
        changes["mcp_urls_dict"] = {
            name: _url_today(url, servers.get(name)) for name, url in model.mcp_urls_dict.items()
        }
    if model.mcp_servers:
        changes["mcp_servers"] = {
            name: _reconnect_server(server, servers.get(name)) for name, server in model.mcp_servers.items()
        }
    return model.model_copy(update=changes)


def _with_address_mode(before: Mapping[str, Any], today: Mapping[str, Any]) -> dict[str, Any]:
    """Extra parameters of the run, with today's address mode: it belongs to the connection."""
    own = {name: value for name, value in before.items() if name != _ADDRESS_MODE}
    return {**own, _ADDRESS_MODE: today[_ADDRESS_MODE]} if _ADDRESS_MODE in today else own


def _url_today(url: str, today: ToolServer | None) -> str:
    return (today.url if today is not None else None) or url


def _reconnect_server(server: ToolServer, today: ToolServer | None) -> ToolServer:
    # A local program (stdio) determines what its tools do; a URL only says where they are.
    if today is None or "stdio" in (server.type, today.type):
        return server
    names = ("type", "url", "headers", "connect_seconds", "call_seconds")
    return server.model_copy(update={name: getattr(today, name) for name in names})


def _differences(name: str, model: ModelConfig, today: ModelConfig | None) -> Iterator[SettingToday]:
    if today is None:
        return
    if today.interface == model.interface:
        yield from _connection_differences(name, model, today)
    for setting in DECIDING:
        before, now = _deciding_value(model, setting), _deciding_value(today, setting)
        if before != now:
            yield SettingToday(name, setting, before, now, taken=False)


def _connection_differences(name: str, model: ModelConfig, today: ModelConfig) -> Iterator[SettingToday]:
    for setting in CONNECTING:
        before, now = getattr(model, setting), getattr(today, setting)
        if before != now and setting not in _SECRET:
            yield SettingToday(name, setting, before, now, taken=True)
    for server, entry in model.tool_servers.items():
        now = today.tool_servers.get(server)
        if now is not None and _reconnect_server(entry, now) != entry:
            yield SettingToday(name, "mcp_servers", entry.url, now.url, taken=True)


def _deciding_value(model: ModelConfig, setting: str) -> Any:
    value = getattr(model, setting)
    if setting == "extra_kwargs":
        return {name: item for name, item in value.items() if name != _ADDRESS_MODE}
    return value or None if setting != "temperature" else value
