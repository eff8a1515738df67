"""Description of the numbers that a comparison accepts, which shows a wrong tolerance before it grades anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

from karenina_gui.schemas.primitives.graded import NumericGraded, NumericRangeGraded, NumericThresholdGraded
from karenina_gui.schemas.primitives.numeric import (
    NumericExact,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericTolerance,
    as_written,
    exact_arithmetic,
    reach,
)
from karenina_gui.schemas.primitives.primitive import VerificationPrimitive

DIGITS = 10
"""Significant digits in the description. An end with more digits is rounded, and marked "about"."""
LONGEST_INTEGER = 40
"""Digits of an integer that is not rounded."""


@dataclass(frozen=True)
class End:
    """One end of an interval, as written."""

    value: Decimal
    included: bool = True
    rounded: bool = False
    """True if the exact end has more digits than `DIGITS`."""


@dataclass(frozen=True)
class Acceptance:
    """An interval of numbers; None: open on that side."""

    low: End | None = None
    high: End | None = None

    @property
    def empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        low, high = self.low, self.high
        return low.value > high.value or (low.value == high.value and not (low.included and high.included))

    @property
    def description(self) -> str:
        """Text such as `66.5 to 73.5`, `65 or more`, `only 70`, `more than 0.095 up to 0.105`."""
        low, high = self.low, self.high
        if low is None or high is None:
            return self._words_of_one_end
        if self.empty:
            return "no number"
        if low.value == high.value and not (low.rounded or high.rounded):
            return f"only {_number(low)}"
        if low.included:
            return f"{_number(low)} to {'' if high.included else 'less than '}{_number(high)}"
        return f"more than {_number(low)} {'up to' if high.included else 'and less than'} {_number(high)}"

    @property
    def _words_of_one_end(self) -> str:
        if self.high is not None:
            return f"{_number(self.high)} or less" if self.high.included else f"less than {_number(self.high)}"
        if self.low is not None:
            return f"{_number(self.low)} or more" if self.low.included else f"more than {_number(self.low)}"
        return "any number"

    def contains(self, value: float) -> bool:
        """True if the text says that this number is accepted."""
        number = as_written(value)
        above = self.low is None or number > self.low.value or (self.low.included and number == self.low.value)
        below = self.high is None or number < self.high.value or (self.high.included and number == self.high.value)
        return above and below


def acceptance_of(primitive: VerificationPrimitive, expected: Any) -> Acceptance | None:
    """Numbers that pass; None: not a comparison of numbers, or no expected value yet."""
    return _interval(primitive, expected, _PASSES, lambda rule, value, target: rule.check(value, target))


def fully_credited(primitive: VerificationPrimitive, expected: Any) -> Acceptance | None:
    """Numbers with full credit; None: the comparison has no partial credit."""
    return _interval(primitive, expected, _FULL, lambda rule, value, target: rule.score(value, target) == 1)


def credit_range(primitive: VerificationPrimitive, expected: Any) -> Acceptance | None:
    """Numbers with any credit; None: the comparison has no partial credit."""
    return _interval(primitive, expected, _SOME, lambda rule, value, target: rule.score(value, target) > 0)


def acceptance_words(primitive: VerificationPrimitive, expected: Any) -> str | None:
    """Clause such as `accepts 66.5 to 73.5`; None: see `acceptance_of`."""
    passes = acceptance_of(primitive, expected)
    if passes is None:
        return None
    full, some = fully_credited(primitive, expected), credit_range(primitive, expected)
    credit = f"; full credit {full.description}; some credit {some.description}" if full and some else ""
    return f"accepts {passes.description}{credit}"


Ends = Callable[[Any, Decimal], tuple[Any, Any]]
"""Ends of the interval, None where it is open; computed with `exact_arithmetic`."""


def _around(setting: str) -> Ends:
    """Ends at the distance from the expected value that this setting gives."""

    def ends(rule: Any, target: Decimal) -> tuple[Decimal, Decimal]:
        allowed = reach(getattr(rule, setting) or 0.0, target, rule.mode)
        return target - allowed, target + allowed

    return ends


def _with_margin(rule: NumericRangeGraded, _: Decimal) -> tuple[Decimal, Decimal]:
    least, most = as_written(rule.min), as_written(rule.max)
    margin = reach(rule.margin, most - least, rule.mode)
    return least - margin, most + margin


def _threshold(part: int) -> Ends:
    def ends(rule: NumericThresholdGraded, target: Decimal) -> tuple[Decimal | None, Decimal | None]:
        margin = part * reach(rule.margin, target, rule.mode)
        return (target - margin, None) if rule.direction == "min" else (None, target + margin)

    return ends


_PASSES: dict[type[VerificationPrimitive], Ends] = {
    NumericExact: lambda _, target: (target, target),
    NumericTolerance: _around("tolerance"),
    NumericRange: lambda rule, _: (rule.min, rule.max),
    NumericMinimum: lambda _, target: (target, None),
    NumericMaximum: lambda _, target: (None, target),
    NumericGraded: lambda rule, target: _around("cutoff" if rule.full_credit is None else "full_credit")(rule, target),
    NumericRangeGraded: lambda rule, _: (rule.min, rule.max),
    NumericThresholdGraded: _threshold(0),
}
_FULL: dict[type[VerificationPrimitive], Ends] = {
    NumericGraded: _around("full_credit"),
    NumericRangeGraded: lambda rule, _: (rule.min, rule.max),
    NumericThresholdGraded: _threshold(0),
}
_SOME: dict[type[VerificationPrimitive], Ends] = {
    NumericGraded: _around("cutoff"),
    NumericRangeGraded: _with_margin,
    NumericThresholdGraded: _threshold(1),
}
NEEDS_NO_EXPECTED = (NumericRange, NumericRangeGraded)


def _interval(
    rule: VerificationPrimitive,
    expected: Any,
    table: dict[type[VerificationPrimitive], Ends],
    holds: Callable[[Any, Decimal, Any], bool],
) -> Acceptance | None:
    # The exact type, since a subclass may compare in another way.
    if type(rule) not in table:
        return None
    target = Decimal(0) if isinstance(rule, NEEDS_NO_EXPECTED) else _finite(expected)
    if target is None:
        return None
    with exact_arithmetic():
        low, high = table[type(rule)](rule, target)
        return Acceptance(*(_end(end, lambda value: holds(rule, value, target)) for end in (low, high)))


def _end(exact: float | Decimal | None, holds: Callable[[Decimal], bool]) -> End | None:
    """End with at most `DIGITS` digits, included only if the number as written is accepted."""
    if exact is None or not (end := as_written(exact)).is_finite():
        return None
    short = end if _is_short_integer(end) else _ROUNDED.plus(end)
    # A third less a tenth of it is 0.29999999999999997, but 0.3 for a reader: such an end is not called rounded.
    rounded = abs(short - end) > _ROUNDING_ERROR * abs(end)
    return End(short, rounded or holds(short), rounded)


_ROUNDED = Context(prec=DIGITS, traps=[])
_ROUNDING_ERROR = Decimal("1e-14")


def _is_short_integer(number: Decimal) -> bool:
    return number.adjusted() < LONGEST_INTEGER and number == number.to_integral_value()


def _finite(expected: Any) -> Decimal | None:
    try:
        value = as_written(expected)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if value.is_finite() else None


def _number(end: End) -> str:
    text = str(int(end.value)) if _is_short_integer(end.value) else f"{float(end.value):.{DIGITS}g}"
    return f"about {text}" if end.rounded else text
