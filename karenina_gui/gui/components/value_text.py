"""Values of questions as text, so that two of them can be compared line by line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from karenina_gui.gui.components.diff import readable


def format_value(value: Any) -> str:
    """Format a value of a question; records get one line per entry."""
    plain = not isinstance(value, list | Mapping) or (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    )
    if plain:
        return readable(value)
    data = _without_nothing(value)
    # Without line breaks within values, a difference shows which value has changed.
    return str(yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=1000)).strip() if data else ""


def _without_nothing(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {str(name): _without_nothing(each) for name, each in value.items()}
        return {name: each for name, each in kept.items() if each not in (None, "", [], {})}
    return [_without_nothing(each) for each in value] if isinstance(value, list) else value
