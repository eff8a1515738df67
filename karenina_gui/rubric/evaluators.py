"""Table of trait evaluators. A type besides the built-in ones calls `register`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from karenina_gui.errors import RunCancelled
from karenina_gui.rubric import deep_judgment, llm, llm_template
from karenina_gui.rubric.deep_judgment import evaluate_deeply
from karenina_gui.rubric.llm import evaluate_llm
from karenina_gui.rubric.llm_template import evaluate_llm_templates
from karenina_gui.rubric.metric import evaluate_metric
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import RubricTask
from karenina_gui.rubric.trait_settings import TraitSettings
from karenina_gui.sandbox import RegexSearch, TraitOutcome
from karenina_gui.schemas.problems import first_problem
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
from karenina_gui.schemas.rubric.returned import misfit
from karenina_gui.text import quote_list

log = logging.getLogger(__name__)

OTHER_SECTION = "other_trait_scores"
"""Result section for the scores of all external trait types."""

_SCORES = TypeAdapter(dict[str, JsonValue])
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


def evaluate_regex(traits: Sequence[RegexRubricTrait], task: RubricTask) -> TraitScores:
    """Scores for `regex_trait_scores`: True if the pattern is found, negated by `invert_result`."""
    # In a sandbox cell with a time limit: patterns come from the author, and some backtrack without end.
    searches = [RegexSearch(pattern=trait.pattern, case_sensitive=trait.case_sensitive) for trait in traits]
    scores = TraitScores()
    for trait, outcome in zip(traits, task.sandbox.regex(searches, task.text), strict=True):
        if outcome.error is not None:
            scores.miss([trait.name], outcome.error)
        else:
            scores.put("regex_trait_scores", trait.name, outcome.found != trait.invert_result)
    return scores


def _take_all(_trait: Any, _terms: TraitSettings) -> bool:
    return True


def _no_calls(_traits: Sequence[Any], _terms: TraitSettings) -> int:
    return 0


def _one_call_each(traits: Sequence[Any], _terms: TraitSettings) -> int:
    return len(traits)


@dataclass(frozen=True)
class TraitEvaluator:
    """Evaluator of the traits of one type, or of those that `takes` accepts."""

    trait_type: type
    evaluate: Callable[[Sequence[Any], RubricTask], TraitScores]
    """Scores all its traits. May raise `RunCancelled`; any other exception counts as a failure of its traits."""
    takes: Callable[[Any, TraitSettings], bool] = _take_all
    judge_calls: Callable[[Sequence[Any], TraitSettings], int] = _no_calls
    """Judge calls for one answer, without feedback rounds and retries."""


EVALUATORS: list[TraitEvaluator] = [
    TraitEvaluator(LLMRubricTrait, evaluate_deeply, deep_judgment.is_deep, deep_judgment.calls),
    TraitEvaluator(LLMRubricTrait, evaluate_llm, llm.is_scalar, lambda traits, terms: len(llm.calls(traits, terms))),
    TraitEvaluator(LLMRubricTrait, evaluate_llm_templates, llm_template.is_form, _one_call_each),
    TraitEvaluator(RegexRubricTrait, evaluate_regex),
    TraitEvaluator(CallableRubricTrait, evaluate_callable),
    TraitEvaluator(MetricRubricTrait, evaluate_metric, judge_calls=_one_call_each),
]
"""The first row that takes a trait evaluates it."""


def register(evaluator: TraitEvaluator) -> None:
    """Add a row before all others. It also registers an external trait type for use in rubrics.

    Raises `ValueError` if such a type has no name, or that of another type.
    """
    if issubclass(evaluator.trait_type, OtherRubricTrait):
        add_type(evaluator.trait_type)
    EVALUATORS.insert(0, evaluator)


def evaluate(rubric: Rubric, task: RubricTask) -> TraitScores:
    """Score every trait. A trait without an evaluator, or with a failed one, is reported.

    Agent traits are scored by a stage of their own. Raises `RunCancelled` only.
    """
    scores = TraitScores()
    shares, rest = _assign(rubric.traits, task.terms)
    for evaluator, traits in shares:
        scores.add(_evaluate_safely(evaluator, traits, task))
    rest = [trait for trait in rest if not isinstance(trait, AgenticRubricTrait)]
    for what, names in _names_by_type(rubric, rest).items():
        if names:
            scores.problems.append(_not_rated(what, names))
    for trait in rest:
        if isinstance(trait, OtherRubricTrait):
            why = misfit_of_type(trait.model_dump()) or "Its type has no evaluator."
            scores.miss([trait.name], why)
    return scores


def _not_rated(type_name: str, names: Sequence[str]) -> str:
    reason = (
        "Dynamic traits apply only to answers that mention their subject. They are preserved in files, but can’t be "
        "rated here."
        if type_name == "dynamic"
        else "No evaluator takes traits of this type."
    )
    return f"Not rated: {quote_list(names)}. {reason}"


def _names_by_type(rubric: Rubric, rest: Sequence[Trait]) -> dict[str, list[str]]:
    """Names of the traits without an evaluator, by built-in type, and those of the dynamic rubric."""
    names = {name: [trait.name for trait in rest if type(trait) is kind] for name, kind in TRAIT_TYPES.items()}
    return {**names, "dynamic": rubric.dynamic.names if rubric.dynamic else []}


def judge_calls(rubric: Rubric, terms: TraitSettings) -> int:
    """Number of judge calls for the traits of one answer, without feedback rounds and retries.

    An agent trait counts as one, for the extraction of its score; the calls of its agent are not included.
    """
    shares, rest = _assign(rubric.traits, terms)
    read = sum(isinstance(trait, AgenticRubricTrait) for trait in rest)
    return read + sum(evaluator.judge_calls(traits, terms) for evaluator, traits in shares)


def _assign(
    traits: Sequence[Trait], terms: TraitSettings
) -> tuple[list[tuple[TraitEvaluator, list[Trait]]], list[Trait]]:
    """Evaluators with their traits, in the table's order, and the traits without an evaluator."""
    rest = list(traits)
    shares = []
    for evaluator in EVALUATORS:
        # Exact types, because a plug-in may derive its type from a built-in one.
        taken = [trait for trait in rest if type(trait) is evaluator.trait_type and evaluator.takes(trait, terms)]
        # By identity, because two traits may be equal.
        rest = [trait for trait in rest if not any(trait is other for other in taken)]
        if taken:
            shares.append((evaluator, taken))
    return shares, rest


