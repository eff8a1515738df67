"""Signs of a name that nobody sees: with them, two names can look alike, or one like another."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category, east_asian_width

_JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: Persian and Indic words are spelt with them, and emoji are joined by them."""
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
"""Letters and marks that are drawn as nothing."""
_KEYCAP = "\u20e3"


def hidden_sign(name: str) -> str | None:
    """The first sign of a name that cannot be seen and has no part in how its neighbours look: `U+202E`; None: none."""
    return next((f"U+{ord(name[at]):04X}" for at in _hidden(name)), None)


def with_hidden_signs_as(shown: str, name: str) -> str:
    """The name with this sign in the place of each that is hidden."""
    hidden = set(_hidden(name))
    return "".join(shown if at in hidden else sign for at, sign in enumerate(name))


def _hidden(name: str) -> Iterator[int]:
    """Places of hidden signs."""
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
    """Whether a joiner between these changes what is seen."""
    if not (_is_visible(before) or _is_selector(before)) or not _is_visible(after):
        return False
    return not all(_stands_alone(sign) or _is_east_asian(sign) for sign in (before, after))


def _selects(before: str, after: str) -> bool:
    """Whether a variation selector there changes what is seen: an emoji, a keycap, the form of a sign."""
    return _is_visible(before) and (after == _KEYCAP or not _stands_alone(before))


def _is_visible(sign: str) -> bool:
    """Of one sign; of none, no."""
    return bool(sign) and sign.isprintable() and not sign.isspace() and sign not in _FILLERS and not _is_selector(sign)


def _is_selector(sign: str) -> bool:
    return "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef"


def _stands_alone(sign: str) -> bool:
    """Whether it looks the same whatever is beside it, as ASCII does, and letters that have capitals."""
    return sign.isascii() or sign.upper() != sign.lower()


def _is_east_asian(sign: str) -> bool:
    return category(sign) == "Lo" and east_asian_width(sign) in "WF"
