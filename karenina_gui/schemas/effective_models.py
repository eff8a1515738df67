"""Answering models of a run with their labels and conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karenina_gui.schemas.condition import combined_name
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.verification_config import VerificationConfig

ConditionedModel = tuple[int, int | None]
"""Index of the model in the configuration, and of the condition; None: the run has none."""


def effective_models(config: VerificationConfig) -> dict[ConditionedModel, ModelConfig]:
    """Answering models by place, each under its label or, if the run has conditions, once per condition.

    Labels distinguish models with the same id in results; with conditions the id names both. A model that no condition
    can change is included as it is: such a run is refused (`runs.problems.conditions`).
    """
    models: dict[ConditionedModel, ModelConfig] = {}
    for index, (model, label) in enumerate(zip(config.answering_models, labels(config.answering_models), strict=True)):
        if not config.conditions:
            models[index, None] = model if model.id == label else model.model_copy(update={"id": label})
        for at, condition in enumerate(config.conditions):
            effective = model if model.interface == "manual" else condition.apply_to(model)
            models[index, at] = effective.model_copy(update={"id": combined_name(label, condition.name)})
    return models


def models_by_condition(config: VerificationConfig, holds: Callable[[ModelConfig], bool]) -> list[str]:
    """Names of the answering models for which `holds` is true.

    As `gpt`, or `gpt under “with graph”` if it is true under some of the run's conditions only.
    """
    models = effective_models(config)
    held = {
        index: [at for (position, at), model in models.items() if position == index and holds(model)]
        for index in range(len(config.answering_models))
    }
    return [model_names(config, index, conditions) for index, conditions in held.items() if conditions]


def model_names(config: VerificationConfig, index: int, conditions: Sequence[int | None]) -> str:
    """Name of the model at this place under these conditions (None: the run has none)."""
    label = labels(config.answering_models)[index]
    if None in conditions or len(conditions) == len(config.conditions):
        return label
    return f"{label} under {', '.join(f'“{config.conditions[at].name}”' for at in conditions if at is not None)}"
