"""Unambiguous JSON that can be written again."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any


def strict_json(text: str, read: Callable[[str], float] | None = None) -> Any:
    """Parse JSON; `read` converts each number with a decimal point or exponent.

    Raises `ValueError`, also for repeated names, NaN and infinities, and nesting that is too deep.
    """
    try:
        # Python would take the last of two values with one name, and accept NaN, which other parsers reject.
        return json.loads(text, object_pairs_hook=_named_once, parse_float=read or _finite, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def is_finite(value: Any) -> bool:
    """True if all numbers are finite: Python also reads NaN, Infinity and 1e999, which JSON does not have."""
    # A loop, since a model's reply may be nested as deeply as its JSON can be parsed.
    remaining = [value]
    while remaining:
        part = remaining.pop()
        if isinstance(part, float) and not math.isfinite(part):
            return False
        if isinstance(part, dict | list):
            remaining += part.values() if isinstance(part, dict) else part
    return True


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name is repeated")
    return members


def _finite(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _no_number(written)


def _no_number(written: str) -> float:
    raise ValueError(f"{written} is not a number")
