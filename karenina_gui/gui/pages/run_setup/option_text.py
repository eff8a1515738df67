"""Descriptions of a run's settings: short for the head of a group, and complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.pages.models import retry_numbers
from karenina_gui.gui.pages.run_setup import setting
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.option import Group, Option, SettingContext
from karenina_gui.gui.pages.run_setup.options import GROUPS, OPTIONS, is_effective
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.text import quantity

LONGEST = 60
"""Number of characters of a text in a head."""


def group_summary(group: Group, situation: SettingContext) -> str:
    """Summarize a group: `Quotes and reasoning · 3 quotes`."""
    if not group.is_relevant(situation):
        return "Not applicable"
    choice = situation.choice
    some = not _is_default(group, situation)
    parts = [
        part
        for option in group.options
        if option.is_relevant(situation)
        and ((option.always_shown and (some or not group.default_text)) or not choice.is_default(option.name))
        and (part := _briefly(option, choice))
    ]
    return " · ".join(parts) or group.default_text


def changes(groups: Iterable[Group], options: Iterable[Option], situation: SettingContext) -> list[str]:
    """List what differs from the defaults: `Pre-checks: Refusal check`, `2 judgments`."""
    choice = situation.choice
    parts = [_briefly(option, choice) for option in options if not choice.is_default(option.name)]
    parts += [f"{group.title}: {group_summary(group, situation)}" for group in groups if has_changes(group, situation)]
    parts += [title(path) for path in further(choice)]
    return [*parts, *(["Recording"] if choice.record else [])]


def has_changes(group: Group, situation: SettingContext) -> bool:
    """Check if any setting of the group that applies is not the default."""
    return group.is_relevant(situation) and not _is_default(group, situation)


def _is_default(group: Group, situation: SettingContext) -> bool:
    return all(situation.choice.is_default(option.name) for option in group.options if option.is_relevant(situation))


def setting_rows(choice: RunDraft) -> list[tuple[str, str]]:
    """List title and value of every non-default option that applies, then of all other settings."""
    situation = SettingContext(choice, agentic_traits=True, deep_traits=True, works=True, commands=True, confined=False)
    rows = [
        (option.title, value_words(option, choice))
        for group in GROUPS
        if group.is_relevant(situation)
        for option in group.options
        if is_effective(option) and option.is_relevant(situation) and not choice.is_default(option.name)
    ]
    return [*rows, *[(title(path), format_value(value)) for path, value in further(choice).items()]]


def further(choice: RunDraft) -> dict[str, Any]:
    """List non-default settings without a control by their paths in `VerificationConfig`."""
    settings: dict[str, Any] = {}
    for name, value in choice.settings.items():
        if name not in setting.PARTS:
            if name not in OPTIONS or not is_effective(OPTIONS[name]):
                settings[name] = value
            continue
        leaves = {f"{name}.{leaf}" for leaf in value or {}}
        paths = sorted(leaves - OPTIONS.keys())
        settings |= {path: choice.value(path) for path in paths if not choice.is_default(path)}
    return settings


def value_words(option: Option, choice: RunDraft) -> str:
    value = choice.value(option.name)
    if option.kind == "choice":
        return option.available_choices(choice)[value][0]
    if option.kind == "examples":
        return "; ".join(f"{example.get('question', '')} → {example.get('answer', '')}" for example in value)
    if option.kind in _TABLES:
        return _TABLES[option.kind](value)
    text = format_value(value)
    return f"{text} {option.unit}".strip() if text else option.when_empty


def stored_setting(name: str, value: Any) -> tuple[str, str]:
    """Return title and value of a setting as stored in a configuration."""
    option = OPTIONS.get(name)
    if option is None:
        return title(name), format_value(value)
    if option.choices:
        return option.title, option.choices.get(value, (format_value(value), ""))[0]
    text = format_value(value)
    return option.title, f"{text} {option.unit}".strip() if text else option.when_empty


def title(path: str) -> str:
    """Format a setting's name as a title."""
    text = " ".join(part.removesuffix("_config") for part in path.split(".")).replace("_", " ")
    return text[:1].upper() + text[1:]


def _briefly(option: Option, choice: RunDraft) -> str:
    value = choice.value(option.name)
    if option.kind in ("switch", "text"):
        return option.title if option.brief == "{}" else option.brief
    return option.brief.format(_figure(option, choice, value))


def _size(option: Option, value: Any) -> int:
    """Describe the size of a table."""
    return len(_traits(value)) if option.kind == "depths" else 1 if isinstance(value, int) else len(value)


def _traits(table: Any) -> list[str]:
    """List the names in a table of traits."""
    of_questions = (name for traits in table.get("question_specific", {}).values() for name in traits)
    return list(dict.fromkeys([*table.get("global", {}), *of_questions]))


def _limits(limits: Any) -> str:
    if limits is None:
        return "no limit"
    return f"{limits} per model" if isinstance(limits, int) else ", ".join(f"{m} {n}" for m, n in limits.items())


_TABLES: dict[str, Callable[[Any], str]] = {
    "retries": lambda policy: retry_numbers.in_words(RetryPolicy.model_validate(policy)),
    "limits": _limits,
    "depths": lambda table: ", ".join(_traits(table or {})) or "none",
    "pools": lambda entries: quantity(len(entries or {}), "question"),
}


def _figure(option: Option, choice: RunDraft, value: Any) -> str:
    if option.noun and value is not None:
        return quantity(value if option.kind == "number" else _size(option, value), option.noun)
    text = value_words(option, choice)
    if option.kind == "number":
        text = format_value(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
