"""Values of a run's options that are invalid."""

from __future__ import annotations

from typing import Any

from karenina_gui.gui.run_setup.option import Group, Option, SettingContext
from karenina_gui.gui.run_setup.options import JUDGE_REPLICATES, REPLICATES, shown_groups


def invalid_settings(situation: SettingContext) -> list[str]:
    """List invalid settings that apply, typed or from a preset."""
    titled = [(each.title, each) for each in (REPLICATES, JUDGE_REPLICATES)]
    for group in shown_groups():
        titled += [(f"{group.title}, {each.title}", each) for each in wrong_in(group, situation)]
    return [
        f"{title}: {message}"
        for title, option in titled
        if (message := option.problem(_entered_value(option, situation)))
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
