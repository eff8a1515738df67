"""What a trait's scores mean, as a result keeps it: the trait itself may be edited later."""

from __future__ import annotations

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
    """{trait: scale}, of all traits, scored or not."""
    return {trait.name: _scale(trait) for trait in rubric.traits}


def _scale(trait: Trait) -> TraitScale:
    if isinstance(trait, OtherRubricTrait):
        return trait.score_scale().model_copy(update={"type_name": trait.type_name})
    if isinstance(trait, MetricRubricTrait):
        return TraitScale(kind="metric", higher_is_better=trait.higher_is_better)
    if not isinstance(trait, LLMRubricTrait | CallableRubricTrait | AgenticRubricTrait):
        return TraitScale(kind="boolean", higher_is_better=trait.higher_is_better)
    if isinstance(trait.kind, dict):
        return TraitScale(kind="template")
    ranged = trait.kind == "score"
    return TraitScale(
        kind=trait.kind,
        higher_is_better=trait.higher_is_better,
        min_score=trait.min_score if ranged else None,
        max_score=trait.max_score if ranged else None,
        classes=list(trait.classes or ()) if trait.kind == "literal" else None,
    )
