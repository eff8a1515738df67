"""`extra_kwargs`: extra request parameters. They are saved and exported with a run, so keys are rejected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_SECRET_NAME = re.compile(r"api[-_]?key|authorization|password|secret|bearer|access[-_]?token|auth[-_]?token", re.I)


def without_secrets(value: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters unchanged. Raises `ValueError`, which names what looks like a key."""
    if secret := next(_secret_names(value), None):
        raise ValueError(
            f"The additional parameter “{secret}” looks like an API key. Remove it, and name the key’s variable under "
            "API key variable (api_key_env)."
        )
    return value


def _secret_names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            # Masked values are allowed: files that were exported elsewhere contain them.
            if _SECRET_NAME.search(str(name)) and isinstance(inner, str) and inner.strip("*"):
                yield str(name)
            yield from _secret_names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _secret_names(inner)
