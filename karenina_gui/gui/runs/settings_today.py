"""How models differ today from those that their run began with, and which of the two it goes on with, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karenina_gui.runs.reconnection import SettingToday

NAMES = {
    "endpoint_base_url": "address",
    "anthropic_base_url": "address",
    "api_key_env": "key variable",
    "request_timeout": "time limit of a call",
    "agent_timeout": "time limit of an agent",
    "retry_policy": "settings for repeated calls",
    "mcp_http_timeout": "time limit to connect to MCP servers",
    "mcp_sse_read_timeout": "time limit of MCP servers",
    "mcp_servers": "address of an MCP server",
    "model_provider": "provider",
    "model_name": "model name",
    "max_tokens": "limit of tokens",
    "extra_kwargs": "further parameters",
    "mcp_tool_filter": "choice of tools",
    "agent_middleware": "limits of an agent",
}
SHORT = 80
"""Characters of a value that is told."""


def told(settings: Sequence[SettingToday]) -> list[str]:
    """One sentence for each."""
    return [_sentence(each) for each in settings]


def gone(names: Sequence[str]) -> list[str]:
    """One sentence for each model that is not on the page Models."""
    return [
        f"The page Models has no “{name}” (deleted or renamed): the run goes on with the address it began with."
        for name in names
    ]


def _sentence(setting: SettingToday) -> str:
    name = NAMES.get(setting.name, setting.name.replace("_", " "))
    today, before = _value(setting.today), _value(setting.run)
    values = today is not None and before is not None
    if setting.taken:
        change = f": {before} before, {today} now" if values else ""
        return f"{setting.model} goes on with the {name} of the page Models{change}."
    kept = f": {before}, not {today}" if values else ""
    return f"{setting.model} keeps the {name} of this run{kept}."


def _value(value: Any) -> str | None:
    """None: too long to be told, or no plain value."""
    if value is None:
        return "none"
    if isinstance(value, str | int | float):
        return shown if len(shown := str(value)) <= SHORT and "\n" not in shown else None
    return None
