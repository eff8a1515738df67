"""The model that an agentic trait brings along, and what a run must not do for it until a person has agreed.

Whoever wrote the benchmark has chosen it, which may be somebody else: it could start any program on this computer, or
have keys of the person who runs it sent to any address.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karenina_gui.schemas.addresses import is_local
from karenina_gui.schemas.asked_models import asked_models
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.schemas.tool_server import ToolServer


def programs(model: ModelConfig) -> dict[str, ToolServer]:
    """Its MCP servers that are programs, by name."""
    return {name: server for name, server in model.tool_servers.items() if server.type == "stdio"}


def command_line(server: ToolServer) -> str:
    """As a shell would be given it; references to variables stay as they are written."""
    return " ".join(_quoted(part) for part in (server.command or "", *server.args))


def foreign_hosts(model: ModelConfig, config: VerificationConfig) -> list[str]:
    """Where its requests would go that none of the run's own models is asked at; this computer does not count."""
    own = {host for each in (*asked_models(config).values(), *config.parsing_models) for host in _hosts(each)}
    return sorted(set(_hosts(model)) - own)


def not_allowed(model: ModelConfig, config: VerificationConfig) -> str | None:
    """Why a model that a trait brings along is not used in this run, unless its benchmark is trusted; None: it is."""
    if config.allow_programs:
        return None
    found = [f"start the program {command_line(server)}" for server in programs(model).values()]
    found += [f"send requests and keys to {host}" for host in foreign_hosts(model, config)]
    if not found:
        return None
    return (
        f"its own model, {model.id}, came with the benchmark and would {' and '.join(found)}. Nothing of that was "
        "done. If you trust whoever wrote the benchmark, allow it for the run: the Run page asks, the command line "
        "takes --allow-programs, and Python allow_programs=True."
    )


def _hosts(model: ModelConfig) -> Iterator[str]:
    for address in (
        model.endpoint_base_url,
        model.anthropic_base_url,
        *(server.url for server in model.tool_servers.values()),
        *_addresses(model.extra_kwargs),
    ):
        if address and not is_local(address):
            yield address.partition("://")[2].partition("/")[0].rpartition("@")[2] or address


def _addresses(value: Any) -> Iterator[str]:
    """Texts that are addresses: LangChain's classes take theirs under many names."""
    if isinstance(value, str) and "://" in value:
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _addresses(inner)


def _quoted(part: str) -> str:
    return part if part and not set(part) & set(" \t\n\"'\\;&|<>()*?#~") else "'" + part.replace("'", "'\\''") + "'"
