"""Trait scores of a result as rows, with the meaning of the scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from karenina_gui.gui.kit.expected_found import format_value
from karenina_gui.gui.pages.rubric.kinds import directions
from karenina_gui.schemas.result import ResultRubric, TraitScale


@dataclass(frozen=True, slots=True)
class TraitRow:
    """Row of one trait of the rubric."""

    name: str
    kind: str
    """Method of scoring."""
    origin: str
    score: str = ""
    """Formatted score; empty: no score, or several (see `parts`)."""
    good: bool | None = None
    """True if a boolean score is the better one; None: no boolean score, or neither is better."""
    meaning: str = ""
    """Scale of the score and its better direction; empty: no such remark."""
    parts: tuple[tuple[str, str], ...] = ()
    """Fields of a structured score, or metrics."""
    lists: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Counted items by the names of their lists."""


METRIC = "precision and recall"
KINDS = {
    "llm_trait_scores": "judged by a model",
    "regex_trait_scores": "pattern",
    "callable_trait_scores": "function",
    "agentic_trait_scores": "agent",
    "metric_trait_scores": METRIC,
    "other_trait_scores": "other",
}
ORIGINS = {"global": "benchmark", "question_specific": "question", "dynamic": "dynamic"}
LISTS = {"tp": "Expected, found", "fn": "Expected, missing", "fp": "Unwanted, found", "tn": "Unwanted, absent"}


def trait_rows(rubric: ResultRubric) -> list[TraitRow]:
    """Rows of all requested traits, ordered by kind; traits without a score have empty rows."""
    origin = {name: ORIGINS.get(where, where) for name, where in (rubric.trait_provenance or {}).items()}
    scales = rubric.trait_scales or {}
    scores = [(kind, name, score) for kind, name, score in _scores(rubric)]
    rows = [_row(rubric, kind, name, score, origin.get(name, "")) for kind, name, score in scores]
    named = {row.name for row in rows}
    return rows + [TraitRow(name, "", origin.get(name, "")) for name in scales if name not in named]


def _scores(rubric: ResultRubric) -> list[tuple[str, str, Any]]:
    """Kind, name, and score of each trait; fields stored as `trait.field` are combined to one score."""
    scores: list[tuple[str, str, Any]] = []
    for section, kind in KINDS.items():
        together: dict[str, Any] = {}
        for key, score in (getattr(rubric, section) or {}).items():
            name, dot, field = key.partition(".")
            if dot:
                together.setdefault(name, {})[field] = score
            elif score is not None:
                together[key] = score
        scores += [(kind, name, score) for name, score in together.items()]
    return scores + [("unknown type", name, score) for name, score in rubric.untyped_scores.items()]


def _row(rubric: ResultRubric, kind: str, name: str, score: Any, origin: str) -> TraitRow:
    scale = (rubric.trait_scales or {}).get(name)
    if kind == METRIC:
        return _mentions(rubric, name, score, origin, scale)
    if scale and scale.type_name:
        kind = scale.type_name.replace("_", " ")
    if isinstance(score, dict):
        return _form(scale, TraitRow(name, kind, origin), score)
    if isinstance(score, bool):
        return TraitRow(name, kind, origin, format_value(score), _is_good(score, scale), _direction(scale))
    label = (rubric.llm_trait_labels or {}).get(name) or _class(scale, score)
    if label:
        return TraitRow(name, kind, origin, label, None, _class_position(scale, score))
    return TraitRow(name, kind, origin, format_value(score), None, scale_in_words(scale))


def _is_good(score: bool, scale: TraitScale | None) -> bool | None:
    """Return True if the score has the better of both values; None: neither is better."""
    if scale is None:
        return score
    return None if scale.higher_is_better is None else score is scale.higher_is_better


def _mentions(
    rubric: ResultRubric, name: str, figures: Mapping[str, Any], origin: str, scale: TraitScale | None
) -> TraitRow:
    lists = (rubric.metric_trait_confusion_lists or {}).get(name) or {}
    return TraitRow(
        name,
        METRIC,
        origin,
        meaning=_direction(scale),
        parts=tuple((_figure(figure), f"{value:.3f}") for figure, value in figures.items()),
        lists=tuple((title, tuple(lists[key])) for key, title in LISTS.items() if key in lists),
    )


def _form(scale: TraitScale | None, row: TraitRow, fields: Mapping[str, Any]) -> TraitRow:
    """Row with the fields of a structured score; lists of texts are kept apart."""
    listed = {name: value for name, value in fields.items() if _is_listed(value)}
    parts = tuple(_field(scale, name, value) for name, value in fields.items() if name not in listed)
    lists = tuple((name.replace("_", " ").capitalize(), tuple(value)) for name, value in listed.items())
    return replace(row, parts=parts, lists=lists)


def _is_listed(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _field(scale: TraitScale | None, name: str, value: Any) -> tuple[str, str]:
    """Name and value of a field with its scale, `4 (from 1 to 5 · a higher score is better)`."""
    own = ((scale.fields if scale else None) or {}).get(name)
    meaning = scale_in_words(own) if own and own.kind == "score" else ""
    return name, f"{format_value(value)} ({meaning})" if meaning and format_value(value) else format_value(value)


def _figure(name: str) -> str:
    return "F1" if name == "f1" else name.capitalize()


def _class(scale: TraitScale | None, score: Any) -> str | None:
    classes = (scale.classes if scale else None) or []
    return classes[score] if isinstance(score, int) and 0 <= score < len(classes) else None


def _class_position(scale: TraitScale | None, score: Any) -> str:
    if score == -1:
        return "no valid class"
    class_text = f"class {score + 1} of {len(scale.classes)}" if scale and scale.classes else f"class {score + 1}"
    return _join(class_text, _direction(scale))


def scale_in_words(scale: TraitScale | None) -> str:
    """Scale in words, `1 to 5 · higher is better`; empty if unknown, or for booleans whose better value is yes."""
    low, high = (scale.min_score, scale.max_score) if scale else (None, None)
    if low is not None and high is not None:
        limits = f"{min(low, high)} to {max(low, high)}"
    else:
        limits = f"at least {low}" if low is not None else f"at most {high}" if high is not None else ""
    return _join(limits, _direction(scale))


def _direction(scale: TraitScale | None) -> str:
    """Better direction in words; empty if it is yes for a boolean, or undefined for a metric."""
    if scale is None or scale.kind == "template" or (scale.kind == "boolean" and scale.higher_is_better):
        return ""
    if scale.kind == "metric" and scale.higher_is_better is None:
        return ""
    direction = directions("metric" if scale.kind == "metric" else "", scale.kind)[scale.higher_is_better]
    return str(direction[:1].lower() + direction[1:])


def _join(*parts: str) -> str:
    return " · ".join(filter(None, parts))
