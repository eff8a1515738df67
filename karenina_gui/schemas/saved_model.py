"""A model configuration that was saved for later runs."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.schemas.config import ModelConfig


@dataclass(frozen=True)
class SavedModel:
    number: int
    """Identifies it in addresses and forms. It never changes; a deleted model's number is not used again."""
    name: str
    """Unique, as runs and results show it."""
    config: ModelConfig


def named(model: ModelConfig, name: str) -> ModelConfig:
    """The model under this name. Recorded answers have no other: no provider knows their model."""
    return model.model_copy(update={"id": name} | ({"model_name": name} if model.interface == "manual" else {}))
