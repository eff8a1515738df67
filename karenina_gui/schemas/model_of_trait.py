"""The model of an agentic trait, and what a run must not do for it without the user's consent.

The author of the benchmark has chosen it, who may be untrusted: it could start any program on this computer, or have
the user's keys sent to any host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list
from karenina_gui.text.urls import is_local


def programs(model: ModelConfig) -> dict[str, ToolServer]:
    """MCP servers of the model that are programs, by name."""
    return {name: server for name, server in model.tool_servers.items() if server.type == "stdio"}


def command_line(server: ToolServer) -> str:
    """Command line for a shell; references to variables stay unresolved."""
    return " ".join(_shell_quote(part) for part in (server.command or "", *server.args))


def foreign_hosts(model: ModelConfig, config: VerificationConfig) -> list[str]:
    """Hosts of its requests that none of the run's own models uses, without this computer."""
    # Hosts of the run's own models get the user's requests and keys anyway.
    own = {host for each in (*effective_models(config).values(), *config.parsing_models) for host in _hosts(each)}
    return sorted(set(_hosts(model)) - own)


def not_allowed(model: ModelConfig, config: VerificationConfig) -> str | None:
    """Reason why a trait's model is not used in this run unless its benchmark is trusted; None: it is used."""
    if config.allow_programs:
        return None
    found = [f"start the program {command_line(server)}" for server in programs(model).values()]
    found += [f"send requests and keys to {host}" for host in foreign_hosts(model, config)]
    if not found:
        return None
    return (
        f"its own model, {model.id}, came with the benchmark and would {join_list(found)}. It was not called. If you "
        "trust the benchmark’s author, allow it for the run: confirm it on the New run page, or set --allow-programs "
        "on the command line or allow_programs=True in Python."
    )


def _hosts(model: ModelConfig) -> Iterator[str]:
    for address in (
        model.endpoint_base_url,
        model.anthropic_base_url,
        *(server.url for server in model.tool_servers.values()),
        *_addresses(model.extra_kwargs),
    ):
        if address and not is_local(address):
            # A password in the URL must not be shown.
            yield address.partition("://")[2].partition("/")[0].rpartition("@")[2] or address


def _addresses(value: Any) -> Iterator[str]:
    """URLs among the values: LangChain's classes have many names for them."""
    if isinstance(value, str) and "://" in value:
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _addresses(inner)


def _shell_quote(part: str) -> str:
    return part if part and not set(part) & set(" \t\n\"'\\;&|<>()*?#~") else "'" + part.replace("'", "'\\''") + "'"
