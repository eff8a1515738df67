"""Patterns that a template searches in the raw answer: `{name: {pattern, expected, match_type}}`.

`match_type`: `exact` (one match, equal to the expected text), `contains` (the expected text is among the matches),
`count` (that many matches), `all` (every expected text is among the matches).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from karenina_gui.text.canonical import canonical

SHOWN_AT_MOST = 50
"""Number of matches that are listed; the verdict uses all of them, and `match_count` counts them all."""
LONGEST_SHOWN = 200
"""Characters of a match to list."""
_IN_A_SENTENCE = 10
_AT_A_TIME = 4096

_MATCH_TYPES = ("exact", "contains", "count", "all")


def check_patterns(patterns: Mapping[str, Mapping[str, Any]], text: str) -> dict[str, Any]:
    """`success` (all match; True without patterns), `results` {name: bool} and `details` {name: findings}."""
    details = {name: _detail(spec, text) for name, spec in patterns.items()}
    results = {name: "success_reason" in detail for name, detail in details.items()}
    return {"success": all(results.values()), "results": results, "details": details}


def problem_of(spec: Any) -> str | None:
    """Reason why this pattern can never match as expected, whatever the answer; None: it can."""
    if not isinstance(spec, Mapping):
        return f"it must be a dict with 'pattern' and 'expected', not {type(spec).__name__}"
    if "pattern" not in spec or "expected" not in spec:
        return "it needs both 'pattern' and 'expected'"
    match_type, expected = spec.get("match_type", "exact"), spec["expected"]
    if match_type not in _MATCH_TYPES:
        return f"unknown match_type {match_type!r}: it must be one of {', '.join(_MATCH_TYPES)}"
    if match_type == "all" and not isinstance(expected, list | tuple | set):
        return f"match_type 'all' expects a list, got {type(expected).__name__}"
    if match_type == "count" and not isinstance(expected, int | float):
        return f"match_type 'count' expects a number, got {type(expected).__name__}"
    try:
        re.compile(spec["pattern"])
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        return f"the pattern cannot be used: {error}"
    return None


def _detail(spec: Mapping[str, Any], text: str) -> dict[str, Any]:
    if "pattern" not in spec or "expected" not in spec:
        return {"error": "needs both 'pattern' and 'expected'", **spec}
    pattern, expected, match_type = spec["pattern"], spec["expected"], spec.get("match_type", "exact")
    declared = {"pattern": pattern, "expected": expected, "match_type": match_type}
    several = match_type == "all" and isinstance(expected, list | tuple | set)
    try:
        first_matches, count, missing = _search(
            canonical(pattern), canonical(text), canonical(list(expected) if several else [expected])
        )
    # Reported, not raised: one broken pattern must not void the others.
    except re.error as error:
        return {"error": str(error), **declared}
    passed, reason = _outcome(declared, count, missing, _list_in_words(first_matches, count))
    key = "success_reason" if passed else "failure_reason"
    return {**declared, "matches_found": first_matches, "match_count": count, key: reason}


def _search(pattern: Any, text: str, expected: list[Any]) -> tuple[list[Any], int, list[Any]]:
    """The first matches as listed, the number of all, and the wanted ones that are not among them.

    An answer may have millions of matches, so they are never all in memory at once.
    """
    first_matches: list[Any] = []
    count, missing = 0, expected
    matches = _matches(pattern, text)
    while part := list(islice(matches, _AT_A_TIME)):
        first_matches += [_cut(match) for match in part[: SHOWN_AT_MOST - len(first_matches)]]
        count += len(part)
        missing = [item for item in missing if item not in part]
    return first_matches, count, missing


def _matches(pattern: Any, text: str) -> Iterator[Any]:
    """Yield what `re.findall` returns: the whole match, its group, or the tuple of its groups if there are several."""
    compiled = re.compile(pattern)
    matches = compiled.finditer(text)
    if compiled.groups > 1:
        return (match.groups("") for match in matches)
    return (match[compiled.groups] or "" for match in matches)


def _cut(match: Any) -> Any:
    if isinstance(match, tuple):
        return tuple(_cut(group) for group in match)
    return match if len(match) <= LONGEST_SHOWN else match[:LONGEST_SHOWN] + "…"


def _list_in_words(listed: list[Any], count: int) -> str:
    if count <= _IN_A_SENTENCE:
        return str(listed)
    return f"{str(listed[:_IN_A_SENTENCE])[:-1]}, … and {count - _IN_A_SENTENCE} more]"


def _outcome(declared: Mapping[str, Any], count: int, missing: list[Any], listed: str) -> tuple[bool, str]:
    expected, match_type = declared["expected"], declared["match_type"]
    if match_type == "exact":
        if count == 1 and not missing:
            return True, "Single exact match found"
        return False, f"Expected exactly one match of '{expected}', got {count} matches: {listed}"
    if match_type == "contains":
        if not missing:
            return True, f"Expected pattern '{expected}' found in matches"
        return False, f"Expected pattern '{expected}' not found in matches: {listed}"
    if match_type == "count":
        if count == expected:
            return True, f"Found exactly {expected} matches as expected"
        return False, f"Expected {expected} matches, got {count}"
    if match_type == "all":
        if not isinstance(expected, list | tuple | set):
            return False, f"match_type 'all' expects a list, got {type(expected).__name__}"
        if missing:
            return False, f"Missing expected items: {missing}"
        return True, "All expected items found in matches"
    return False, f"Unknown match_type: {match_type}"
