"""Check of a model's MCP servers: reachable, and with which tools."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from karenina_gui.adapters.connection_check import CheckStep
from karenina_gui.adapters.mcp_servers import ToolServers
from karenina_gui.errors import ConfigurationError, ToolServerError
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.text import join_list, plural, quantity

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
    brief = server.model_copy(update={"connect_seconds": min(server.connect_seconds, _LONGEST)})
    try:
        with ToolServers({name: brief}, model, environment, lambda: False) as opened:
            offered = [tool.spec.name for tool in opened.tools[name]]
    except (ToolServerError, ConfigurationError) as error:
        return CheckStep("tools", "failed", str(error), name)
    if not offered:
        return CheckStep("tools", "doubt", "The server has no tools, or none of the allowed ones.", name)
    if lacking := [each for each in server.tools or () if each not in offered]:
        missing = f"The server has no {plural(len(lacking), 'tool')} named {join_list(lacking, 'or')}."
        return CheckStep("tools", "doubt", f"{missing} {_tool_summary(offered)}", name)
    return CheckStep("tools", "ok", _tool_summary(offered), name)


def _tool_summary(offered: list[str]) -> str:
    more = [f"{len(offered) - _NAMED:,} more"] if len(offered) > _NAMED else []
    return f"{quantity(len(offered), 'tool')}: {join_list([*offered[:_NAMED], *more])}."
