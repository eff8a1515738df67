"""Validation of the scores from external evaluators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from karenina_gui.rubric.scores import TraitScores
from karenina_gui.schemas.problems import first_problem

SECTION = "other_trait_scores"
"""Result section for the scores of all external trait types."""

_SCORES = TypeAdapter(dict[str, JsonValue])


def check_scores(scores: Any, names: Sequence[str]) -> TraitScores:
    """Scores of these traits. Invalid or missing scores are reported. Raises `TypeError` for another type."""
    if not isinstance(scores, TraitScores):
        raise TypeError(f"it returned {type(scores).__name__} instead of TraitScores")
    given = scores.sections.get(SECTION, {})
    faults = {name: fault for name, fault in scores.faults.items() if name in names}
    kept = TraitScores(problems=list(scores.problems), faults=faults)
    for name in names:
        # A trait with several scores names them `trait.part`.
        own = {key: value for key, value in given.items() if key.partition(".")[0] == name}
        _keep(kept, name, own)
    return kept


def _keep(kept: TraitScores, name: str, own: dict[str, Any]) -> None:
    """Add the scores of one trait, or the reason why it has none."""
    try:
        own = _SCORES.validate_python(own)
    except ValidationError as fault:
        kept.miss([name], f"its evaluation gave a score that can’t be stored ({first_problem(fault)}).")
        return
    for key, value in own.items():
        kept.put(SECTION, key, value)
    # An evaluator that has already explained a missing score is not reported twice.
    if not own and not any(repr(name) in problem for problem in kept.problems):
        kept.miss([name], "its evaluation gave no score.")
