"""Which traits a run evaluates in this version."""

from __future__ import annotations

from karenina_gui.rubric import EVALUATORS
from karenina_gui.schemas.rubric import TRAIT_TYPES


def evaluated_trait_types() -> frozenset[str]:
    """Short names (`regex`, `llm`, …) of the types that have an evaluator; the others are reported, not scored."""
    return frozenset(name for name, kind in TRAIT_TYPES.items() if kind in EVALUATORS)
