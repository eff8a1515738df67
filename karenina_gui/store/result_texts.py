"""Search in what a result says: its answer, the values that the judge found, its reason, and its labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import starmap
from typing import Any

from karenina_gui.schemas.outcome import TITLES
from karenina_gui.store.compression import expand

_WORD = re.compile(r"[^\W\d_]{4,}")
_GENERATED = frozenset({"expected", "empty", "list", "value", "pattern", "found", "match"})
"""Words of reasons that a document does not contain."""
_QUOTES = str.maketrans("", "", '“”"')


def add_says(connection: Any) -> None:
    """Add the SQL function `says(text, document, keywords, outcome, label, …)` to a connection of `sqlite3`."""
    connection.create_function("says", -1, says, deterministic=True)


def says(text: str, stored: bytes | str, keywords: str, outcome: str, *labels: str | None) -> bool:
    """Check if a result contains the case-folded text; quotes are ignored.

    `stored`: its document. `keywords`: a JSON list. An outcome is found by its whole name only.
    """
    needle = text.translate(_QUOTES)
    if needle == TITLES.get(outcome, "").casefold():  # type: ignore[call-overload]
        return True
    if any(needle in label.casefold() for label in (*labels, *json.loads(keywords)) if label):
        return True
    document = expand(stored)
    folded = document.casefold()
    # Parsing takes most of the time, and few documents have the words.
    if any(word not in folded for word in _WORD.findall(needle) if word not in _GENERATED):
        return False
    return any(needle in part.translate(_QUOTES).casefold() for part in _parts(json.loads(document)))


def _parts(document: Mapping[str, Any]) -> Iterator[str]:
    template = document.get("template") or {}
    failure = document["metadata"].get("failure") or {}
    category = str(failure.get("category", "")).replace("_", " ")
    yield from filter(None, (template.get("raw_llm_response"), category, failure.get("reason"), document.get("error")))
    expected = template.get("parsed_gt_response") or {}
    matches = template.get("field_results") or {}
    for name, value in (template.get("parsed_llm_response") or {}).items():
        # As in the reason of a wrong result, `dose = 5, expected 7`.
        wrong = name in expected and not matches.get(name, value == expected[name])
        yield f"{name} = {_format(value)}{f', expected {_format(expected[name])}' if wrong else ''}."
    yield from starmap(_pattern, (template.get("regex_validation_details") or {}).items())


def _pattern(name: str, details: Mapping[str, Any]) -> str:
    matches = _format(details.get("matches_found") or "no match")
    return f"The pattern {name} found {matches}, expected {_format(details.get('expected'))}."


def _format(value: Any) -> str:
    if value is None:
        return "no value"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, list):
        return ", ".join(map(_format, value)) or "an empty list"
    return str(value)
