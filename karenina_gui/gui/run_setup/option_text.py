"""Descriptions of a run's settings: short for the head of a group, and complete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karenina_gui.gui.components.expected_found import written
from karenina_gui.gui.models import retry_numbers
from karenina_gui.gui.run_setup import setting
from karenina_gui.gui.run_setup.draft import RunChoice
from karenina_gui.gui.run_setup.option import Group, Option, Situation
from karenina_gui.gui.run_setup.options import GROUPS, OPTIONS, acts
from karenina_gui.schemas.retry import RetryPolicy
from karenina_gui.text import quantity

LONGEST = 60
"""Number of characters of a text in a head."""


def in_head(group: Group, situation: Situation) -> str:
    """Summarize a group: `Quotes and reasoning · 3 quotes`."""
    if not group.matters(situation):
        return "Not applicable"
    choice = situation.choice
    some = not _is_usual(group, situation)
    said = [
        words
        for option in group.options
        if option.matters(situation)
        and ((option.told and (some or not group.usual)) or not choice.is_usual(option.name))
        and (words := _briefly(option, choice))
    ]
    return " · ".join(said) or group.usual


def differs(group: Group, situation: Situation) -> bool:
    """Check if any setting of the group that applies is not the default."""
    return group.matters(situation) and not _is_usual(group, situation)


def _is_usual(group: Group, situation: Situation) -> bool:
    return all(situation.choice.is_usual(each.name) for each in group.options if each.matters(situation))


def in_full(choice: RunChoice) -> list[tuple[str, str]]:
    """List title and value of every non-default option that applies, then of all other settings."""
    situation = Situation(choice, agentic_traits=True, deep_traits=True, works=True, commands=True, confined=False)
    rows = [
        (option.title, value_words(option, choice))
        for group in GROUPS
        if group.matters(situation)
        for option in group.options
        if acts(option) and option.matters(situation) and not choice.is_usual(option.name)
    ]
    return [*rows, *[(title(path), written(value)) for path, value in further(choice).items()]]


def further(choice: RunChoice) -> dict[str, Any]:
    """List non-default settings without a control by their paths in `VerificationConfig`."""
    found: dict[str, Any] = {}
    for name, value in choice.settings.items():
        if name not in setting.PARTS:
            if name not in OPTIONS or not acts(OPTIONS[name]):
                found[name] = value
            continue
        leaves = {f"{name}.{leaf}" for leaf in value or {}}
        found |= {path: choice.value(path) for path in sorted(leaves - OPTIONS.keys()) if not choice.is_usual(path)}
    return found


def value_words(option: Option, choice: RunChoice) -> str:
    value = choice.value(option.name)
    if option.kind == "choice":
        return option.offered(choice)[value][0]
    if option.kind == "examples":
        return "; ".join(f"{each.get('question', '')} → {each.get('answer', '')}" for each in value)
    if option.kind in _TABLES:
        return _TABLES[option.kind](value)
    words = written(value)
    return f"{words} {option.unit}".strip() if words else option.when_empty


def title(path: str) -> str:
    """Format a setting's name as a title."""
    words = " ".join(part.removesuffix("_config") for part in path.split(".")).replace("_", " ")
    return words[:1].upper() + words[1:]


def _briefly(option: Option, choice: RunChoice) -> str:
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


def _figure(option: Option, choice: RunChoice, value: Any) -> str:
    if option.noun and value is not None:
        return quantity(value if option.kind == "number" else _size(option, value), option.noun)
    words = value_words(option, choice)
    if option.kind == "number":
        words = written(value)
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
