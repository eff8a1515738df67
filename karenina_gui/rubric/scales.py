"""Scales of traits at the time of a result, because the trait itself may be edited later."""

from __future__ import annotations

from typing import Any

from karenina_gui.rubric.llm_template import BOUNDS, DIRECTION
from karenina_gui.schemas.result import TraitScale
from karenina_gui.schemas.rubric import (
    AgenticRubricTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    OtherRubricTrait,
    Rubric,
    Trait,
)


def scales(rubric: Rubric) -> dict[str, TraitScale]:
    """Scale by trait, scored or not."""
    return {trait.name: _scale(trait) for trait in rubric.traits}


def _scale(trait: Trait) -> TraitScale:
    if isinstance(trait, OtherRubricTrait):
        return trait.score_scale().model_copy(update={"type_name": trait.type_name})
    if isinstance(trait, MetricRubricTrait):
        return TraitScale(kind="metric", higher_is_better=trait.higher_is_better)
    if not isinstance(trait, LLMRubricTrait | CallableRubricTrait | AgenticRubricTrait):
        return TraitScale(kind="boolean", higher_is_better=trait.higher_is_better)
    if isinstance(trait.kind, dict):
        return TraitScale(kind="template", fields=_field_scales(trait.kind) or None)
    ranged = trait.kind == "score"
    return TraitScale(
        kind=trait.kind,
        higher_is_better=trait.higher_is_better,
        min_score=trait.min_score if ranged else None,
        max_score=trait.max_score if ranged else None,
        classes=list(trait.classes or ()) if trait.kind == "literal" else None,
    )


def _field_scales(kind: dict[str, Any]) -> dict[str, TraitScale]:
    """Scales of fields with a range or direction (`minimum`, `maximum`, `higher_is_better` in their schema)."""
    scales = {name: _field_scale(field) for name, field in kind["schema"]["properties"].items()}
    return {name: scale for name, scale in scales.items() if scale is not None}


def _field_scale(field: dict[str, Any]) -> TraitScale | None:
    if field.get("type") not in ("integer", "number", "boolean") or not {*BOUNDS, DIRECTION} & field.keys():
        return None
    # Result files store the bounds of a scale as integers.
    low, high = (_as_integer(field.get(bound)) for bound in BOUNDS)
    better = field.get(DIRECTION)
    return TraitScale(
        kind="boolean" if field["type"] == "boolean" else "score",
        higher_is_better=better if isinstance(better, bool) else None,
        min_score=low,
        max_score=high,
    )


def _as_integer(bound: Any) -> int | None:
    whole = isinstance(bound, int | float) and not isinstance(bound, bool) and bound == int(bound)
    return int(bound) if whole else None
