"""Comparison of extracted with expected values: fields and patterns as rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from karenina_gui.gui.kit.html import Html, join_html, tag
from karenina_gui.gui.kit.number_text import number_written
from karenina_gui.schemas.result import ResultTemplate


@dataclass(frozen=True, slots=True)
class FieldRow:
    """Row of one field; `passed` is None if it was not compared (custom `verify()`, or no extracted value)."""

    name: str
    found: str
    expected: str
    passed: bool | None
    score: float | None
    absent: bool
    """True if the judge returned no value."""
    accepts: str | None
    """Accepted numbers in words; None: the field is not compared as a number."""


@dataclass(frozen=True, slots=True)
class PatternRow:
    """Row of one regular expression of the template."""

    name: str
    pattern: str
    expected: str
    found: str
    passed: bool
    reason: str


def field_rows(template: ResultTemplate) -> list[FieldRow]:
    """Rows of the fields in the order of the expected values, then of other extracted fields."""
    extracted = template.parsed_llm_response or {}
    expected = template.parsed_gt_response or {}
    results = template.field_results or {}
    scores = template.field_scores or {}
    names = dict.fromkeys([*expected, *results, *extracted])
    return [
        FieldRow(
            name=name,
            found=format_value(extracted.get(name)),
            expected=format_value(expected.get(name)) if name in expected else "",
            passed=results.get(name),
            score=scores.get(name),
            absent=bool(extracted) and extracted.get(name) is None,
            accepts=(template.field_acceptance or {}).get(name),
        )
        for name in names
    ]


def pattern_rows(template: ResultTemplate) -> list[PatternRow]:
    """Rows of the patterns of `verify_regex()` with their matches."""
    details = template.regex_validation_details or {}
    return [
        _pattern_row(name, passed, details.get(name) or {})
        for name, passed in (template.regex_validation_results or {}).items()
    ]


def format_value(value: Any) -> str:
    """Format a value for a table cell; None is empty.

    Text stays bare, booleans are yes and no, numbers are rounded, lists are joined by commas.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number_written(value)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(format_value, value)) or "empty list"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def with_acceptance(expected: str, accepts: str | None) -> Html | str:
    """Expected value with the accepted numbers below it."""
    if accepts is None:
        return expected
    return join_html([expected, tag("div", accepts, class_="hint accepts")])


def _pattern_row(name: str, passed: bool, details: dict[str, Any]) -> PatternRow:
    matches = details.get("matches_found") or []
    count = details.get("match_count", len(matches))
    match_text = ", ".join(map(format_value, matches[:5])) + (f" … ({count} in total)" if count > 5 else "")
    reason = details.get("failure_reason") or details.get("success_reason") or details.get("error") or ""
    return PatternRow(
        name=name,
        pattern=str(details.get("pattern", "")),
        expected=" ".join(filter(None, [str(details.get("match_type", "")), format_value(details.get("expected"))])),
        found=match_text or "no match",
        passed=passed,
        reason=str(reason),
    )
