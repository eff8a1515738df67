"""Check that requests can carry a model's settings.

A saved model with an invalid setting can be loaded, so that it can be corrected. It is rejected where it is edited and
when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from karenina_gui.schemas.model_config import ModelConfig

HIDDEN_SIGN = "contains an invisible character, such as a line break. Type it again."
"""Follows the name of a URL."""


def unsendable(model: ModelConfig) -> str | None:
    """Reason why no request can be made from the model's settings, and advice; None: it can."""
    for name in ("endpoint_base_url", "anthropic_base_url"):
        if not (getattr(model, name) or "").isprintable():
            return f"The URL in {name} {HIDDEN_SIGN}"
    for name, value in model.extra_kwargs.items():
        for number in _numbers(value):
            if not isfinite(number):
                return (
                    f"The additional parameter “{name}” (in extra_kwargs) is {number}, which can’t be sent. Enter a "
                    "number such as 0.9, or remove it."
                )
    return None


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _numbers(inner)
