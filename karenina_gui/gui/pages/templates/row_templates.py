"""Templates for many questions at once, from a starter and the reference answer of each."""

from __future__ import annotations

import re
from collections.abc import Callable

from karenina_gui.gui.pages.templates.starters import BY_TITLE, DIGITS, starter_for
from karenina_gui.schemas.template_placeholders import CLAIM, COUNT, ITEMS, NAME, NUMBER, OPEN

AUTOMATIC = "Automatic"
"""Choice of the starter that fits the reference answer of each question."""

ROW_STARTERS = ("Yes or no", "Number", "Text", "List", "Date", "Pattern only")
"""Starters that need nothing but the reference answer."""

_DESCRIPTIONS = {
    CLAIM: "True if the final answer to the question is yes, otherwise false.",
    NUMBER: "The number that the text gives as its final answer to the question{unit}.",
    COUNT: "The number that the text gives as its final answer to the question.",
    NAME: "The name or term that the text gives as its final answer to the question.",
    ITEMS: "Everything that the text names as its final answer to the question, in lower case.",
}
"""Sentences in place of those that an author completes."""

_UNIT = re.compile(rf"^\D*{DIGITS}(?:[eE][-+]?\d+)?\s*(%|[^\W\d_][\w/%.°µ-]{{0,9}}|°\w?)$")


def row_template(title: str, answer: str) -> str | None:
    """Return the template for a reference answer by a starter's title or `AUTOMATIC`; None: it fits none."""
    starter = starter_for(answer) if title == AUTOMATIC else BY_TITLE[title]
    if starter is None:
        return None
    source = starter.write(answer)
    unit = _UNIT.match(answer.strip().rstrip("."))
    for open_sentence, sentence in _DESCRIPTIONS.items():
        filled = sentence.format(unit=f", in {unit[1]}" if unit else "")
        source = source.replace(repr(open_sentence), repr(filled))
    return source


def row_writer(title: str) -> Callable[[str], str | None]:
    """Return a function that writes the template of a row from its reference answer."""
    return lambda answer: row_template(title, answer)


def is_open(source: str) -> bool:
    """Return True if the reference answer did not fit the starter, so that the author writes the expected value."""
    return f"'{OPEN}'" in source or f"(?i){OPEN}" in source
