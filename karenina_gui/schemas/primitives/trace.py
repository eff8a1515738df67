"""Primitives that search the whole raw answer instead of an extracted value."""

from __future__ import annotations

import re
from typing import Literal

from karenina_gui.schemas.primitives.primitive import TracePrimitive
from karenina_gui.text.canonical import canonical


class TraceRegex(TracePrimitive):
    """The pattern is found at least `count_min` times (None: once). Raises `re.error` if it is broken."""

    pattern: str
    count_min: int | None = None

    def check_trace(self, trace: str) -> bool:
        needed = 1 if self.count_min is None else self.count_min
        count = 0
        # Stops at the last match that is needed: an answer may have millions of them.
        for count, _ in enumerate(re.finditer(canonical(self.pattern), canonical(trace)), start=1):
            if count >= needed:
                return True
        return count >= needed


class TraceContains(TracePrimitive):
    """The substring occurs, spelled exactly so; composed and decomposed accents are the same."""

    substring: str

    def check_trace(self, trace: str) -> bool:
        return canonical(self.substring) in canonical(trace)


class TraceLength(TracePrimitive):
    """The length lies between `min` and `max`, both included (None: no limit), counted in `unit`."""

    min: int | None = None
    max: int | None = None
    unit: Literal["chars", "words"] = "chars"

    def check_trace(self, trace: str) -> bool:
        length = len(trace.split()) if self.unit == "words" else len(canonical(trace))
        return (self.min is None or length >= self.min) and (self.max is None or length <= self.max)
