"""Parsing of tool call arguments as written by a model."""

from __future__ import annotations

import json
from typing import Any

from karenina_gui.text.strict_json import is_finite, strict_json


def read_arguments(given: Any) -> dict[str, Any] | str:
    """The JSON object, empty if there are no arguments; otherwise their text, which is never repaired.

    `given`: a text, or what a library has parsed of one.
    """
    if given is None or (isinstance(given, str) and given.strip() in ("", "null")):
        return {}
    read = _parse(given) if isinstance(given, str) else given
    if isinstance(read, dict) and is_finite(read):
        return read
    # The original text is gone if a library has parsed it; its JSON comes closest.
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)


def _parse(text: str) -> Any:
    try:
        return strict_json(text)
    except ValueError:
        return None
