"""Check of a trait function's return value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Value = bool | int | float | str | None


def misfit(trait: Mapping[str, Any], value: Value) -> str | None:
    """Reason why a returned value is not a score of this trait (its `kind`, range and classes); None: it is one."""
    kind = trait.get("kind")
    if kind == "boolean":
        return None if isinstance(value, bool) else f"It returned {in_python(value)}, but must return True or False."
    if kind == "literal":
        return _misfit_of_class(trait, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"It returned {in_python(value)}, but must return a number."
    lowest, highest = trait.get("min_score"), trait.get("max_score")
    if isinstance(lowest, int | float) and value < lowest:
        return f"It returned {value}, which is below the minimum score, {lowest}."
    if isinstance(highest, int | float) and value > highest:
        return f"It returned {value}, which is above the maximum score, {highest}."
    return None


def _misfit_of_class(trait: Mapping[str, Any], value: Value) -> str | None:
    classes = list(trait.get("classes") or ())
    # bool is a subclass of int.
    by_place = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(classes)
    if by_place or value in classes:
        return None
    return f"It returned {in_python(value)}, which is neither a class nor the index of one (from 0)."


def in_python(value: Value) -> str:
    """Value in Python syntax; None reads as nothing."""
    if value is None:
        return "nothing (None)"
    return f"the text {value!r:.80}" if isinstance(value, str) else repr(value)
