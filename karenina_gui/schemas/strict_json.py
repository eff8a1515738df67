"""JSON that can be read in one way only, and written again."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any


def strict_json(text: str, read: Callable[[str], float] | None = None) -> Any:
    """The value; `read` takes each number with a point or an exponent.

    Errors: `ValueError`, also for a name that stands twice, numbers that are none, and what is nested too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=_named_once, parse_float=read or _finite, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def is_finite(value: Any) -> bool:
    """Whether every number in it is one: Python reads NaN, Infinity and 1e999, which JSON has not."""
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, float) and not math.isfinite(part):
            return False
        if isinstance(part, dict | list):
            left += part.values() if isinstance(part, dict) else part
    return True


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _finite(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _no_number(written)


def _no_number(written: str) -> float:
    raise ValueError(f"{written} is no number")
