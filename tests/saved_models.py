"""Models and runs as a person enters and starts them."""

from __future__ import annotations

from typing import Any

from karenina_gui.runs.models import models_of
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.model_config import ModelConfig


def save_model(services: Any, name: str, model: ModelConfig) -> None:
    """Save a model with consent to what it reaches. `services`: the application, or the services of its windows."""
    services.library.models.save(name, model)
    services.runs.models.agree_to_new(model)


def start_run(services: Any, order: RunOrder) -> int:
    """Start a run with consent to what its models reach; returns its id."""
    for model in models_of(order.config):
        services.runs.models.agree_to_new(model)
    run_id: int = services.runs.start(order)
    return run_id
