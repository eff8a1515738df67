"""Check for the keys and packages of all models before a run, because otherwise every job would fail.

For runs without the application: keys come from the environment alone.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from karenina_gui.errors import InputError

if TYPE_CHECKING:
    from karenina_gui.schemas.model_config import ModelConfig
    from karenina_gui.schemas.verification_config import VerificationConfig


def check_models(config: VerificationConfig) -> None:
    """Raise `InputError` that lists all missing packages or, if there are none, all missing keys."""
    _check_packages(config)
    _check_keys(config)


def _check_keys(config: VerificationConfig) -> None:
    """Raise `InputError` that lists the environment variables of all missing keys."""
    lacking: dict[str, list[str]] = {}
    for model in (*config.answering_models, *config.parsing_models):
        variable = _variable(model)
        if variable is not None and not os.environ.get(variable, "").strip():
            names = lacking.setdefault(variable, [])
            names += [name for name in (str(model.id or model.model_name),) if name not in names]
    if lacking:
        variables = "; ".join(f"{variable} (for {', '.join(models)})" for variable, models in lacking.items())
        raise InputError(f"Missing API keys. Set these environment variables: {variables}.")


def _check_packages(config: VerificationConfig) -> None:
    """Raise `InputError` that lists missing packages with their installation commands."""
    from karenina_gui.runs.problems.models import missing_packages

    if messages := missing_packages(config):
        raise InputError("\n  ".join(["Packages are missing:", *messages]))


def _variable(model: ModelConfig) -> str | None:
    """Environment variable of the model's key; None: it needs no key, or the configuration contains it."""
    from karenina_gui.adapters.registry import AdapterRegistry
    from karenina_gui.text.urls import is_local

    spec = AdapterRegistry.get_spec(model.interface)
    if spec is None or spec.address is None or model.endpoint_api_key or model.anthropic_api_key:
        return None
    local = False
    with suppress(InputError):  # an invalid URL is reported when the model is called
        local = is_local(spec.address(model, os.environ))
    return model.api_key_env or (None if local else spec.key_variable)
