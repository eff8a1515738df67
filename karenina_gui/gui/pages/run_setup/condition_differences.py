"""Differences of a condition from the baseline, computed from the resulting models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karenina_gui.gui.kit.diff_view import diff_table
from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.kit.html import Html, join_html, tag
from karenina_gui.gui.pages.run_setup.condition_draft import NOBODY, SETTINGS
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.tool_server import ToolServer

SHORT = 600
"""Number of characters of each text that are shown without expanding."""


@dataclass(frozen=True)
class ConditionDifference:
    """Difference as a phrase: `servers +graph −papers`, `temperature 0.1 → 0.7`."""

    phrase: str
    texts: tuple[str, str] | None = None
    """Texts of baseline and condition, for settings that are texts."""


def differences(baseline: Condition, condition: Condition, models: Sequence[ModelConfig]) -> list[ConditionDifference]:
    """List differences; empty: the requests are equal.

    `models`: the answering models without conditions; empty: unknown.
    """
    pairs = [_apply_both(baseline, condition, model) for model in models if model.interface != "manual"]
    pairs = pairs or [_apply_both(baseline, condition, NOBODY)]
    parts = [_of(part, [(part.of(before), part.of(now)) for before, now in pairs]) for part in _PARTS]
    return [*(part for part in parts if part is not None), *_rules(baseline, condition)]


def _apply_both(baseline: Condition, condition: Condition, model: ModelConfig) -> tuple[ModelConfig, ModelConfig]:
    """Apply both conditions to the model."""
    both = (baseline, condition)
    before, now = (side.apply_to(model) for side in both)
    if any(side.mcp_servers is not None for side in both) and not any(side.filters_tools for side in both):
        # A tool filter of the model is compared at the model's own servers: else an unchanged server would look
        # changed.
        return _filtered_at_servers(before), _filtered_at_servers(now)
    return before, now


def _filtered_at_servers(model: ModelConfig) -> ModelConfig:
    servers = {name: server.only(model.mcp_tool_filter) for name, server in model.tool_servers.items()}
    return model.model_copy(update={"mcp_urls_dict": None, "mcp_servers": servers, "mcp_tool_filter": None})


def difference_view(baseline: Condition, changes: Sequence[ConditionDifference]) -> Html:
    """Sentence `Differs from “baseline”: …`, with both versions of texts."""
    if not changes:
        return tag("p", f"Same as “{baseline.name}”: results will only differ at random.", class_="hint")
    phrases = (tag("li", change.phrase) for change in changes)
    head = tag("p", f"Differs from “{baseline.name}”:", class_="muted")
    tables = (_text_view(baseline, *change.texts) for change in changes if change.texts)
    return join_html(
        [
            tag(
                "div",
                head,
                tag("ul", *phrases, class_="condition-list flow bare-list gap-4"),
                class_="condition-line flow",
            ),
            *tables,
        ]
    )


def _text_view(baseline: Condition, before: str, now: str) -> Html:
    """Texts with marked changes; long ones are collapsed."""
    opened = "" if len(before) + len(now) <= SHORT else None
    title = tag("summary", "Compare system prompts")
    return tag(
        "details",
        title,
        diff_table(before, now, (baseline.name, "This condition")),
        class_="condition-texts",
        open=opened,
    )


@dataclass(frozen=True)
class _Part:
    of: Callable[[ModelConfig], Any]
    phrase: Callable[[Any, Any], str]
    """Phrase for both values."""
    title: str
    """Title for models with several values."""
    text: bool = False


def _of(part: _Part, pairs: Sequence[tuple[Any, Any]]) -> ConditionDifference | None:
    apart = [pair for pair in pairs if pair[0] != pair[1]]
    if not apart:
        return None
    alike = all(pair == apart[0] for pair in pairs)
    texts = (str(apart[0][0] or ""), str(apart[0][1] or "")) if part.text and alike else None
    return ConditionDifference(part.phrase(*apart[0]) if alike else part.title, texts)


def _prompts(before: str | None, now: str | None) -> str:
    return "system prompt" if before and now else "with a system prompt" if now else "without a system prompt"


def _servers(before: Mapping[str, ToolServer], now: Mapping[str, ToolServer]) -> str:
    added = [f"+{name}" for name in now if name not in before]
    gone = [f"−{name}" for name in before if name not in now]
    other = [f"{name} (other settings)" for name in now if name in before and now[name] != before[name]]
    return f"servers {' '.join([*added, *gone, *other])}"


def _arrow(title: str, none: str) -> Callable[[Any, Any], str]:
    def phrase(before: Any, now: Any) -> str:
        return f"{title} {format_value(before) or none} → {format_value(now) or none}"

    return phrase


def _further(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    changed = (
        f"{name} {format_value(before.get(name)) or 'not sent'} → {format_value(now.get(name))}" for name in names
    )
    return ", ".join(changed)


_PARTS = (
    _Part(lambda model: model.system_prompt or None, _prompts, "system prompt", text=True),
    _Part(lambda model: model.tool_servers, _servers, "servers"),
    _Part(lambda model: model.temperature, _arrow("temperature", "not sent"), "temperature"),
    _Part(lambda model: model.max_tokens, _arrow("max output tokens", ""), "max output tokens"),
    _Part(lambda model: model.mcp_tool_filter, _arrow("allowed server tools", "all"), "allowed server tools"),
    _Part(lambda model: model.workspace_tools, _arrow("workspace tools", "none"), "workspace tools"),
    _Part(lambda model: model.extra_kwargs, _further, "additional parameters"),
)


def _rules(baseline: Condition, condition: Condition) -> list[ConditionDifference]:
    return [
        ConditionDifference(set_ if getattr(condition, name) else unset)
        for name, (set_, unset) in RULES.items()
        if getattr(baseline, name) != getattr(condition, name)
    ]


RULES = {
    "require_mcp_tool_use": ("requires an MCP tool call", "doesn’t require an MCP tool call"),
    "require_mcp_tool_success": ("requires a successful call", "doesn’t require a successful call"),
}
"""Phrases for a rule: with it, and without it."""


def in_words(condition: Condition) -> str:
    """Summarize a condition: `no system prompt · MCP servers: graph · Temperature: 0`."""
    phrases = [
        condition.description,
        _prompt_in_words(condition.system_prompt),
        _servers_in_words(condition.mcp_servers),
        *(_setting_in_words(name, value) for name, value in condition.settings.explicit.items()),
        *(set_ for name, (set_, _) in RULES.items() if getattr(condition, name)),
    ]
    return " · ".join(filter(None, phrases)) or "models’ own settings"


def _prompt_in_words(prompt: str | None) -> str | None:
    """Phrase for the system prompt of a condition; None: that of the model."""
    if prompt is None:
        return None
    return f"system prompt “{prompt}”" if prompt else "no system prompt"


def _servers_in_words(servers: Mapping[str, ToolServer] | None) -> str | None:
    """Phrase for the MCP servers of a condition; None: those of the model."""
    if servers is None:
        return None
    return f"MCP servers: {', '.join(servers)}" if servers else "no MCP servers"


def _setting_in_words(name: str, value: Any) -> str:
    return f"{SETTINGS[name].title}: {format_value(value) or _NOTHING[name]}"


_NOTHING = {"temperature": "not sent", "mcp_tool_filter": "all", "workspace_tools": "none", "extra_kwargs": "none"}
