"""Trait evaluators: one file a trait type, one row in the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from karenina_gui.rubric.regex import evaluate_regex
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.rubric import RegexRubricTrait, Rubric


@dataclass
class TraitScores:
    """`by_type` holds fields of `ResultRubric`; `problems` names traits without a score, and why."""

    by_type: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


Evaluator = Callable[[list[Any], str, Sandbox], tuple[dict[str, Any], list[str]]]

EVALUATORS: dict[type, tuple[str, Evaluator]] = {
    RegexRubricTrait: ("regex_trait_scores", evaluate_regex),
}


def evaluate(rubric: Rubric, text: str, sandbox: Sandbox) -> TraitScores:
    """Score every trait on `text`; a trait of a type without an evaluator is reported, never silently left out."""
    scores = TraitScores()
    by_type: dict[type, list[Any]] = {}
    for trait in rubric.traits:
        by_type.setdefault(type(trait), []).append(trait)
    for kind, traits in by_type.items():
        if kind not in EVALUATORS:
            names = ", ".join(repr(trait.name) for trait in traits)
            scores.problems.append(f"Not evaluated in this version ({kind.__name__}): {names}.")
            continue
        section, evaluator = EVALUATORS[kind]
        scores.by_type[section], problems = evaluator(traits, text, sandbox)
        scores.problems += problems
    return scores
