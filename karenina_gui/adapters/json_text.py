"""JSON out of what a model wrote: fenced, wrapped in prose, cut off or slightly wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from karenina_gui.schemas.strict_json import is_finite
from karenina_gui.schemas.surrogates import without_surrogates

_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_DECODER = json.JSONDecoder()


def extract_json(text: str, asked: Collection[str] = (), *, stopped: bool = False) -> dict[str, Any] | None:
    """The last JSON object in the text, repaired where it is slightly wrong; None: there is none.

    The last one, since a model that thinks aloud, repeats the schema or corrects itself ends with what it means. A list
    with one object stands for the object. An object with NaN or Infinity is none, and no earlier one takes its place.

    `asked`: properties that the object should have. A slightly broken one that names some of them goes before a whole
    one that stands earlier; of all other broken ones none does.

    Half an object is none, because half a text or list would be taken for the whole: one that ends within a text, and
    any that is not closed where the writer was `stopped`. No earlier one takes its place.
    """
    found = last_object(text, asked, stopped=stopped)
    return found if found is not None and is_finite(found) else None


def last_object(text: str, asked: Collection[str] = (), *, stopped: bool = False) -> dict[str, Any] | None:
    """The same, but with NaN and Infinity as Python reads them."""
    try:
        return without_surrogates(_last_object(text, asked, stopped))
    except RecursionError:
        return None


def _last_object(text: str, asked: Collection[str], stopped: bool) -> dict[str, Any] | None:
    if (whole := _parsed(text)) is not None:
        return _object(whole)
    fences = ((fence.end(), _object(_parsed(fence[1]))) for fence in reversed(list(_FENCE.finditer(text))))
    end, fenced = next(((end, found) for end, found in fences if found is not None), (0, None))
    spans = list(_spans(text))
    if spans and _is_half(spans[-1][1], stopped):
        return None
    for start, span in reversed(spans):
        if start < end:
            break
        if (found := _object(_parsed(span))) is not None or (found := _meant(span, asked)) is not None:
            return found
    if fenced is not None:
        return fenced
    return next((found for _, span in reversed(spans) if (found := _repaired(span))), None)


def _meant(span: str, asked: Collection[str]) -> dict[str, Any] | None:
    """A broken but closed object that names what was asked for; one that is cut off may lack just that."""
    if not span.endswith("}") or not any(f'"{name}"' in span or f"'{name}'" in span for name in asked):
        return None
    found = _repaired(span)
    return found if found is not None and found.keys() & set(asked) else None


def _parsed(text: str) -> Any:
    """None: null, or no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def _spans(text: str) -> Iterator[tuple[int, str]]:
    """Outermost `{...}` stretches with where they begin, left to right; the last one may be cut off."""
    start = text.find("{")
    while start >= 0:
        end = _end(text, start)
        yield start, text[start:end]
        start = text.find("{", end)


def _end(text: str, start: int) -> int:
    """Where the object that begins at `start` ends; the end of the text when it is cut off."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        pass
    return next((place + 1 for place, depth, _ in _walk(text, start) if depth == 0), len(text))


def _walk(text: str, start: int) -> Iterator[tuple[int, int, bool]]:
    """Each place from `start` on, how many objects are open after it, and whether a text is."""
    depth = 0
    quoted = escaped = False
    for place in range(start, len(text)):
        character = text[place]
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = quoted
        elif character == '"':
            quoted = not quoted
        elif not quoted and character in "{}":
            depth += 1 if character == "{" else -1
        yield place, depth, quoted


def _is_half(span: str, stopped: bool) -> bool:
    """Whether the text ends before this object does; a `}` after the last `"` closes it, whatever quotes lack."""
    *_, (_, depth, quoted) = _walk(span, 0)
    if quoted:
        return "}" not in span[span.rindex('"') :]
    return stopped and depth > 0


def _repaired(span: str) -> dict[str, Any] | None:
    """The span as a JSON library for broken JSON reads it; None unless it names at least one key."""
    if ":" not in span:
        return None
    from json_repair import repair_json

    try:
        value = repair_json(span, return_objects=True)
    except (RecursionError, ValueError):  # nested too deeply; which of them depends on the version of Python
        return None
    return value if isinstance(value, dict) and value else None
