"""Differences between the models today and at the start of a run, and the choice for a resume, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karenina_gui.runs.reconnection import SettingToday

NAMES = {
    "endpoint_base_url": "base URL",
    "anthropic_base_url": "base URL",
    "api_key_env": "API key variable",
    "request_timeout": "call timeout (s)",
    "agent_timeout": "time limit (s)",
    "retry_policy": "retries",
    "mcp_http_timeout": "connection timeout (s)",
    "mcp_sse_read_timeout": "tool call timeout (s)",
    "mcp_servers": "MCP server URL",
    "model_provider": "provider",
    "model_name": "model name",
    "max_tokens": "max output tokens",
    "extra_kwargs": "additional parameters",
    "mcp_tool_filter": "allowed server tools",
    "agent_middleware": "limits (turns, tool calls, tokens)",
}
"""Names as in the form of a model."""
SHORT = 80
"""Maximum number of characters of a displayed value."""


def setting_sentences(settings: Sequence[SettingToday]) -> list[str]:
    """List the differences as sentences."""
    return [_sentence(setting) for setting in settings]


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
        return f"{setting.model}, {name}: {'as on the Models page' if setting.taken else 'as in this run'}."
    if setting.taken:
        return f"{setting.model}, {name}: {today}, as on the Models page (was {before})."
    return f"{setting.model}, {name}: {before}, as in this run (Models page: {today})."


def _value(value: Any) -> str | None:
    """Format a value; None if it is too long or structured."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str | int):
        return text if len(text := str(value)) <= SHORT and "\n" not in text else None
    return None
