"""Which traits a run evaluates, and what they ask of a judge."""

from __future__ import annotations

from karenina_gui.rubric import EVALUATORS, Terms, judge_calls
from karenina_gui.schemas.rubric import TRAIT_TYPES, Rubric, other_types


def evaluated_trait_types() -> frozenset[str]:
    """Short names (`regex`, `llm`, …) of the types that have an evaluator; the others are reported, not scored."""
    types = {**TRAIT_TYPES, **other_types()}
    evaluated = {evaluator.trait_type for evaluator in EVALUATORS}
    return frozenset(name for name, kind in types.items() if kind in evaluated)


def trait_calls(rubric: Rubric | None, terms: Terms) -> int:
    """Replies that these traits ask of a judge for one answer; 0: they need none."""
    if rubric is None:
        return 0
    names = terms.config.rubric_trait_names
    return judge_calls(rubric if names is None else rubric.only(names), terms)
