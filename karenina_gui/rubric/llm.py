"""LLM traits of a scalar kind: a judge gives a boolean, a score, or a class.

In batch mode one call serves all traits, with a second call for traits whose judge sees the reference answer, because
no other judge may see it. In sequential mode each trait has its own call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karenina_gui.rubric.prompts import rating_messages
from karenina_gui.rubric.reply_form import ReplyForm, in_own_words, nullable, property_names
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import NoReply, RubricTask
from karenina_gui.rubric.trait_settings import TraitSettings
from karenina_gui.schemas.rubric import AgenticRubricTrait, LLMRubricTrait
from karenina_gui.text.canonical import canonical

ScalarTrait = LLMRubricTrait | AgenticRubricTrait

INVALID_CLASS = -1
"""Score of a literal trait whose class is unknown. Its label is the judge's text."""


def evaluate_llm(traits: Sequence[LLMRubricTrait], task: RubricTask) -> TraitScores:
    """Scores for `llm_trait_scores`: boolean, score, or class index.

    `INVALID_CLASS` is the index of an unknown class. Also sets `llm_trait_labels`, the names of the classes. A trait
    that the judge left null or out has no score.
    """
    scores = TraitScores()
    for group in calls(traits, task.terms):
        scores.add(_rate(group, task))
    return scores


def calls(traits: Sequence[LLMRubricTrait], terms: TraitSettings) -> list[list[LLMRubricTrait]]:
    """Traits by call. In each call either all traits see the reference answer or none does."""
    if terms.config.rubric_evaluation_strategy == "sequential":
        return [[trait] for trait in traits]
    # The reference answer must not reach the judge of any other trait.
    groups = [[trait for trait in traits if trait.include_ground_truth is seen] for seen in (False, True)]
    return [group for group in groups if group]


def is_scalar(trait: LLMRubricTrait, _terms: TraitSettings) -> bool:
    """True for scalar kinds; a dict describes a structured score."""
    return isinstance(trait.kind, str)


def reference_for(trait: LLMRubricTrait, task: RubricTask, scores: TraitScores) -> str | None:
    """Reference answer if the trait's judge may see it. A missing one is reported."""
    if not trait.include_ground_truth:
        return None
    if not (task.raw_answer or "").strip():
        scores.problems.append(
            f"The trait {trait.name!r} was judged without a reference answer: the question has none."
        )
        return None
    return task.raw_answer


def _rate(traits: list[LLMRubricTrait], task: RubricTask) -> TraitScores:
    """Rate traits in one call."""
    scores = TraitScores()
    by_property = dict(zip(property_names(trait.name for trait in traits), traits, strict=True))
    references = [reference_for(trait, task, scores) for trait in traits] if task.judge else [None]
    values = task.ask(rating_messages(task, by_property, references[0]), rating_form(by_property))
    if isinstance(values, NoReply):
        why = in_own_words(values.why, {name: trait.name for name, trait in by_property.items()})
        scores.miss([trait.name for trait in traits], why, values.category)
    else:
        read(by_property, values, scores)
    return scores


def rating_form(traits: Mapping[str, LLMRubricTrait]) -> ReplyForm:
    """Response schema for scalar traits by property name."""
    return ReplyForm("Traits", {name: _schema(trait) for name, trait in traits.items()})


def read(traits: Mapping[str, LLMRubricTrait], values: Mapping[str, Any], scores: TraitScores) -> None:
    """Take scores and labels from a judge's values. Traits without a value are reported."""
    scores.miss([trait.name for name, trait in traits.items() if values.get(name) is None], "the judge gave no value.")
    for name, trait in traits.items():
        if (value := values.get(name)) is not None:
            _put_score(trait, value, scores)


def _schema(trait: LLMRubricTrait) -> dict[str, Any]:
    plain: dict[str, dict[str, Any]] = {
        "boolean": {"type": "boolean"},
        "score": {"type": "integer"},
        "literal": {"type": "string", "enum": list(trait.classes or ())},
    }
    return nullable({**plain[str(trait.kind)], "description": trait.name})


def reading(trait: ScalarTrait, value: Any) -> ParsedScore:
    """Score of a scalar trait for a judge's value."""
    return {"boolean": _yes_or_no, "score": _score, "literal": _class}[str(trait.kind)](trait, value)


def _put_score(trait: LLMRubricTrait, value: Any, scores: TraitScores) -> None:
    parsed = reading(trait, value)
    if parsed.problem is not None:
        scores.problems.append(parsed.problem)
    if parsed.score is not None:
        scores.put("llm_trait_scores", trait.name, parsed.score)
    if parsed.label is not None:
        scores.put("llm_trait_labels", trait.name, parsed.label)


@dataclass(frozen=True)
class ParsedScore:
    """Score, or `problem` as a sentence. `score` None: the value is invalid for the trait."""

    score: bool | int | None = None
    label: str | None = None
    problem: str | None = None


def _yes_or_no(trait: ScalarTrait, value: Any) -> ParsedScore:
    if isinstance(value, str):
        value = {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().casefold(), value)
    return ParsedScore(value) if isinstance(value, bool) else _misread(trait, value, "neither true nor false")


def _score(trait: ScalarTrait, value: Any) -> ParsedScore:
    """Whole number. One outside of the trait's range is reported, and counts as missing in every mean."""
    number = _as_integer(value)
    if number is None:
        return _misread(trait, value, "not a whole number")
    low, high = sorted((trait.min_score, trait.max_score))
    if low <= number <= high:
        return ParsedScore(number)
    problem = f"The judge scored the trait {trait.name!r} {number}, outside of {low} to {high}. It counts as missing."
    return ParsedScore(number, problem=problem)


def _as_integer(value: Any) -> int | None:
    # At most nine digits, because `int` raises an error for extremely long ones.
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,9}\s*", value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == int(value) else None


def _class(trait: ScalarTrait, value: Any) -> ParsedScore:
    names = list(trait.classes or ())
    text = str(value)
    for index, name in enumerate(names):
        # Judges change the case of class names and their accents' form, and add spaces.
        if canonical(name).strip().casefold() == canonical(text).strip().casefold():
            return ParsedScore(index, name)
    problem = (
        f"The judge chose the class {text!r:.80} for the trait {trait.name!r}, which isn’t one of its classes "
        f"({', '.join(names)}). Its score is {INVALID_CLASS}."
    )
    return ParsedScore(INVALID_CLASS, text, problem)


def _misread(trait: ScalarTrait, value: Any, what: str) -> ParsedScore:
    return ParsedScore(
        problem=f"The trait {trait.name!r} has no score: the judge replied {value!r:.80}, which is {what}."
    )
