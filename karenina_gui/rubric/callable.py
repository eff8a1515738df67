"""Callable traits: a function of the author scores the text in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import RubricTask
from karenina_gui.sandbox import TraitOutcome
from karenina_gui.schemas.rubric import CallableRubricTrait
from karenina_gui.schemas.rubric.returned import misfit

COMPILED = (
    "its function was saved in a compiled form (a pickle), which is kept as it is and never opened or run. Open the "
    "trait in its rubric and write the function as Python source: def evaluate(text): and return the outcome."
)


def evaluate_callable(traits: Sequence[CallableRubricTrait], task: RubricTask) -> TraitScores:
    """Scores for `callable_trait_scores`: boolean (negated by `invert_result`), number, or class index.

    A value outside the trait's kind and range gives no score.
    """
    scores = TraitScores()
    for trait in traits:
        # Unpickling a function would run any code that the file contains.
        if trait.source is None:
            scores.miss([trait.name], COMPILED)
            continue
        (outcome,) = task.sandbox.trait(trait.source, [task.text], trust=task.trusted)
        if outcome.error is not None:
            scores.miss([trait.name], _error_message(outcome))
        elif problem := misfit(trait.model_dump(), outcome.value):
            scores.miss([trait.name], problem)
        else:
            scores.put("callable_trait_scores", trait.name, _score(trait, outcome.value))
    return scores


def _score(trait: CallableRubricTrait, value: Any) -> Any:
    if trait.kind == "boolean":
        return value != trait.invert_result
    if trait.kind == "literal" and isinstance(value, str):
        return list(trait.classes or ()).index(value)
    return value


def _error_message(outcome: TraitOutcome) -> str:
    where = f"line {outcome.line} of its function stopped with " if outcome.line else ""
    return f"{where}{outcome.error}"
