"""Check of a model's MCP servers: reachable, and with which tools."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from karenina_gui.adapters.connection_check import CheckStep
from karenina_gui.adapters.mcp_servers import ToolServers
from karenina_gui.errors import ConfigurationError, ToolServerError
from karenina_gui.schemas.config import ModelConfig, ToolServer

_NAMED = 8
"""Number of tools that are named per server."""
_LONGEST = 20.0
"""Seconds in which a server must have listed its tools; its own limit if that is shorter."""


def check_tool_servers(model: ModelConfig, environment: Mapping[str, str]) -> tuple[CheckStep, ...]:
    """Return a step for each server, which is opened as for an answer and closed again. No tool is called."""
    servers = model.tool_servers
    if not servers:
        return ()
    with ThreadPoolExecutor(len(servers), thread_name_prefix="mcp-check") as threads:
        return tuple(threads.map(lambda name: _check_server(name, servers[name], model, environment), servers))


def _check_server(name: str, server: ToolServer, model: ModelConfig, environment: Mapping[str, str]) -> CheckStep:
    title = f"Tools of {name}"
    brief = server.model_copy(update={"connect_seconds": min(server.connect_seconds, _LONGEST)})
    try:
        with ToolServers({name: brief}, model, environment, lambda: False) as opened:
            offered = [tool.spec.name for tool in opened.tools[name]]
    except (ToolServerError, ConfigurationError) as error:
        return CheckStep(title, "failed", str(error))
    if not offered:
        return CheckStep(title, "doubt", "It is reached, but has no tool, or none of those that are named here.")
    if lacking := [each for each in server.tools or () if each not in offered]:
        return CheckStep(title, "doubt", f"It has no {_either(lacking)}. {_tool_summary(offered)}")
    return CheckStep(title, "ok", _tool_summary(offered))


def _tool_summary(offered: list[str]) -> str:
    more = f" and {len(offered) - _NAMED:,} more" if len(offered) > _NAMED else ""
    count = "1 tool" if len(offered) == 1 else f"{len(offered):,} tools"
    return f"{count}: {', '.join(offered[:_NAMED])}{more}."


def _either(names: list[str]) -> str:
    return f"tool named {names[0]}" if len(names) == 1 else f"tools named {', '.join(names[:-1])} and {names[-1]}"
