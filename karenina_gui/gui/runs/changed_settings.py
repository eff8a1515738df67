"""Differences between the models today and at the start of a run, and the choice for a resume, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karenina_gui.runs.reconnection import SettingToday

NAMES = {
    "endpoint_base_url": "base URL",
    "anthropic_base_url": "base URL",
    "api_key_env": "API key variable",
    "request_timeout": "call timeout",
    "agent_timeout": "agent timeout",
    "retry_policy": "retry settings",
    "mcp_http_timeout": "MCP connection timeout",
    "mcp_sse_read_timeout": "MCP call timeout",
    "mcp_servers": "MCP server URL",
    "model_provider": "provider",
    "model_name": "model name",
    "max_tokens": "output token limit",
    "extra_kwargs": "additional parameters",
    "mcp_tool_filter": "allowed server tools",
    "agent_middleware": "agent limits",
}
SHORT = 80
"""Maximum number of characters of a displayed value."""


def setting_sentences(settings: Sequence[SettingToday]) -> list[str]:
    """List the differences as sentences."""
    return [_sentence(each) for each in settings]


def missing_models(names: Sequence[str]) -> list[str]:
    """List models that are no longer on the Models page."""
    return [
        f"“{name}” is no longer on the Models page (deleted or renamed): the run keeps its original base URL."
        for name in names
    ]


def _sentence(setting: SettingToday) -> str:
    name = NAMES.get(setting.name, setting.name.replace("_", " "))
    today, before = _value(setting.today), _value(setting.run)
    if today is None or before is None:
        source = "is the one on the Models page" if setting.taken else "stays as in this run"
        return f"{setting.model}: the {name} {source}."
    if setting.taken:
        return f"{setting.model}: the {name} is {today}, as on the Models page (was {before})."
    return f"{setting.model}: the {name} stays {before}, as in this run (Models page: {today})."


def _value(value: Any) -> str | None:
    """Format a value; None if it is too long or structured."""
    if value is None:
        return "none"
    if isinstance(value, str | int | float):
        return shown if len(shown := str(value)) <= SHORT and "\n" not in shown else None
    return None