def _evaluate_safely(evaluator: TraitEvaluator, traits: Sequence[Trait], task: RubricTask) -> TraitScores:
    try:
        scores = evaluator.evaluate(traits, task)
        if issubclass(evaluator.trait_type, OtherRubricTrait):
            scores = check_scores(scores, [trait.name for trait in traits])
        return scores
    except RunCancelled:
        raise
    except Exception as error:  # a failed evaluator costs the scores of its traits, not the result
        log.exception("The evaluation of %s failed", evaluator.trait_type.__name__)
        scores = TraitScores()
        why = f"its evaluation stopped unexpectedly: {error}"
        scores.miss([trait.name for trait in traits], why, "unexpected_error")
        return scores


def check_scores(scores: Any, names: Sequence[str]) -> TraitScores:
    """Scores of these traits. Invalid or missing scores are reported. Raises `TypeError` for another type."""
    if not isinstance(scores, TraitScores):
        raise TypeError(f"it returned {type(scores).__name__} instead of TraitScores")
    untyped = scores.sections.get(OTHER_SECTION, {})
    faults = {name: fault for name, fault in scores.faults.items() if name in names}
    checked = TraitScores(problems=list(scores.problems), faults=faults)
    for name in names:
        # A trait with several scores names them `trait.part`.
        own = {key: value for key, value in untyped.items() if key.partition(".")[0] == name}
        _keep(checked, name, own)
    return checked


def _keep(checked: TraitScores, name: str, own: dict[str, Any]) -> None:
    """Add the scores of one trait, or the reason why it has none."""
    try:
        own = _SCORES.validate_python(own)
    except ValidationError as fault:
        checked.miss([name], f"its evaluation gave a score that can’t be stored ({first_problem(fault)}).")
        return
    for key, value in own.items():
        checked.put(OTHER_SECTION, key, value)
    # An evaluator that has already explained a missing score is not reported twice.
    if not own and not any(repr(name) in problem for problem in checked.problems):
        checked.miss([name], "its evaluation gave no score.")
