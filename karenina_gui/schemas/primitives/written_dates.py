"""Dates in common notations: `Jan 2, 2020`, `2. Januar 2020`, `2 de enero de 2020`, `2020-01-02 (Thu)`, `2020年1月2日`.

Only those that name one day: `01/02/2020` is January to some and February to others, so it is read only if the month
cannot be the day (`31/01/2020`), or with a `format`. Two digits name no year. The names of months and weekdays are
ours, since those of `strptime` depend on the computer's locale.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from unicodedata import combining, normalize

# English, German, French, Spanish, Italian, Portuguese, Dutch; without accents.
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janner janvier janv enero ene gennaio gen janeiro januari",
            "february feb februar fevrier fevr fev febrero febbraio fevereiro februari",
            "march mar marz maerz mars marzo marco maart mrt",
            "april apr avril avr abril abr aprile",
            "may mai mayo maggio mag maio mei",
            "june jun juni juin junio giugno giu junho",
            "july jul juli juillet juil julio luglio lug julho",
            "august aug aout agosto ago augustus",
            "september sept sep septembre septiembre setiembre settembre setembro set",
            "october oct oktober okt octobre octubre ottobre ott outubro out",
            "november nov novembre noviembre novembro",
            "december dec dezember dez decembre diciembre dic dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
_WEEKDAYS = (
    "monday|mon|tuesday|tues|tue|wednesday|wed|thursday|thurs|thur|thu|friday|fri|saturday|sat|sunday|sun|"
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so|"
    "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lun|mar|mer|jeu|ven|sam|dim|lunes|martes|miercoles|jueves|viernes|sabado|domingo|"
    "lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica|(?:segunda|terca|quarta|quinta|sexta)(?:-feira)?|"
    "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|"
    "[月火水木金土日](?:曜日?)?|(?:星期|周)[一二三四五六日]"
)
_WEEKDAY = re.compile(rf"^(?:(?:on|am|le|el|il)\s+)?(?:{_WEEKDAYS})\.?,?\s+|,?\s+(?:{_WEEKDAYS})\.?$")
_ORDINAL = ("first", "second", "third", "th")
_DASHES = re.compile("[\N{HYPHEN}-\N{HORIZONTAL BAR}\N{MINUS SIGN}]")
_MONTH = r"(?P<month>[^\W\d_]+)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|o|e)?"
_YEAR = r"(?P<year>\d{4})"
_TIME = (
    r"(?:,?\s+(?:at\s+)?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:\s*(?P<half>[ap])\.?m\.?)?"
    r"(?:\s*(?P<zone>utc|gmt|z))?)?"
)
_FORMS = [
    re.compile(form + _TIME, re.ASCII if "年" not in form else re.NOFLAG)
    for form in (
        rf"{_MONTH}[\s-]+{_DAY},?[\s-]+{_YEAR}",
        rf"(?:(?:the|on|am|den|le|el|il)\s+)?{_DAY}\.?(?:\s+(?:of|de|di))?[\s/-]*{_MONTH},?(?:\s+(?:de|del|di))?[\s/-]*{_YEAR}",
        rf"{_YEAR}[\s/-]+{_MONTH}[\s/-]+{_DAY}",
        rf"{_YEAR}\s?(?P<mark>[-/.])\s?(?P<number>\d{{1,2}})\s?(?P=mark)\s?{_DAY}\.?",
        rf"{_YEAR}\s?[年년]\s?(?P<number>\d{{1,2}})\s?[月월]\s?(?P<day>\d{{1,2}})\s?[日일号]",
        rf"(?P<first>\d{{1,2}})\s?(?P<mark>[-/.])\s?(?P<second_number>\d{{1,2}})\s?(?P=mark)\s?{_YEAR}",
    )
]


def written_date(text: str) -> datetime | None:
    """Parse a date; None: it is not one, or is ambiguous."""
    plain = _plain(text)
    # Without the weekday only if it is not a month: *mar* is one in Spanish.
    return _parse(plain) or _parse(_WEEKDAY.sub("", plain))


def may_name_a_day(text: str) -> bool:
    """True for a text that `written_date` does not read, but that may name a day: in another language or order.

    False for texts without a day, such as `March 2024` or `not stated`, and for days that do not exist.
    """
    plain = _WEEKDAY.sub("", _plain(text))
    match = next((match for form in _FORMS if (match := form.fullmatch(plain))), None)
    if match is not None:
        month_and_day = _month_and_day(match.groupdict())
        return month_and_day is None or (month_and_day[0] == 0 and "month" in match.groupdict())
    numbers, names = re.findall(r"\d+", plain), re.findall(r"[^\W\d_]{2,}", plain)
    if len(numbers) > 2 or (len(numbers) == 2 and names):
        return True
    # A day and its month, whose year the question may name; or a day in letters.
    day = any(int(number[:5]) <= 31 for number in numbers) or any(word.endswith(_ORDINAL) for word in names)
    return day and any(word in _MONTHS for word in names)


def _plain(text: str) -> str:
    """The text in lower case, without accents, brackets, quotes, and repeated spaces, and without its era."""
    letters = normalize("NFKC", "".join(part for part in normalize("NFKD", text) if not combining(part)))
    plain = " ".join(re.sub(r"[()\"'`*“”„]", " ", _DASHES.sub("-", letters.lower())).split())
    return re.sub(r"(?<=\d)(?:\s+(?:ad|ce|a\.d|c\.e))?\.?$", "", plain)


def _parse(text: str) -> datetime | None:
    match = next((match for form in _FORMS if (match := form.fullmatch(text))), None)
    if match is None:
        return None
    parts = match.groupdict()
    month_and_day = _month_and_day(parts)
    if month_and_day is None:
        return None
    # 30 February has the form of a date.
    try:
        return datetime(int(parts["year"]), *month_and_day, *_time(parts), tzinfo=UTC if parts["zone"] else None)
    except ValueError:
        return None


def _month_and_day(parts: dict[str, str | None]) -> tuple[int, int] | None:
    if "day" in parts:
        month = _MONTHS.get(parts["month"] or "", 0) if "month" in parts else int(parts["number"] or 0)
        return month, int(parts["day"] or 0)
    return _unambiguous(int(parts["first"] or 0), int(parts["second_number"] or 0))


def _unambiguous(first: int, second: int) -> tuple[int, int] | None:
    """Month and day of two numbers in either order; None: they may be two dates."""
    if first == second or first > 12:
        return second, first
    return (first, second) if second > 12 else None


def _time(parts: dict[str, str | None]) -> tuple[int, int, int]:
    hour, half = int(parts["hour"] or 0), parts["half"]
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour, int(parts["minute"] or 0), int(parts["second"] or 0)
