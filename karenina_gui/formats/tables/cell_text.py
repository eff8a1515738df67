"""Cells of a workbook as texts, the way a person sees them in the sheet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any

from karenina_gui.text.surrogates import without_surrogates

MOST_DIGITS = 21
"""Whole numbers with more digits are written with an exponent."""

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_FORMAT_PART = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<skipped>\[[^\]]*\]|_.|\*.)'
    r"|(?P<number>[0#?][0#?,.]*|\.[0#?]+)|(?P<percent>%)|(?P<literal>[ $€£¥+()-])|(?P<other>.)",
    re.DOTALL,
)


def cell_text(value: Any, number_format: str = "General") -> str:
    """The cell as its sheet shows it, without thousands separators (which differ from country to country).

    Dates in ISO form, numbers with the decimals, signs and units of their format, yes and no as TRUE and FALSE.
    """
    if value is None:
        # Before the numbers: for Python a boolean is one.
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime | date | time | timedelta):
        return _moment(value, number_format)
    return _plain_text(str(value))


def _plain_text(text: str) -> str:
    """The text with control characters that the file writes as `_x000D_` put back."""
    if "_x" in text:
        text = without_surrogates(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))
    return text.replace("\r\n", "\n")


def _number(value: float, number_format: str) -> str:
    shape = _shape(number_format)
    # 15 digits, as spreadsheet programs reckon: what follows them is noise.
    exact = Decimal(value) if isinstance(value, int) else Decimal(format(value, ".15g"))
    return _general(exact) if shape is None else shape.text_of(exact)


def _general(number: Decimal) -> str:
    if number and not -5 <= number.adjusted() < MOST_DIGITS:
        return f"{number.normalize():E}"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True)
class _Shape:
    """Everything that a number format adds to a number."""

    before: str
    after: str
    digits: int
    """Before the decimal point, at least."""
    decimals: tuple[int, int]
    """After it, at least and at most."""
    percent: bool

    def text_of(self, number: Decimal) -> str:
        number = number * 100 if self.percent else number
        least, most = self.decimals
        if number.adjusted() + most > MOST_DIGITS:
            return _general(number)
        # As spreadsheet programs round: Python's own way of 2.5 is 2.
        rounded = number.quantize(Decimal(1).scaleb(-most), rounding=ROUND_HALF_UP)
        whole, _, fraction = format(abs(rounded), "f").partition(".")
        fraction = fraction[:least] + fraction[least:].rstrip("0")
        sign = "-" if rounded < 0 else ""
        return f"{sign}{self.before}{whole.zfill(self.digits)}{'.' if fraction else ''}{fraction}{self.after}"


@lru_cache(maxsize=256)
def _shape(number_format: str) -> _Shape | None:
    """The shape that a number format describes; None for a general format or one of another kind.

    Other kinds are exponents, fractions and thousands.
    """
    parts = _format_parts(number_format)
    # A comma at the end divides by a thousand: the number would not be the one that is stored.
    if parts is None or not parts.digits or parts.digits.endswith(",") or parts.digits.count(".") > 1:
        return None
    whole, _, fraction = parts.digits.partition(".")
    decimals = (fraction.count("0"), sum(sign in "0#?" for sign in fraction))
    return _Shape(parts.before.lstrip(), parts.after.rstrip(), whole.count("0"), decimals, parts.percent)


@dataclass
class _FormatParts:
    """A number format, taken apart."""

    before: str = ""
    digits: str = ""
    """Placeholders for digits, such as `#,##0.00`."""
    after: str = ""
    percent: bool = False


def _format_parts(number_format: str) -> _FormatParts | None:
    """The parts of a format that only adds texts to one number; None for others."""
    parts = _FormatParts()
    # Only the part for positive numbers: the others, behind semicolons, may say anything.
    for part in _FORMAT_PART.finditer(re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', number_format)[0]):
        kind, text = part.lastgroup, part[part.lastgroup or 0]
        if kind == "skipped":
            continue
        if kind == "other" or (kind == "number" and parts.digits):
            return None
        if kind == "number":
            parts.digits = text
        elif parts.digits:
            parts.after += text
        else:
            parts.before += text
        parts.percent = parts.percent or kind == "percent"
    return parts


def _moment(value: date | time | timedelta, number_format: str) -> str:
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, time):
        return _time(value)
    # Texts in quotation marks and conditions in brackets hold letters that mean nothing here.
    signs = set(re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", number_format).lower())
    if not isinstance(value, datetime) or "h" not in signs:
        return _date(value, signs)
    # A moment is stored as a part of a day and comes a few microseconds short; without rounding 10:00 would be 9:59:59.
    rounded = value + timedelta(microseconds=500_000)
    return f"{rounded:%Y-%m-%d} {_time(rounded.time())}"


def _date(value: date, signs: set[str]) -> str:
    """The day, or only the month or the year if the sheet shows no more."""
    if "y" in signs and "d" not in signs:
        return f"{value:%Y-%m}" if "m" in signs else f"{value:%Y}"
    return f"{value:%Y-%m-%d}"


def _time(value: time) -> str:
    return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"
