"""Patterns that a template searches in the raw answer: `{name: {pattern, expected, match_type}}`.

`match_type`: `exact` (one match, equal to the expected text), `contains` (the expected text is among the matches),
`count` (that many matches), `all` (every expected text is among the matches).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def check_patterns(patterns: Mapping[str, Mapping[str, Any]], text: str) -> dict[str, Any]:
    """`success` (all hold; true without patterns), `results` {name: bool} and `details` {name: what was found}."""
    details = {name: _detail(spec, text) for name, spec in patterns.items()}
    results = {name: "success_reason" in detail for name, detail in details.items()}
    return {"success": all(results.values()), "results": results, "details": details}


def _detail(spec: Mapping[str, Any], text: str) -> dict[str, Any]:
    if "pattern" not in spec or "expected" not in spec:
        return {"error": "needs both 'pattern' and 'expected'", **spec}
    pattern, expected, match_type = spec["pattern"], spec["expected"], spec.get("match_type", "exact")
    declared = {"pattern": pattern, "expected": expected, "match_type": match_type}
    try:
        matches = re.findall(pattern, text)
    except re.error as error:
        return {"error": str(error), **declared}
    passed, reason = _outcome(expected, match_type, matches)
    key = "success_reason" if passed else "failure_reason"
    return {**declared, "matches_found": matches, "match_count": len(matches), key: reason}


def _outcome(expected: Any, match_type: str, matches: list[Any]) -> tuple[bool, str]:
    if match_type == "exact":
        if matches == [expected]:
            return True, "Single exact match found"
        return False, f"Expected exactly one match of '{expected}', got {len(matches)} matches: {matches}"
    if match_type == "contains":
        if expected in matches:
            return True, f"Expected pattern '{expected}' found in matches"
        return False, f"Expected pattern '{expected}' not found in matches: {matches}"
    if match_type == "count":
        if len(matches) == expected:
            return True, f"Found exactly {expected} matches as expected"
        return False, f"Expected {expected} matches, got {len(matches)}"
    if match_type == "all":
        if not isinstance(expected, list | tuple | set):
            return False, f"match_type 'all' expects a list, got {type(expected).__name__}"
        missing = [item for item in expected if item not in matches]
        if missing:
            return False, f"Missing expected items: {missing}"
        return True, "All expected items found in matches"
    return False, f"Unknown match_type: {match_type}"
