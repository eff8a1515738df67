"""Presets of runs, and the models that they bring along."""

from __future__ import annotations

from itertools import count

from karenina_gui.pipeline.settings_acted_upon import RUN_SETTINGS, unused_settings
from karenina_gui.schemas.config import ModelConfig, VerificationConfig
from karenina_gui.store.models import Models
from karenina_gui.store.presets import Presets

ACTED_UPON = RUN_SETTINGS
"""Names of the settings of `VerificationConfig` that change what a run does."""


class PresetShelf:
    def __init__(self, presets: Presets, models: Models) -> None:
        self.kept = presets
        """By id: `all()`, `get(id)`, `save(preset)`, `delete(id)`."""
        self._models = models

    def with_models(self, config: VerificationConfig) -> tuple[VerificationConfig, list[str]]:
        """The configuration with each model under the name by which it is kept, and the names that were added for it.

        A model that is kept already, under whatever name, is taken from there with its recorded answers; one whose name
        is given to another model gets a free one.
        """
        added: list[str] = []
        renamed = {
            place: [self._placed(model, added) for model in getattr(config, place)]
            for place in ("answering_models", "parsing_models")
        }
        return config.model_copy(update=renamed), added

    def without_effect(self, config: VerificationConfig) -> list[str]:
        """One sentence for each place of the configuration that sets something which this version does not act upon."""
        return unused_settings(config)

    def _placed(self, model: ModelConfig, added: list[str]) -> ModelConfig:
        kept = self._models.all()
        own = model.id or model.model_name or "model"
        names = sorted(kept, key=lambda name: name != own)  # its own name first
        name = next((name for name in names if _settings(kept[name]) == _settings(model)), None)
        if name is None:
            name = own if own not in kept else next(free for n in count(2) if (free := f"{own} {n}") not in kept)
            self._models.save(name, model.model_copy(update={"id": name}))
            added.append(name)
            return model.model_copy(update={"id": name})
        return kept[name].model_copy(update={"id": name})


def _settings(model: ModelConfig) -> dict[str, object]:
    """What makes two models the same: everything but name and keys."""
    return model.model_dump(mode="json", exclude={"id"}, exclude_defaults=True)
