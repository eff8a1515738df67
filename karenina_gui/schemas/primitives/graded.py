"""Primitives for numbers with partial credit, which decreases with the distance from the full-credit interval."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any, Literal, Self

from pydantic import model_validator

from karenina_gui.schemas.primitives.numeric import (
    Number,
    ToleranceMode,
    as_written,
    exact_arithmetic,
    is_at_least,
    reach,
    unit_of,
)
from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive

Decay = Literal["linear", "quadratic"]


class NumericGraded(ComparisonPrimitive):
    """Credit falls from 1 to 0 between `full_credit` and `cutoff` away from the expected value.

    A number passes up to `full_credit` away where that is given, else up to `cutoff`, ends included. Distances are
    fractions of the expected value, or in its own unit with mode `absolute`. Relative to an expected 0, only 0 passes
    and has credit. `full_credit` None is 0 for the credit.
    """

    cutoff: Number
    full_credit: Number | None = None
    mode: ToleranceMode = "relative"
    decay: Decay = "linear"

    @model_validator(mode="after")
    def _check_settings(self) -> Self:
        if not self.cutoff > 0:
            raise ValueError("NumericGraded.cutoff must be > 0")
        if self.full_credit is not None and not 0 <= self.full_credit < self.cutoff:
            raise ValueError("NumericGraded.full_credit must satisfy 0 <= full_credit < cutoff")
        return self

    def check(self, extracted: Any, expected: Any) -> bool:
        with exact_arithmetic():
            distance, target = self._distance(extracted, expected)
            return distance <= reach(self.cutoff if self.full_credit is None else self.full_credit, target, self.mode)

    def score(self, extracted: Any, expected: Any) -> float:
        with exact_arithmetic():
            distance, target = self._distance(extracted, expected)
            return _credit(distance, unit_of(target, self.mode), self.full_credit or 0.0, self.cutoff, self.decay)

    def _distance(self, extracted: Any, expected: Any) -> tuple[Decimal, Decimal]:
        """Distance from the expected value, and that value."""
        target = as_written(expected)
        return abs(as_written(extracted) - target), target


class NumericRangeGraded(ComparisonPrimitive):
    """Passes inside `min` to `max`; outside, credit falls to 0 at `margin` beyond the nearer end.

    `margin` is in the value's own unit, or a fraction of the range's width with mode `relative`. An excluded end does
    not pass but has full credit.
    """

    min: Number
    max: Number
    margin: Number
    mode: ToleranceMode = "absolute"
    decay: Decay = "linear"
    exclusive_min: bool = False
    exclusive_max: bool = False

    @model_validator(mode="after")
    def _check_settings(self) -> Self:
        if not self.min < self.max:
            raise ValueError("NumericRangeGraded requires min < max")
        if not self.margin > 0:
            raise ValueError("NumericRangeGraded.margin must be > 0")
        return self

    def check(self, extracted: Any, expected: Any) -> bool:
        value = as_written(extracted)
        return is_at_least(value, self.min, self.exclusive_min) and is_at_least(self.max, value, self.exclusive_max)

    def score(self, extracted: Any, expected: Any) -> float:
        with exact_arithmetic():
            value, least, most = map(as_written, (extracted, self.min, self.max))
            beyond = max(least - value, value - most)
            return _credit(beyond, unit_of(most - least, self.mode), 0.0, self.margin, self.decay)


class NumericThresholdGraded(ComparisonPrimitive):
    """Passes on the right side of the expected value; on the wrong side, credit falls to 0 at `margin` beyond it.

    `direction` max: the expected value is the most that passes; min: the least. `margin` is a fraction of the expected
    value, or in its own unit with mode `absolute`. With `exclusive` the value itself does not pass but has full credit.
    """

    direction: Literal["min", "max"]
    margin: Number
    mode: ToleranceMode = "relative"
    decay: Decay = "linear"
    exclusive: bool = False

    @model_validator(mode="after")
    def _check_settings(self) -> Self:
        if not self.margin > 0:
            raise ValueError("NumericThresholdGraded.margin must be > 0")
        return self

    def check(self, extracted: Any, expected: Any) -> bool:
        value, threshold = as_written(extracted), as_written(expected)
        if self.direction == "min":
            return is_at_least(value, threshold, self.exclusive)
        return is_at_least(threshold, value, self.exclusive)

    def score(self, extracted: Any, expected: Any) -> float:
        with exact_arithmetic():
            value, threshold = as_written(extracted), as_written(expected)
            beyond = threshold - value if self.direction == "min" else value - threshold
            return _credit(beyond, unit_of(threshold, self.mode), 0.0, self.margin, self.decay)


_ROUNDED = Context(traps=[])
"""For quotients, which have no end."""


def _credit(distance: Decimal, unit: Decimal, full: float, cutoff: float, decay: Decay) -> float:
    """Credit at the fraction t of the way from full credit (t ≤ 0) to none (t ≥ 1): 1 - t, or 1 - t².

    Full credit reaches `full` units, any credit `cutoff`. Exact numbers decide about both ends. With a unit of 0, as
    relative to an expected 0, only full credit is left.
    """
    if distance <= as_written(full) * unit:
        return 1.0
    # Not `distance >=`, which would be False for NaN and give credit to it.
    if not distance < as_written(cutoff) * unit:
        return 0.0
    way = (float(_ROUNDED.divide(distance, unit)) - full) / (cutoff - full)
    return 1 - way**2 if decay == "quadratic" else 1 - way
