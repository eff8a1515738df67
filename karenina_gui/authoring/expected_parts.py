"""Expected values that a reference answer does not contain, so that one of the two may be wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from karenina_gui.schemas.template import TemplateField, TemplateOutline
from karenina_gui.text.canonical import canonical

ExpectedPart = tuple[str, str]
"""Name of a field, and a text or number that it expects."""
_WORDED_OTHERWISE = ("Date", "Contains", "Regex", "NumericRange", "NumericM", "NumericThreshold")
"""Beginnings of comparisons with another wording, a bound, or no expected value."""


def expected_parts(outline: TemplateOutline) -> tuple[ExpectedPart, ...]:
    """Texts and numbers that an answer has to contain, field by field."""
    expected_by_field = []
    for field in outline.fields:
        expected = field.ground_truth if field.primitive else (outline.ground_truth or {}).get(field.name)
        if not _has_other_wording(field):
            expected_by_field += [(field.name, part) for part in _parts(expected)]
    return tuple(expected_by_field)


def missing_remarks(parts: Iterable[ExpectedPart], reference: str) -> Iterator[str]:
    """One sentence for each field whose expected value is not in the reference answer."""
    reported = set()
    for name, part in parts:
        if name not in reported and not _mentions(reference, part):
            reported.add(name)
            yield f"The reference answer doesn’t contain the expected value “{part}” of {name}."


def _has_other_wording(field: TemplateField) -> bool:
    """True if an answer need not contain the expected value: choices, dates, and what no judge extracts."""
    compared = (field.primitive or "").startswith(_WORDED_OTHERWISE)
    return field.is_trace or field.type.startswith("Literal") or compared


def _parts(expected: Any) -> list[str]:
    if isinstance(expected, list):
        return [part for element in expected for part in _parts(element)]
    if isinstance(expected, bool) or expected is None:
        return []
    return [f"{expected:.15g}" if isinstance(expected, float) else str(expected)]


def _mentions(reference: str, value: str) -> bool:
    """True if the text has the value as words or a number of its own, in any case."""
    text, value = canonical(reference).lower(), canonical(value)
    return any(_has_words(form, value.lower()) for form in {_GROUPED.sub("", text), _COMMA.sub(".", text)})


# A comma separates thousands in English, and decimals elsewhere.
_GROUPED = re.compile(r"(?<=\d)[,\s](?=\d{3}\b)")
_COMMA = re.compile(r"(?<=\d),(?=\d)")
_NOT_BEFORE = re.compile(r"[\w.]")
_NOT_AFTER = re.compile(r"\w|\.\d")


def _has_words(text: str, value: str) -> bool:
    # Not by a pattern of its own for each value: to compile ten thousand of them would take seconds.
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not (at and _NOT_BEFORE.match(text[at - 1])) and not _NOT_AFTER.match(text, end):
            return True
        at = text.find(value, at + 1)
    return False
