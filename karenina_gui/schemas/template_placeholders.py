"""Sentences of the starter templates, in which the author replaces each `…`."""

from __future__ import annotations

import re

OPEN = "…"
"""Placeholder for the author's text."""

CLAIM = "True if the answer says that …, otherwise false."
NUMBER = "The number that the answer gives for …, in …."
COUNT = "The number that the answer gives for …."
"""Sentence for counts and years, which have no unit."""
NAME = "The name of … that the answer gives."
ITEMS = "Everything that the answer names as …, in lower case."
CHOICE = "Which of … and … the answer chooses."
FOUND = "What the answer names as …."
OPTIONS = ("first …", "second …")
"""Options of a choice, each written by the author."""

_STARTERS = [
    re.compile(".+".join(map(re.escape, sentence.split(OPEN))), re.DOTALL)
    for sentence in (CLAIM, NUMBER, COUNT, NAME, ITEMS, CHOICE, FOUND)
]


def is_unfilled(description: str) -> bool:
    """True for a text around a starter's sentence with an open placeholder; a text with its own `…` is not one."""
    return any((match := starter.search(description)) and OPEN in match[0] for starter in _STARTERS)
