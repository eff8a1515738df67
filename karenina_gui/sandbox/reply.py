"""Parsing of a cell's reply: bytes that an author's code may have written.

Anything but the expected JSON becomes None. Nothing in a reply can raise here, or later where it is saved or shown.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from karenina_gui.text.surrogates import without_surrogates

Shape = TypeVar("Shape", bound=BaseModel)

_DEEPEST = 64


def read_reply(body: bytes, shape: type[Shape]) -> Shape | None:
    """The reply as this model; None for anything else: invalid JSON, NaN, a huge number, deep nesting, other fields."""
    try:
        value = json.loads(body.decode("utf-8", "surrogatepass"), parse_constant=_refuse)
        # The brackets are counted first, since they are an upper bound of the depth and much cheaper.
        if body.count(b"[") + body.count(b"{") > _DEEPEST and _depth(value) > _DEEPEST:
            return None
        return shape.model_validate(without_surrogates(value))
    except (ValueError, RecursionError, ValidationError):
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return depth
