"""Doubts about conditions that follow from the fields of the model form, which conditions override."""

from __future__ import annotations

from collections.abc import Iterator

from karenina_gui.gui.models.fields import visible_fields
from karenina_gui.gui.run_setup.condition_differences import differences
from karenina_gui.gui.run_setup.condition_draft import SETTINGS
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, quote_list


def ignored_settings(config: VerificationConfig) -> Iterator[str]:
    """Find settings of conditions that a model's interface ignores."""
    for model in config.answering_models:
        for condition in config.conditions if model.interface not in PLAYED_BACK else ():
            unused = [name for name in condition.settings.explicit if name not in visible_fields(model.interface)]
            if unused:
                titles = quote_list(SETTINGS[name].title for name in unused)
                yield f"{model.id} ignores {titles} of the condition “{condition.name}”: its interface can’t set it."


def identical_conditions(config: VerificationConfig) -> Iterator[str]:
    """Find conditions under which a model receives the same requests."""
    for at, condition in enumerate(config.conditions):
        same: dict[str, list[str]] = {}
        for model in config.answering_models:
            earlier = (each for each in config.conditions[:at] if not differences(each, condition, [model]))
            # Models with recorded answers send no requests.
            if model.interface != "manual" and (first := next(earlier, None)):
                same.setdefault(first.name, []).append(str(model.id))
        for first_name, models in same.items():
            yield (
                f"“{first_name}” and “{condition.name}” send the same requests to {join_list(models)}, so results will "
                "only differ at random. Change the system prompt, tools, or settings of one of them."
            )
