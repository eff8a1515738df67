"""Searches for the patterns of regex traits, in a separate process: a pattern can run for ever."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate, islice
from typing import Any
from unicodedata import combining

from karenina_gui.text.canonical import canonical

SPANS_AT_MOST = 200


def search(pattern: str, case_sensitive: bool, text: str) -> dict[str, Any]:
    """Return `{"found", "spans"}`, with the first 200 spans in characters, or `{"error": reason}`."""
    try:
        compiled = re.compile(canonical(pattern), re.NOFLAG if case_sensitive else re.IGNORECASE)
        composed = canonical(text)
        spans = [list(match.span()) for match in islice(compiled.finditer(composed), SPANS_AT_MOST)]
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        return {"error": f"the pattern cannot be used: {error}"}
    return {"found": bool(spans), "spans": spans if composed == text else _spans_before(text, spans)}


def _spans_before(text: str, spans: list[list[int]]) -> list[list[int]]:
    """Spans in the composed form of a text as spans in the text itself."""
    begins = [index for index, letter in enumerate(text) if not combining(letter)] or [0]
    parts = zip(begins, [*begins[1:], len(text)], strict=True)
    ends = [0, *accumulate(len(canonical(text[begin:end])) for begin, end in parts)]
    places = [*begins, len(text)]
    return [[places[bisect_right(ends, begin) - 1], places[bisect_left(ends, end)]] for begin, end in spans]


def search_each(request: dict[str, Any]) -> dict[str, Any]:
    """Reply to the request `regex` (see `template_code`): several patterns in one text, or one in several texts."""
    if "texts" in request:
        (one,) = request["searches"]
        return {"items": [search(one["pattern"], one["case_sensitive"], text) for text in request["texts"]]}
    text = request["text"]
    return {"items": [search(item["pattern"], item["case_sensitive"], text) for item in request["searches"]]}
