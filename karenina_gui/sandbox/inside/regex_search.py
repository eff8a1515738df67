"""Searches for the patterns of regex traits, in a separate process: a pattern can run for ever."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

SPANS_AT_MOST = 200


def search(pattern: str, case_sensitive: bool, text: str) -> dict[str, Any]:
    """Return `{"found", "spans"}`, with the first 200 spans in characters, or `{"error": reason}`."""
    try:
        compiled = re.compile(pattern, re.NOFLAG if case_sensitive else re.IGNORECASE)
        spans = [list(match.span()) for match in islice(compiled.finditer(text), SPANS_AT_MOST)]
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        return {"error": f"the pattern cannot be used: {error}"}
    return {"found": bool(spans), "spans": spans}


def search_each(request: dict[str, Any]) -> dict[str, Any]:
    """Reply to the request `regex` (see `template_code`): several patterns in one text, or one in several texts."""
    if "texts" in request:
        (one,) = request["searches"]
        return {"items": [search(one["pattern"], one["case_sensitive"], text) for text in request["texts"]]}
    text = request["text"]
    return {"items": [search(each["pattern"], each["case_sensitive"], text) for each in request["searches"]]}
