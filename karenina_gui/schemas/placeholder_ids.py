"""Ids that are the MD5 of a placeholder text, which earlier versions gave to new and copied questions.

They stayed when the question was written, so that questions of different benchmarks shared one. When a file is read,
they are replaced by the ids of the texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from karenina_gui.schemas.question import question_fingerprint

PLACEHOLDER = "New question"
NEW_QUESTIONS = 100
"""Numbered texts that are recognized: `New question` to `New question 99`."""
COPIES = 10
"""Numbered copies of each text that are recognized: `… (copy)` to `… (copy 9)`."""


def is_placeholder(question_id: str, text: str) -> bool:
    """True if the id is that of a placeholder although the question has another text."""
    return question_id in _placeholders() and question_id != question_fingerprint(text)


@cache
def _placeholders() -> frozenset[str]:
    # Cached: about 9,000 hashes.
    new = [PLACEHOLDER, *(f"{PLACEHOLDER} {number}" for number in range(2, NEW_QUESTIONS))]
    once = [copy for text in new for copy in _copies(text)]
    # Copies of copies were common while a benchmark was set up.
    twice = [copy for text in once for copy in _copies(text)]
    return frozenset(map(question_fingerprint, [*new, *once, *twice]))


def _copies(text: str) -> Iterator[str]:
    yield f"{text} (copy)"
    yield from (f"{text} (copy {number})" for number in range(2, COPIES))
