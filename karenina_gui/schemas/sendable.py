"""What requests can carry of what is set for a model.

A saved model with something else can be loaded, or nobody could mend it: it is refused where it is set and when it is
called.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karenina_gui.schemas.config import ModelConfig

HIDDEN_SIGN = "holds a line break or another sign that nobody sees. Write it once more, by hand."
"""Behind the name of an address."""


def is_sendable(value: str) -> bool:
    """Whether a header can hold it."""
    return value.isascii() and value.isprintable()


def unsendable(model: ModelConfig) -> str | None:
    """Why no request can be made of the model's settings, and what to do; None: it can."""
    for name in ("endpoint_base_url", "anthropic_base_url"):
        if not (getattr(model, name) or "").isprintable():
            return f"The address in {name} {HIDDEN_SIGN}"
    for name, value in model.extra_kwargs.items():
        for number in _numbers(value):
            if not isfinite(number):
                return (
                    f"{name!r} in extra_kwargs holds {number}, which JSON has no number for. Give it a number such as "
                    "0.9, or take it out."
                )
    return None


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _numbers(inner)
