"""Primitives for numbers with partial credit, which decreases with the distance from the full-credit interval."""

from __future__ import annotations

import math
from typing import Any, Literal, Self

from pydantic import model_validator

from karenina_gui.schemas.primitives.numeric import ToleranceMode, is_at_least
from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive

Decay = Literal["linear", "quadratic"]


class NumericGraded(ComparisonPrimitive):
    """Credit falls from 1 to 0 between `full_credit` and `cutoff` away from the expected value.

    A number passes up to `full_credit` away where that is given, else up to `cutoff`, ends included. Distances are
    fractions of the expected value, or in its own unit with mode `absolute`. Relative to an expected 0, only 0 passes
    and has credit. `full_credit` None is 0 for the credit.
    """

    cutoff: float
    full_credit: float | None = None
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
        return self._distance(extracted, expected) <= (self.cutoff if self.full_credit is None else self.full_credit)

    def score(self, extracted: Any, expected: Any) -> float:
        full = self.full_credit or 0.0
        return _credit((self._distance(extracted, expected) - full) / (self.cutoff - full), self.decay)

    def _distance(self, extracted: Any, expected: Any) -> float:
        target = float(expected)
        distance = abs(float(extracted) - target)
        if self.mode == "absolute" or distance == 0:
            return distance
        return distance / abs(target) if target else math.inf


class NumericRangeGraded(ComparisonPrimitive):
    """Passes inside `min` to `max`; outside, credit falls to 0 at `margin` beyond the nearer end.

    `margin` is in the value's own unit, or a fraction of the range's width with mode `relative`. An excluded end does
    not pass but has full credit.
    """

    min: float
    max: float
    margin: float
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
        value = float(extracted)
        return is_at_least(value, self.min, self.exclusive_min) and is_at_least(self.max, value, self.exclusive_max)

    def score(self, extracted: Any, expected: Any) -> float:
        value = float(extracted)
        margin = self.margin * (self.max - self.min) if self.mode == "relative" else self.margin
        return _credit(max(self.min - value, value - self.max) / margin, self.decay)


class NumericThresholdGraded(ComparisonPrimitive):
    """Passes on the right side of the expected value; on the wrong side, credit falls to 0 at `margin` beyond it.

    `direction` max: the expected value is the most that passes; min: the least. `margin` is a fraction of the expected
    value, or in its own unit with mode `absolute`. With `exclusive` the value itself does not pass but has full credit.
    """

    direction: Literal["min", "max"]
    margin: float
    mode: ToleranceMode = "relative"
    decay: Decay = "linear"
    exclusive: bool = False

    @model_validator(mode="after")
    def _check_settings(self) -> Self:
        if not self.margin > 0:
            raise ValueError("NumericThresholdGraded.margin must be > 0")
        return self

    def check(self, extracted: Any, expected: Any) -> bool:
        value, threshold = float(extracted), float(expected)
        if self.direction == "min":
            return is_at_least(value, threshold, self.exclusive)
        return is_at_least(threshold, value, self.exclusive)

    def score(self, extracted: Any, expected: Any) -> float:
        value, threshold = float(extracted), float(expected)
        beyond = threshold - value if self.direction == "min" else value - threshold
        margin = self.margin * abs(threshold) if self.mode == "relative" else self.margin
        # Relative to an expected 0 there is no distance: the threshold alone decides.
        if margin == 0:
            return 1.0 if beyond <= 0 else 0.0
        return _credit(beyond / margin, self.decay)


def _credit(way: float, decay: Decay) -> float:
    """Credit at the fraction t of the way from full credit (t ≤ 0) to none (t ≥ 1): 1 - t, or 1 - t²."""
    if way <= 0:
        return 1.0
    # Not `way >= 1`, which would be False for NaN and give credit to it.
    if not way < 1:
        return 0.0
    return 1 - way**2 if decay == "quadratic" else 1 - way
