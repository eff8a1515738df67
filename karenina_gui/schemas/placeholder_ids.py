"""Ids that are the MD5 of a placeholder text: earlier versions gave them to new and copied questions.

They stayed when the question was written, so questions of different benchmarks shared one. They are replaced by the id
of the text wherever they are found: in libraries by a migration, in files as they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from karenina_gui.schemas.question import question_fingerprint

PLACEHOLDER = "New question"
NEW_QUESTIONS = 100
"""Numbered texts that are known: `New question` to `New question 99`."""
COPIES = 10
"""Numbered copies that are known of each text: `… (copy)` to `… (copy 9)`."""


def is_placeholder(question_id: str, text: str) -> bool:
    """Whether the id is that of a placeholder, although the question has another text by now."""
    return question_id in _placeholders() and question_id != question_fingerprint(text)


def ids_of_copies(texts: Iterable[str]) -> set[str]:
    """Ids that copies of questions with these texts got from earlier versions."""
    return {question_fingerprint(copy) for text in texts for copy in _copies(text)}


@cache
def _placeholders() -> frozenset[str]:
    new = [PLACEHOLDER, *(f"{PLACEHOLDER} {number}" for number in range(2, NEW_QUESTIONS))]
    once = [copy for text in new for copy in _copies(text)]
    twice = [copy for text in once for copy in _copies(text)]
    return frozenset(map(question_fingerprint, [*new, *once, *twice]))


def _copies(text: str) -> Iterator[str]:
    yield f"{text} (copy)"
    yield from (f"{text} (copy {number})" for number in range(2, COPIES))
