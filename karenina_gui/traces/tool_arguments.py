"""Parsing of tool call arguments as written by a model."""

from __future__ import annotations

import json
from typing import Any

from karenina_gui.text.strict_json import is_finite, strict_json


def read_arguments(arguments: Any) -> dict[str, Any] | str:
    """The JSON object, empty if there are no arguments; otherwise their text, which is never repaired.

    `arguments`: a text, or what a library has parsed of one.
    """
    if arguments is None or (isinstance(arguments, str) and arguments.strip() in ("", "null")):
        return {}
    read = _parse(arguments) if isinstance(arguments, str) else arguments
    if isinstance(read, dict) and is_finite(read):
        return read
    # The original text is gone if a library has parsed it; its JSON comes closest.
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=str)


def _parse(text: str) -> Any:
    try:
        return strict_json(text)
    except ValueError:
        return None
