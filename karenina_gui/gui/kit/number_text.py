"""Formatting and parsing of numbers, with a decimal point or comma; ambiguous commas are rejected."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import get_args

from pydantic.fields import FieldInfo

_GROUPED_BY_COMMAS = re.compile(r"[-+]?\d{1,3}(?:,\d{3}){2,}(?:\.\d*)?|[-+]?\d{1,3},\d{3}\.\d*")
_GROUPED_BY_POINTS = re.compile(r"[-+]?\d{1,3}(?:\.\d{3}){2,}(?:,\d*)?|[-+]?\d{1,3}\.\d{3},\d*")
_GROUPED_BY_SPACES = re.compile(r"[-+]?\d{1,3}(?:[\s'’]\d{3})+(?:[.,]\d*)?")
_DECIMAL_COMMA = re.compile(r"(?![-+]?[1-9]\d{0,2},\d{3}$)[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
"""One comma that separates no thousands: three digits after it, and at most three before, could be those."""
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def number_written(value: float) -> str:
    """Format a number with at most six significant digits, and integers with all digits."""
    text = f"{value:.6g}"
    exact = value.is_integer() or "." not in text or "e" in text
    return f"{value:.15g}" if exact else text


def number_in(text: str) -> int | float | None:
    """Parse a text that is a number as a whole, or return None.

    Commas are accepted where they can mean one thing only: `1,234,567`, `1,234.5`, `4,64`, `1.234,5`. Raises ValueError
    if a comma may separate thousands or decimals, as in `1,234`, or the number is too large.
    """
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    if _GROUPED_BY_COMMAS.fullmatch(text):
        text = text.replace(",", "")
    elif _GROUPED_BY_POINTS.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif _GROUPED_BY_SPACES.fullmatch(text):
        text = re.sub(r"[\s'’]", "", text).replace(",", ".")
    elif _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    elif "," in text and _PLAIN.fullmatch(text.replace(",", "").replace(".", "")):
        raise ValueError(f"“{text}” is ambiguous. Use a decimal point and no commas.")
    if not _PLAIN.fullmatch(text):
        return None
    # Longer integers become floats, which are checked for overflow below.
    if re.fullmatch(r"[-+]?\d{1,300}", text):
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"“{text}” is too large.")
    return value


def number_reading(text: str) -> str:
    """Sentence about a number in another notation than Python's, such as `Read as 4.64.`; empty for all other texts."""
    try:
        number = number_in(text)
    except ValueError:
        return ""
    return "" if number is None or _PLAIN.fullmatch(text.strip()) else f"Read as {number}."


@dataclass(frozen=True)
class NumberLimits:
    """Range of numbers that a field accepts; None: no limit."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    whole: bool = False

    @classmethod
    def of(cls, info: FieldInfo, most: float | None = None) -> NumberLimits:
        """Return the range of a model's field. `most`: a lower limit than that of the model."""
        marks = {name: getattr(mark, name) for mark in info.metadata for name in _MARKS if hasattr(mark, name)}
        most = min((limit for limit in (marks.get("le"), most) if limit is not None), default=None)
        whole = float not in (info.annotation, *get_args(info.annotation))
        return cls(marks.get("ge"), marks.get("gt"), most, whole)

    def read(self, number: float | None, refusal: str = "") -> float | None:
        """Return a number of a control, which sends whole numbers as floats, too. None: nothing is entered.

        Raises `ValueError` with `refusal`, or the range, if the number is out of range.
        """
        if number is not None and not self.allows(number):
            raise ValueError(refusal or self.sentence)
        return None if number is None else int(number) if self.whole else float(number)

    def allows(self, number: float) -> bool:
        return (
            (not self.whole or float(number).is_integer())
            and (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
        )

    @property
    def sentence(self) -> str:
        """Describe the range: `A whole number from 1 to 64.`"""
        kind = "A whole number" if self.whole else "A number"
        top = "" if self.most is None else f", {self.most:g} at most"
        if self.least is not None:
            return f"{kind} from {self.least:g} to {self.most:g}." if top else f"{kind}, {self.least:g} or more."
        return f"{kind}{top}." if self.above is None else f"{kind} above {self.above:g}{top}."


_MARKS = ("ge", "gt", "le")
