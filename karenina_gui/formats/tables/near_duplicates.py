"""Questions that differ in nothing but line breaks, spaces, quotation marks, and the like."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from karenina_gui.text.canonical import canonical


@dataclass(frozen=True)
class NearDuplicateRow:
    """A row whose question nearly repeats that of an earlier row."""

    row: int
    first_row: int
    text: str
    difference: str
    """What differs, such as `line breaks`."""
    same_answer: bool
    answer: str = ""
    """Its reference answer."""


_QUOTES = re.compile("[\"'`´\N{LEFT SINGLE QUOTATION MARK}-\N{DOUBLE HIGH-REVERSED-9 QUOTATION MARK}«»‹›]+")
_DASHES = re.compile("[\N{HYPHEN}-\N{HORIZONTAL BAR}\N{MINUS SIGN}]")
_INVISIBLE = re.compile("[\N{SOFT HYPHEN}\N{ZERO WIDTH SPACE}-\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NO-BREAK SPACE}]")
_ENDING = re.compile(r"[\s.?!:]+$")

_STEPS: dict[str, Callable[[str], str]] = {
    "line breaks": lambda text: re.sub(r"\s*[\r\n\v\f\x85\u2028\u2029]\s*", " ", text),
    "spaces": lambda text: re.sub(r"\s+", " ", _INVISIBLE.sub("", text)).strip(),
    "accents in one character or two": canonical,
    "quotation marks": lambda text: _QUOTES.sub('"', text),
    "dashes": lambda text: _DASHES.sub("-", text),
    "upper and lower case": str.casefold,
    "the punctuation at the end": lambda text: _ENDING.sub("", text),
}
"""What is ignored, by the name of the difference."""


def plain_wording(text: str) -> str:
    """The text without what two wordings of one question may differ in."""
    for step in _STEPS.values():
        text = step(text)
    return text


def difference(one: str, other: str) -> str:
    """Name the differences of two texts of the same plain wording, such as `line breaks and quotation marks`.

    Empty: the texts are the same.
    """
    if one == other:
        return ""
    needed = [name for name in _STEPS if _without(name, one) != _without(name, other)]
    # Line breaks are spaces, too: the next step alone would hide them.
    if one.strip().count("\n") != other.strip().count("\n"):
        needed = ["line breaks", *(name for name in needed if name not in ("line breaks", "spaces"))]
    names = needed or ["spaces"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _without(left_out: str, text: str) -> str:
    for name, step in _STEPS.items():
        if name != left_out:
            text = step(text)
    return text
