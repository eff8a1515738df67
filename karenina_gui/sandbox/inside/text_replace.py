"""Matches of a search in texts, each with its replacement.

Regular expressions are tried in a separate process: one can run for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from karenina_gui.schemas.pattern_faults import fault_sentence

MOST = 20_000
"""Matches of one request."""
_REFERENCE = re.compile(r"\$(?:\$|&|(\d{1,2})|\{(\w+)\})")


def find_each(request: dict[str, Any]) -> dict[str, Any]:
    """Reply to the request `find`: `{"items": [[start, end, replacement], ...] for each text}`, or `{"error"}`."""
    try:
        pattern, replaced = _prepare(request["search"])
    except (re.error, RecursionError, OverflowError) as error:
        return {"error": fault_sentence(error)}
    except LookupError as error:
        return {"error": f"The search has no group {error.args[0]}. Write $$ for a dollar sign."}
    items: list[list[tuple[int, int, str]]] = []
    remaining = MOST
    for text in request["texts"]:
        matches: list[tuple[int, int, str]] = []
        for match in pattern.finditer(text) if remaining else ():
            # An empty match, as of `x*`, would be everywhere.
            if match.end() > match.start():
                matches.append((match.start(), match.end(), replaced(match)))
            if len(matches) == remaining:
                break
        remaining -= len(matches)
        items.append(matches)
    return {"items": items}


def _prepare(search: dict[str, Any]) -> tuple[re.Pattern[str], Callable[[re.Match[str]], str]]:
    flags = re.MULTILINE if search["match_case"] else re.MULTILINE | re.IGNORECASE
    written, replacement = search["text"], search["replacement"]
    if not search["is_regex"]:
        written = re.escape(written)
    else:
        # Alone first, so that positions in messages are those of what was typed.
        re.compile(written, flags)
    whole = rf"(?<!\w)(?:{written})(?!\w)" if search["whole_words"] else written
    pattern = re.compile(whole, flags)
    if not search["is_regex"]:
        return pattern, lambda _: replacement
    _refuse_unknown_groups(pattern, replacement)
    return pattern, lambda match: _REFERENCE.sub(lambda reference: _expand(match, reference), replacement)


def _refuse_unknown_groups(pattern: re.Pattern[str], replacement: str) -> None:
    for reference in _REFERENCE.finditer(replacement):
        if reference[1] and int(reference[1]) > pattern.groups:
            raise LookupError(reference[1])
        if reference[2] and reference[2] not in pattern.groupindex:
            raise LookupError(reference[2])


def _expand(match: re.Match[str], reference: re.Match[str]) -> str:
    if reference[0] == "$$":
        return "$"
    if reference[0] == "$&":
        return match[0]
    # A group that took part in no match counts as empty.
    return match[reference[2] or int(reference[1])] or ""
