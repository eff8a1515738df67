"""Invisible characters in names, with which two names can look the same."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category, east_asian_width

_JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: Persian and Indic words are spelled with them, and they combine emoji."""
# By category these are letters and marks, so `isprintable` is True for them.
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
"""Letters and marks without a visible form."""
_KEYCAP = "\u20e3"


def hidden_sign(name: str) -> str | None:
    """First invisible character without an effect on its neighbors: `U+202E`; None if there is none."""
    return next((f"U+{ord(name[at]):04X}" for at in _hidden_positions(name)), None)


def with_hidden_signs_as(replacement: str, name: str) -> str:
    """The name with each invisible character replaced."""
    hidden = set(_hidden_positions(name))
    return "".join(replacement if at in hidden else sign for at, sign in enumerate(name))


def _hidden_positions(name: str) -> Iterator[int]:
    """Positions of invisible characters."""
    for at, sign in enumerate(name):
        before, after = name[at - 1 : at], name[at + 1 : at + 2]
        if sign in _JOINERS:
            if not _joins(before, after):
                yield at
        elif _is_selector(sign):
            if not _selects(before, after):
                yield at
        elif sign in _FILLERS or not sign.isprintable():
            yield at


def _joins(before: str, after: str) -> bool:
    """True if a joiner between these characters changes what is seen."""
    if not (_is_visible(before) or _is_selector(before)) or not _is_visible(after):
        return False
    # Joining scripts (Arabic, Indic) and emoji change; Latin or Chinese text would hide the joiner.
    return not all(_stands_alone(sign) or _is_east_asian(sign) for sign in (before, after))


def _selects(before: str, after: str) -> bool:
    """True if a variation selector here changes what is seen: an emoji, a keycap, the form of a character."""
    return _is_visible(before) and (after == _KEYCAP or not _stands_alone(before))


def _is_visible(sign: str) -> bool:
    """True for a visible character; False for an empty text."""
    return bool(sign) and sign.isprintable() and not sign.isspace() and sign not in _FILLERS and not _is_selector(sign)


def _is_selector(sign: str) -> bool:
    return "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef"


def _stands_alone(sign: str) -> bool:
    """True if it looks the same next to any character, as ASCII does, and letters with an upper case."""
    return sign.isascii() or sign.upper() != sign.lower()


def _is_east_asian(sign: str) -> bool:
    return category(sign) == "Lo" and east_asian_width(sign) in "WF"
