"""Primitives for numbers that pass or fail. Values that are not numbers raise the errors of `float()`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive

ToleranceMode = Literal["relative", "absolute"]
"""`relative`: a fraction of the expected value; `absolute`: in the value's own unit."""


class NumericExact(ComparisonPrimitive):
    """The same number: 3 and 3.0 are."""

    def check(self, extracted: Any, expected: Any) -> bool:
        return float(extracted) == float(expected)


class NumericTolerance(ComparisonPrimitive):
    """At most `tolerance` away, the limit included. Relative to an expected 0, only 0 passes."""

    tolerance: float = Field(ge=0)
    mode: ToleranceMode = "relative"

    def check(self, extracted: Any, expected: Any) -> bool:
        value, target = float(extracted), float(expected)
        allowed = self.tolerance * abs(target) if self.mode == "relative" else self.tolerance
        return abs(value - target) <= allowed


class NumericRange(ComparisonPrimitive):
    """Between `min` and `max` (None: no limit on that side); the expected value plays no part."""

    min: float | None = None
    max: float | None = None
    exclusive_min: bool = False
    exclusive_max: bool = False

    def check(self, extracted: Any, expected: Any) -> bool:
        value = float(extracted)
        return (self.min is None or is_at_least(value, self.min, self.exclusive_min)) and (
            self.max is None or is_at_least(self.max, value, self.exclusive_max)
        )


class NumericMinimum(ComparisonPrimitive):
    """At least the expected value; `exclusive`: more than it."""

    exclusive: bool = False

    def check(self, extracted: Any, expected: Any) -> bool:
        return is_at_least(float(extracted), float(expected), self.exclusive)


class NumericMaximum(ComparisonPrimitive):
    """At most the expected value; `exclusive`: less than it."""

    exclusive: bool = False

    def check(self, extracted: Any, expected: Any) -> bool:
        return is_at_least(float(expected), float(extracted), self.exclusive)


def is_at_least(value: float, limit: float, exclusive: bool) -> bool:
    return value > limit if exclusive else value >= limit
