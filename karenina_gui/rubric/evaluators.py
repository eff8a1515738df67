"""The table of evaluators: a new type of trait is one file and one row here, or one call of `register`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from karenina_gui.errors import RunCancelled
from karenina_gui.rubric import deep_judgment, llm, llm_template
from karenina_gui.rubric.callable import evaluate_callable
from karenina_gui.rubric.deep_judgment import evaluate_deeply
from karenina_gui.rubric.llm import evaluate_llm
from karenina_gui.rubric.llm_template import evaluate_llm_templates
from karenina_gui.rubric.metric import evaluate_metric
from karenina_gui.rubric.other import checked
from karenina_gui.rubric.regex import evaluate_regex
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import RubricTask
from karenina_gui.rubric.terms import Terms
from karenina_gui.schemas.rubric import (
    TRAIT_TYPES,
    AgenticRubricTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    OtherRubricTrait,
    RegexRubricTrait,
    Rubric,
    Trait,
    add_type,
    misfit_of_type,
)

log = logging.getLogger(__name__)


def _any(_trait: Any, _terms: Terms) -> bool:
    return True


def _none(_traits: Sequence[Any], _terms: Terms) -> int:
    return 0


def _one_each(traits: Sequence[Any], _terms: Terms) -> int:
    return len(traits)


@dataclass(frozen=True)
class TraitEvaluator:
    """Scores traits of one type, or those of the type that it takes."""

    trait_type: type
    evaluate: Callable[[Sequence[Any], RubricTask], TraitScores]
    """All of its traits at once. Raises nothing but `RunCancelled` on purpose."""
    takes: Callable[[Any, Terms], bool] = _any
    judge_calls: Callable[[Sequence[Any], Terms], int] = _none
    """Replies that it asks of the judge for one answer, apart from feedback and retries."""


EVALUATORS: list[TraitEvaluator] = [
    TraitEvaluator(LLMRubricTrait, evaluate_deeply, deep_judgment.is_deep, deep_judgment.calls),
    TraitEvaluator(LLMRubricTrait, evaluate_llm, llm.is_scalar, lambda traits, terms: len(llm.calls(traits, terms))),
    TraitEvaluator(LLMRubricTrait, evaluate_llm_templates, llm_template.is_form, _one_each),
    TraitEvaluator(RegexRubricTrait, evaluate_regex),
    TraitEvaluator(CallableRubricTrait, evaluate_callable),
    TraitEvaluator(MetricRubricTrait, evaluate_metric, judge_calls=_one_each),
]
"""The first row that takes a trait has it: no other loses its traits by that."""


def register(evaluator: TraitEvaluator) -> None:
    """Adds a row before all others; with that, a trait type from outside can be put into rubrics.

    Errors: `ValueError` where such a type has no name, or that of another type.
    """
    if issubclass(evaluator.trait_type, OtherRubricTrait):
        add_type(evaluator.trait_type)
    EVALUATORS.insert(0, evaluator)


def evaluate(rubric: Rubric, task: RubricTask) -> TraitScores:
    """Score every trait; one without an evaluator, or whose evaluator broke, is named, never silently left out.

    Agentic traits are no matter of this: a stage of their own scores them. Errors: `RunCancelled` only.
    """
    scores = TraitScores()
    shares, left = _shared_out(rubric.traits, task.terms)
    for evaluator, traits in shares:
        scores.add(_contained(evaluator, traits, task))
    left = [trait for trait in left if not isinstance(trait, AgenticRubricTrait)]
    of_types = {name: [trait.name for trait in left if type(trait) is kind] for name, kind in TRAIT_TYPES.items()}
    of_types["dynamic"] = rubric.dynamic.names if rubric.dynamic else []
    for what, names in of_types.items():
        if names:
            listed = ", ".join(map(repr, names))
            scores.problems.append(f"Not evaluated in this version ({what} traits): {listed}.")
    for trait in left:
        if isinstance(trait, OtherRubricTrait):
            why = misfit_of_type(trait.model_dump()) or "Its type has no evaluator."
            scores.miss([trait.name], why[:1].lower() + why[1:])
    return scores


def judge_calls(rubric: Rubric, terms: Terms) -> int:
    """Replies that the traits ask of a judge for one answer, apart from feedback and retries; 0: they need none.

    Of an agentic trait, the one in which its score is read; what its agent asks comes on top.
    """
    shares, left = _shared_out(rubric.traits, terms)
    read = sum(isinstance(trait, AgenticRubricTrait) for trait in left)
    return read + sum(evaluator.judge_calls(traits, terms) for evaluator, traits in shares)


def _shared_out(traits: Sequence[Trait], terms: Terms) -> tuple[list[tuple[TraitEvaluator, list[Trait]]], list[Trait]]:
    """Each evaluator with its traits, in the table's order; and the traits that nobody takes."""
    left = list(traits)
    shares = []
    for evaluator in EVALUATORS:
        taken = [trait for trait in left if type(trait) is evaluator.trait_type and evaluator.takes(trait, terms)]
        left = [trait for trait in left if not any(trait is each for each in taken)]
        if taken:
            shares.append((evaluator, taken))
    return shares, left


def _contained(evaluator: TraitEvaluator, traits: Sequence[Trait], task: RubricTask) -> TraitScores:
    try:
        scores = evaluator.evaluate(traits, task)
        if issubclass(evaluator.trait_type, OtherRubricTrait):
            scores = checked(scores, [trait.name for trait in traits])
        return scores
    except RunCancelled:
        raise
    except Exception as error:
        log.exception("The evaluation of %s failed", evaluator.trait_type.__name__)
        scores = TraitScores()
        why = f"its evaluation stopped unexpectedly: {error}"
        scores.miss([trait.name for trait in traits], why, "unexpected_error")
        return scores
