"""Sentences about variance components, for quotation by domain experts."""

from __future__ import annotations

from collections.abc import Sequence

from karenina_gui.analysis.estimate import VarianceComponents
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_text import reason_sentence, scores_of, with_configurations
from karenina_gui.analysis.thresholds import (
    MIN_QUESTIONS_FOR_VARIANCE,
)
from karenina_gui.text import percent, quantity

PARTS = {
    "question": "between questions",
    "interaction": "from questions that suit one configuration better",
    "answer": "between answers to the same question",
    "judge": "between judgments of the same answer",
}
REMEDIES = {
    "question": "More questions make the result more precise; more replicates hardly help.",
    "interaction": "More questions make comparisons more precise; more replicates hardly help.",
    "answer": "More replicates of each question make the result more precise.",
    "judge": "A clearer rubric, a better judge, or more judgments of each answer make the result more precise.",
}
PART_REMEDIES = {
    "question": "Its effect on the result shrinks with more questions, not with more replicates.",
    "interaction": "Its effect on comparisons shrinks with more questions, not with more replicates.",
    "answer": "Its effect on the result shrinks with more replicates of each question, and with more questions.",
    "judge": "Its effect shrinks with a clearer rubric, a better judge, or more judgments of each answer.",
}
"""Advice on a single component, however large."""


def describe_components(components: VarianceComponents, metric: Metric, labels: Sequence[str]) -> str:
    """Sentence about variance components: their shares, and how to increase precision; `labels`: all arms."""
    parts = _known_components(components)
    scores, on = scores_of(metric), f"{quantity(components.n, 'question')} {with_configurations(labels)}"
    if not parts:
        reason = reason_sentence(next(iter(components.why.values()), ""))
        return f"The sources of variance in {scores} on {on} cannot be estimated.{reason}"
    unknown = "".join(reason_sentence(components.why.get(part, "")) for part in PARTS if part not in parts)
    if components.total <= 0:
        return f"On {on}, {scores} do not vary, apart from mean differences between configurations.{unknown}"
    largest = max(parts, key=lambda part: parts[part])
    names = component_names(components)
    shares = ", ".join(f"{percent(variance / components.total)} {names[part]}" for part, variance in parts.items())
    alone = "More questions make the result more precise; one question says nothing about others."
    remedy = alone if components.n < 2 else component_remedy(components, largest)
    few = f" With fewer than {MIN_QUESTIONS_FOR_VARIANCE} questions, these shares are rough estimates."
    rough = few if components.n < MIN_QUESTIONS_FOR_VARIANCE else ""
    return f"Sources of variance in {scores} on {on}: {shares}. {remedy}{rough}{unknown}"


def _known_components(components: VarianceComponents) -> dict[str, float]:
    """Return the components that are known, in the order of `PARTS`."""
    every = {part: getattr(components, part) for part in PARTS}
    return {part: variance for part, variance in every.items() if variance is not None}


def component_names(components: VarianceComponents) -> dict[str, str]:
    """Return the name of each component; the one that includes answers without repeats says so."""
    if components.answer is not None:
        return PARTS
    home = "question" if components.interaction is None else "interaction"
    return PARTS | {home: f"{PARTS[home]} and between answers to the same question (not separable)"}


def component_remedy(components: VarianceComponents, part: str) -> str:
    """Return the sentence about how to increase precision if this component is the largest."""
    if _is_separable(components, part):
        return REMEDIES[part]
    return (
        "More questions make the result more precise; the effect of more replicates cannot be estimated from these "
        "data."
    )


def part_remedy(components: VarianceComponents, part: str) -> str:
    """Return the sentence about how to reduce the effect of this component, be it the largest or not."""
    if _is_separable(components, part):
        return PART_REMEDIES[part]
    return "Its effect on the result shrinks with more questions. These data do not show the effect of more replicates."


def _is_separable(components: VarianceComponents, part: str) -> bool:
    return components.answer is not None or part == "judge"
