"""The arguments of a tool call, as a model writes them."""

from __future__ import annotations

import json
from typing import Any

from karenina_gui.schemas.strict_json import is_finite, strict_json


def read_arguments(given: Any) -> dict[str, Any] | str:
    """The JSON object that they are, empty where there are none; else their text, which is never repaired.

    `given`: a text, or what a library has read of one.
    """
    if given is None or (isinstance(given, str) and given.strip() in ("", "null")):
        return {}
    read = _parsed(given) if isinstance(given, str) else given
    if isinstance(read, dict) and is_finite(read):
        return read
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)


def _parsed(text: str) -> Any:
    try:
        return strict_json(text)
    except ValueError:
        return None
