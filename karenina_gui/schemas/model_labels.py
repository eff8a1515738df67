"""Labels that distinguish the models of a configuration."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count

from karenina_gui.schemas.model_config import ModelConfig


def labels(models: Sequence[ModelConfig]) -> list[str]:
    """Ids of the models; a repeated id gets the next number that no id has: `gpt`, `gpt #2`."""
    ids = [str(model.id) for model in models]
    taken = set(ids)
    unique_name: list[str] = []
    for name in ids:
        label = name if name not in unique_name else _free(name, taken)
        taken.add(label)
        unique_name.append(label)
    return unique_name


def by_label(models: Sequence[ModelConfig]) -> dict[str, ModelConfig]:
    return dict(zip(labels(models), models, strict=True))


def _free(name: str, taken: Collection[str]) -> str:
    return next(label for number in count(2) if (label := f"{name} #{number}") not in taken)
