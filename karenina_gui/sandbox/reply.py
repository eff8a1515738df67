"""Reading what a cell sent back: bytes that an author's code may have written.

Whatever is not exactly the expected JSON is None; nothing in it can raise here, or later where it is stored or shown.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from karenina_gui.schemas.surrogates import without_surrogates

Shape = TypeVar("Shape", bound=BaseModel)

_DEEPEST = 64


def read_reply(body: bytes, shape: type[Shape]) -> Shape | None:
    """The reply as this model; None for anything else: no JSON, NaN, a huge number, too deep, other fields."""
    try:
        value = json.loads(body.decode("utf-8", "surrogatepass"), parse_constant=_refuse)
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
