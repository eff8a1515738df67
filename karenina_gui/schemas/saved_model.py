"""A model configuration that was saved for later runs."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.schemas.model_config import ModelConfig


@dataclass(frozen=True)
class SavedModel:
    number: int
    """Identifier in URLs and forms. It never changes; a deleted model's number is not used again."""
    name: str
    """Unique name in runs and results."""
    config: ModelConfig


def with_name(model: ModelConfig, name: str) -> ModelConfig:
    """Rename a model. Recorded answers have no other name, since no provider knows their model."""
    return model.model_copy(update={"id": name} | ({"model_name": name} if model.interface == "manual" else {}))
