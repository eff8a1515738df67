"""Run presets and the models that they contain."""

from __future__ import annotations

from itertools import count

from karenina_gui.pipeline.settings_acted_upon import RUN_SETTINGS, unused_settings
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.models import Models
from karenina_gui.store.presets import Presets

ACTED_UPON = RUN_SETTINGS
"""Settings of `VerificationConfig` that this version uses."""


class PresetCatalog:
    def __init__(self, presets: Presets, models: Models) -> None:
        self.kept = presets
        """Saved presets by id."""
        self._models = models

    def with_models(self, config: VerificationConfig) -> tuple[VerificationConfig, list[str]]:
        """Configuration with each model under its saved name, and the names of newly saved models.

        A model that is already saved, under any name, is replaced by the saved one with its recorded answers. If
        another model has its name, it gets a free one.
        """
        added: list[str] = []
        renamed = {
            place: [self._save_model(model, added) for model in getattr(config, place)]
            for place in ("answering_models", "parsing_models")
        }
        return config.model_copy(update=renamed), added

    def without_effect(self, config: VerificationConfig) -> list[str]:
        """One message for each place of the configuration with settings that this version ignores."""
        return unused_settings(config)

    def _save_model(self, model: ModelConfig, added: list[str]) -> ModelConfig:
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
    """Settings by which two models count as equal: all except the name. Keys are never part of it."""
    return model.model_dump(mode="json", exclude={"id"}, exclude_defaults=True)
