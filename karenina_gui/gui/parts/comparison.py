"""What was read out of an answer beside what was expected: fields, patterns and traits as rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from karenina_gui.schemas.result import ResultRubric, ResultTemplate


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field. `passed` is None where nothing was compared (hand-written check, or the judge found no value)."""

    name: str
    found: str
    expected: str
    passed: bool | None
    score: float | None
    absent: bool
    """True: the judge returned no value."""


@dataclass(frozen=True, slots=True)
class PatternRow:
    """One regular expression of the template."""

    name: str
    pattern: str
    expected: str
    found: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class TraitRow:
    """One rubric trait. `passed` is None where the score is no yes-or-no."""

    name: str
    kind: str
    score: str
    passed: bool | None
    origin: str


def field_rows(template: ResultTemplate) -> list[FieldRow]:
    """Fields in the order of the expected values, then whatever else was read."""
    found = template.parsed_llm_response or {}
    expected = template.parsed_gt_response or {}
    results = template.field_results or {}
    scores = template.field_scores or {}
    names = dict.fromkeys([*expected, *results, *found])
    return [
        FieldRow(
            name=name,
            found=written(found.get(name)),
            expected=written(expected.get(name)) if name in expected else "",
            passed=results.get(name),
            score=scores.get(name),
            absent=bool(found) and found.get(name) is None,
        )
        for name in names
    ]


def pattern_rows(template: ResultTemplate) -> list[PatternRow]:
    """The patterns of `verify_regex()` with what they matched."""
    details = template.regex_validation_details or {}
    return [
        _pattern_row(name, passed, details.get(name) or {})
        for name, passed in (template.regex_validation_results or {}).items()
    ]


TRAIT_KINDS = {
    "llm_trait_scores": "judged",
    "regex_trait_scores": "pattern",
    "callable_trait_scores": "code",
    "agentic_trait_scores": "agent",
}
ORIGINS = {"global": "benchmark", "question_specific": "question", "dynamic": "dynamic"}


def trait_rows(rubric: ResultRubric) -> list[TraitRow]:
    """Every trait that has a score, metrics included (one row a figure)."""
    origin = {name: ORIGINS.get(where, where) for name, where in (rubric.trait_provenance or {}).items()}
    rows = [
        _trait_row(rubric, name, kind, score, origin.get(name, ""))
        for attribute, kind in TRAIT_KINDS.items()
        for name, score in (getattr(rubric, attribute) or {}).items()
    ]
    rows += [
        _trait_row(rubric, name, "not told", score, origin.get(name, ""))
        for name, score in rubric.untyped_scores.items()
    ]
    for name, figures in (rubric.metric_trait_scores or {}).items():
        rows += [
            TraitRow(f"{name} · {figure}", "metric", f"{value:.3f}", None, origin.get(name, ""))
            for figure, value in figures.items()
        ]
    return rows


def written(value: Any) -> str:
    """A value in a table cell: text bare, yes and no, figures rounded, lists with commas; empty for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(map(written, value))
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _pattern_row(name: str, passed: bool, details: dict[str, Any]) -> PatternRow:
    matches = details.get("matches_found") or []
    count = details.get("match_count", len(matches))
    found = ", ".join(map(written, matches[:5])) + (f" … ({count} in all)" if count > 5 else "")
    reason = details.get("failure_reason") or details.get("success_reason") or details.get("error") or ""
    return PatternRow(
        name=name,
        pattern=str(details.get("pattern", "")),
        expected=" ".join(filter(None, [str(details.get("match_type", "")), written(details.get("expected"))])),
        found=found or "nothing",
        passed=passed,
        reason=str(reason),
    )


def _trait_row(rubric: ResultRubric, name: str, kind: str, score: Any, origin: str) -> TraitRow:
    label = (rubric.llm_trait_labels or {}).get(name)
    if isinstance(score, bool):
        return TraitRow(name, kind, "yes" if score else "no", score, origin)
    return TraitRow(name, kind, f"{label} ({score})" if label else written(score), None, origin)
