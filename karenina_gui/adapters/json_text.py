"""Extraction of JSON from a model's reply: fenced, wrapped in prose, truncated or slightly malformed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from karenina_gui.text.strict_json import is_finite
from karenina_gui.text.surrogates import without_surrogates
from karenina_gui.text.thoughts import next_thought

_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_DECODER = json.JSONDecoder()


def extract_json(text: str, properties: Collection[str] = (), *, stopped: bool = False) -> dict[str, Any] | None:
    """Return the last JSON object in the text, repaired if it is slightly malformed; None if there is none.

    The last one counts, since a model that thinks aloud, repeats the schema or corrects itself ends with what it means.
    A list with one object counts as the object, and what stands in a thought (`<think>`) not at all. An object with NaN
    or Infinity is rejected, and no earlier one takes its place.

    `properties`: those that the object should have. A malformed object that names some of them takes precedence over an
    earlier valid one; other malformed ones do not.

    A truncated object is rejected, because half a text or list would be taken for the whole: one that ends within a
    string, and any that is not closed if the writer was `stopped`. No earlier one takes its place.
    """
    data = last_object(text, properties, stopped=stopped)
    return data if data is not None and is_finite(data) else None


def last_object(text: str, properties: Collection[str] = (), *, stopped: bool = False) -> dict[str, Any] | None:
    """The same as `extract_json`, except that NaN and Infinity are accepted."""
    try:
        return without_surrogates(_last_object(text, properties, stopped))
    except RecursionError:
        return None


def _last_object(text: str, properties: Collection[str], stopped: bool) -> dict[str, Any] | None:
    if (whole := _parse(text)) is not None:
        return _object(whole)
    text = _blank_thoughts(text)
    end, fenced = _last_fenced_object(text)
    spans = list(_spans(text))
    if spans and _is_half(spans[-1][1], stopped):
        return None
    # A fence counts only if nothing after it is an object: models often correct themselves below it.
    for start, span in reversed(spans):
        if start >= end and (data := _object_in(span, properties)) is not None:
            return data
    if fenced is not None:
        return fenced
    return next((data for _, span in reversed(spans) if (data := _repair(span))), None)


def all_objects(text: str, properties: Collection[str] = ()) -> list[dict[str, Any]]:
    """All different objects of the text that are closed, outside of thoughts, and not part of another one, in order."""
    if (whole := _parse(text)) is not None:
        objects = [_object(whole)]
    else:
        objects = [_object_in(span, properties) for _, span in _spans(_blank_thoughts(text))]
    different: list[dict[str, Any]] = []
    for data in without_surrogates(objects):
        if data is not None and data not in different:
            different.append(data)
    return different


def _blank_thoughts(text: str) -> str:
    """The text with spaces for thoughts, except inside of objects, whose texts may speak of such tags."""
    parts: list[str] = []
    at = 0
    thought = next_thought(text, 0)
    while thought is not None:
        start, end = thought
        brace = text.find("{", at, start)
        goes_on = end if brace < 0 else _end(text, brace)
        parts.append(text[at:start] + " " * (end - start) if brace < 0 else text[at:goes_on])
        at = goes_on
        if at > start:
            thought = next_thought(text, at)
    return "".join((*parts, text[at:]))


def _last_fenced_object(text: str) -> tuple[int, dict[str, Any] | None]:
    """The last object in a code fence, with the end of the fence; `(0, None)` without one."""
    for fence in reversed(list(_FENCE.finditer(text))):
        if (data := _object(_parse(fence[1]))) is not None:
            return fence.end(), data
    return 0, None


def _object_in(span: str, properties: Collection[str]) -> dict[str, Any] | None:
    data = _object(_parse(span))
    return data if data is not None else _matching_object(span, properties)


def _matching_object(span: str, properties: Collection[str]) -> dict[str, Any] | None:
    """Repair a malformed but closed object that names a requested property; a truncated one may lack just that."""
    if not span.endswith("}") or not any(f'"{name}"' in span or f"'{name}'" in span for name in properties):
        return None
    data = _repair(span)
    return data if data is not None and data.keys() & set(properties) else None


def _parse(text: str) -> Any:
    """Parse JSON; None for null or invalid JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def _spans(text: str) -> Iterator[tuple[int, str]]:
    """Outermost `{...}` spans with their start, left to right; the last one may be truncated."""
    start = text.find("{")
    while start >= 0:
        end = _end(text, start)
        yield start, text[start:end]
        start = text.find("{", end)


def _end(text: str, start: int) -> int:
    """End of the object that begins at `start`; the end of the text if it is truncated."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        pass
    return next((position + 1 for position, depth, _ in _walk(text, start) if depth == 0), len(text))


def _walk(text: str, start: int) -> Iterator[tuple[int, int, bool]]:
    """Yield each position from `start` on, the depth of open objects after it, and True inside a string."""
    depth = 0
    quoted = escaped = False
    for position in range(start, len(text)):
        character = text[position]
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = quoted
        elif character == '"':
            quoted = not quoted
        elif not quoted and character in "{}":
            depth += 1 if character == "{" else -1
        yield position, depth, quoted


def _is_half(span: str, stopped: bool) -> bool:
    """True if the text ends before this object does. A `}` after the last `"` closes it, even if a quote is missing."""
    *_, (_, depth, quoted) = _walk(span, 0)
    if quoted:
        return "}" not in span[span.rindex('"') :]
    return stopped and depth > 0


def _repair(span: str) -> dict[str, Any] | None:
    """Repair malformed JSON; None unless the result has at least one key."""
    if ":" not in span:
        return None
    from json_repair import repair_json

    try:
        value = repair_json(span, return_objects=True)
    # Nested too deeply; which of them is raised depends on the version of Python.
    except (RecursionError, ValueError):
        return None
    return value if isinstance(value, dict) and value else None
