"""Models that a preset contains: found among the saved ones, or saved."""

from __future__ import annotations

from itertools import count

from karenina_gui.pipeline.unused_settings import RUN_SETTINGS as RUN_SETTINGS, unused_settings as unused_settings
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.models import Models


def with_saved_models(config: VerificationConfig, models: Models) -> tuple[VerificationConfig, list[str]]:
    """Configuration with each model under its saved name, and the names of newly saved models.

    A model that is already saved, under any name, is replaced by the saved one with its recorded answers. If another
    model has its name, it gets a free one.
    """
    added: list[str] = []
    renamed = {
        role: [_save_model(model, models, added) for model in getattr(config, role)]
        for role in ("answering_models", "parsing_models")
    }
    return config.model_copy(update=renamed), added


def _save_model(model: ModelConfig, models: Models, added: list[str]) -> ModelConfig:
    saved = models.all()
    own = model.id or model.model_name or "model"
    names = sorted(saved, key=lambda name: name != own)  # its own name first
    name = next((name for name in names if _settings(saved[name]) == _settings(model)), None)
    if name is None:
        name = own if own not in saved else next(free for n in count(2) if (free := f"{own} {n}") not in saved)
        models.save(name, model.model_copy(update={"id": name}))
        added.append(name)
        return model.model_copy(update={"id": name})
    return saved[name].model_copy(update={"id": name})


def _settings(model: ModelConfig) -> dict[str, object]:
    """Settings by which two models count as equal: all except the name. Keys are never part of it."""
    return model.model_dump(mode="json", exclude={"id"}, exclude_defaults=True)
