"""What stands against a run, or will be missing in it, by its options."""

from __future__ import annotations

from karenina_gui.gui.runs.choice import RunChoice
from karenina_gui.gui.runs.option import Situation
from karenina_gui.gui.runs.options import REPLICATES, shown_groups
from karenina_gui.runs.aids import EMBEDDING_COMMAND, embedding_installed, search_key
from karenina_gui.runs.models import ModelShelf
from karenina_gui.schemas.config import VerificationConfig


def refused(choice: RunChoice, *, rated: bool) -> list[str]:
    """Settings that stand as they cannot be, typed or from a preset, where they matter; `rated`: see `Situation`."""
    situation = Situation(choice, rated)
    titled = [(REPLICATES.title, REPLICATES)]
    for group in shown_groups():
        if group.matters(situation):
            titled += [(f"{group.title}, {each.title}", each) for each in group.options if each.matters(situation)]
    return [
        f"{title}: {problem}"
        for title, option in titled
        if (problem := option.problem(choice.refused.get(option.name, choice.value(option.name))))
    ]


def unaided(config: VerificationConfig, shelf: ModelShelf) -> list[str]:
    """Checks that will not be made, for want of what they need."""
    if config.evaluation_mode == "rubric_only":
        return []
    found = [
        f"Passages cannot be looked up on the web without a key. Enter {variable} on the page Keys."
        for variable in lacking_search_key(config, shelf)
    ]
    if config.embedding_check_enabled and not embedding_installed():
        found.append(f"Meanings cannot be compared: the model is not installed. Install it with: {EMBEDDING_COMMAND}")
    return found


def lacking_search_key(config: VerificationConfig, shelf: ModelShelf) -> list[str]:
    """The variable of the search tool's key, where one is needed and lacking."""
    searches = config.deep_judgment_mode == "full" and config.deep_judgment_search_enabled
    if not searches or config.evaluation_mode == "rubric_only":
        return []
    key = search_key(config.deep_judgment_search_tool, shelf.keys)
    return [key.variable] if key is not None and not key.is_set else []
