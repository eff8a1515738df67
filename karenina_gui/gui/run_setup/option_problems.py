"""Checks of a run's options: problems that prevent a start, and missing requirements."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.run_setup.option import Group, Option, SettingContext
from karenina_gui.gui.run_setup.options import JUDGE_REPLICATES, REPLICATES, shown_groups
from karenina_gui.runs.aids import EMBEDDING_COMMAND, embedding_installed, search_key
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.schemas.verification_config import VerificationConfig


def invalid_settings(situation: SettingContext) -> list[str]:
    """List invalid settings that apply, typed or from a preset."""
    titled = [(each.title, each) for each in (REPLICATES, JUDGE_REPLICATES)]
    for group in shown_groups():
        titled += [(f"{group.title}, {each.title}", each) for each in wrong_in(group, situation)]
    return [
        f"{title}: {problem}"
        for title, option in titled
        if (problem := option.problem(_entered_value(option, situation)))
    ]


def wrong_in(group: Group, situation: SettingContext) -> list[Option]:
    """List options of a group with problems."""
    if not group.is_relevant(situation):
        return []
    return [
        option
        for option in group.options
        if option.is_relevant(situation) and option.problem(_entered_value(option, situation)) is not None
    ]


def _entered_value(option: Option, situation: SettingContext) -> Any:
    choice = situation.choice
    return choice.refused.get(option.name, choice.value(option.name))


def skipped_checks(config: VerificationConfig, catalog: ModelCatalog, *, traits_search: bool) -> list[str]:
    """Warn about checks that will be skipped for missing requirements; `traits_search`: see `Selection`."""
    found = [
        f"The hallucination check needs an API key for web search. Enter {variable} on the API keys page."
        for variable in lacking_search_keys(config, catalog, traits_search=traits_search)
    ]
    if config.evaluation_mode != "rubric_only" and config.embedding_check_enabled and not embedding_installed():
        found.append(
            f"The embedding check will be skipped: its model isn’t installed. Install it with: {EMBEDDING_COMMAND}"
        )
    return found


def lacking_search_keys(config: VerificationConfig, catalog: ModelCatalog, *, traits_search: bool) -> list[str]:
    """List the environment variables of missing keys for search tools."""
    tools = [config.deep_judgment_rubric_search_tool] if traits_search else []
    if config.evaluation_mode != "rubric_only" and config.deep_judgment_mode == "full":
        tools += [config.deep_judgment_search_tool] if config.deep_judgment_search_enabled else []
    keys = [search_key(tool, catalog.keys) for tool in tools]
    return list(dict.fromkeys(key.variable for key in keys if key is not None and not key.is_set))
