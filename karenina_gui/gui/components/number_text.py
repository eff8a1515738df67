"""Formatting and parsing of numbers; ambiguous commas are rejected."""

from __future__ import annotations

import math
import re

_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3}){2,}(?:\.\d*)?|[-+]?\d{1,3},\d{3}\.\d*")
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def number_written(value: float) -> str:
    """Format a number with at most six significant digits, and integers with all digits."""
    text = f"{value:.6g}"
    exact = value.is_integer() or "." not in text or "e" in text
    return f"{value:.15g}" if exact else text


def number_in(text: str) -> int | float | None:
    """Parse a text that is a number as a whole, or return None.

    Commas are accepted only as unambiguous thousands separators: `1,234,567`, `1,234.5`. Raises ValueError if a comma
    may be a decimal sign or the number is too large.
    """
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    if _GROUPED.fullmatch(text):
        text = text.replace(",", "")
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
