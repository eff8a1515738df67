"""Primitives for numbers that pass or fail. Values that are not numbers raise the errors of `float()`.

Numbers are compared as the decimal numbers that were written: 1.1 lies exactly 0.1 from 1, and integers with the same
float differ.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Annotated, Any, Literal

from pydantic import Field, SerializeAsAny, ValidatorFunctionWrapHandler, WrapValidator

from karenina_gui.schemas.primitives.primitive import ComparisonPrimitive

ToleranceMode = Literal["relative", "absolute"]
"""`relative`: a fraction of the expected value; `absolute`: in the value's own unit."""

# Sums and products of floats and of the widest integers are exact; NaN compares as False instead of raising an error.
_EXACT = Context(prec=4000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def exact_arithmetic() -> AbstractContextManager[Context]:
    """Compute with decimal numbers without rounding within the block."""
    return localcontext(_EXACT)


def as_written(value: Any) -> Decimal:
    """The decimal number that was written; of a float, its shortest form. Raises the errors of `float()`."""
    if isinstance(value, int):
        return Decimal(value)
    number = float(value)
    return _EXACT.create_decimal(value if isinstance(value, str | Decimal) else repr(number))


def keep_exact(value: Any, convert: ValidatorFunctionWrapHandler) -> Any:
    """Keep an integer that has no exact float; pydantic converts all others in a field for floats."""
    return _closest(value, convert(value))


def _closest(value: Any, converted: Any) -> Any:
    if isinstance(value, list | tuple) and isinstance(converted, list) and len(value) == len(converted):
        return [_closest(item, after) for item, after in zip(value, converted, strict=True)]
    return value if type(value) is int and type(converted) is float and value != converted else converted


Number = Annotated[SerializeAsAny[float], WrapValidator(keep_exact)]


class NumericExact(ComparisonPrimitive):
    """The same number: 3 and 3.0 are."""

    def check(self, extracted: Any, expected: Any) -> bool:
        return as_written(extracted) == as_written(expected)


class NumericTolerance(ComparisonPrimitive):
    """At most `tolerance` away, the limit included. Relative to an expected 0, only 0 passes."""

    tolerance: Number = Field(ge=0)
    mode: ToleranceMode = "relative"

    def check(self, extracted: Any, expected: Any) -> bool:
        with exact_arithmetic():
            value, target = as_written(extracted), as_written(expected)
            return abs(value - target) <= reach(self.tolerance, target, self.mode)


class NumericRange(ComparisonPrimitive):
    """Between `min` and `max` (None: no limit on that side); the expected value plays no part."""

    min: Number | None = None
    max: Number | None = None
    exclusive_min: bool = False
    exclusive_max: bool = False

    def check(self, extracted: Any, expected: Any) -> bool:
        value = as_written(extracted)
        return (self.min is None or is_at_least(value, self.min, self.exclusive_min)) and (
            self.max is None or is_at_least(self.max, value, self.exclusive_max)
        )


class NumericMinimum(ComparisonPrimitive):
    """At least the expected value; `exclusive`: more than it."""

    exclusive: bool = False

    def check(self, extracted: Any, expected: Any) -> bool:
        return is_at_least(extracted, expected, self.exclusive)


class NumericMaximum(ComparisonPrimitive):
    """At most the expected value; `exclusive`: less than it."""

    exclusive: bool = False

    def check(self, extracted: Any, expected: Any) -> bool:
        value = as_written(extracted)
        return is_at_least(expected, value, self.exclusive)


def is_at_least(value: Any, limit: Any, exclusive: bool) -> bool:
    with exact_arithmetic():
        number, least = as_written(value), as_written(limit)
        return number > least if exclusive else number >= least


def unit_of(target: Decimal, mode: ToleranceMode) -> Decimal:
    """Unit of distances from `target`."""
    return abs(target) if mode == "relative" else Decimal(1)


def reach(amount: float, target: Decimal, mode: ToleranceMode) -> Decimal:
    """Distance from `target` that this amount allows."""
    return as_written(amount) * unit_of(target, mode)
