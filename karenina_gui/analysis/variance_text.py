"""Sentences about variance components, for quotation by domain experts."""

from __future__ import annotations

from collections.abc import Sequence

from karenina_gui.analysis.estimate import VarianceComponents
from karenina_gui.analysis.metrics import Metric
from karenina_gui.analysis.report_sentences import (
    ALONE,
    COMPONENTS,
    NOT_SEPARABLE,
    PART_REMEDIES,
    PART_UNTOLD,
    PARTS,
    REMEDIES,
    ROUGH_SHARES,
    UNTOLD,
    ComponentsCase,
)
from karenina_gui.analysis.report_text import reason_sentence, scores_of, with_configurations
from karenina_gui.analysis.thresholds import (
    MIN_QUESTIONS_FOR_VARIANCE,
)
from karenina_gui.text import percent, quantity


def describe_components(components: VarianceComponents, metric: Metric, labels: Sequence[str]) -> str:
    """Sentence about variance components: their shares, and how to increase precision; `labels`: all arms."""
    known = known_components(components)
    parts = {
        "scores": scores_of(metric),
        "on": f"{quantity(components.n, 'question')} {with_configurations(labels)}",
        "unknown": "".join(reason_sentence(components.why.get(part, "")) for part in PARTS if part not in known),
    }
    case = components_case(components)
    if case == "unknown":
        return COMPONENTS[case].format(**parts | {"unknown": reason_sentence(next(iter(components.why.values()), ""))})
    if case == "constant":
        return COMPONENTS[case].format(**parts)
    shares = {part: variance / components.total for part, variance in known.items()}
    largest = max(shares, key=lambda part: shares[part])
    names = component_names(components)
    return COMPONENTS[case].format(
        **parts,
        shares=", ".join(f"{percent(share)} {names[part]}" for part, share in shares.items()),
        remedy=ALONE if components.n < 2 else component_remedy(components, largest),
        rough=ROUGH_SHARES if components.n < MIN_QUESTIONS_FOR_VARIANCE else "",
    )


def known_components(components: VarianceComponents) -> dict[str, float]:
    """Return the components that are known, in the order of `PARTS`."""
    every = {part: getattr(components, part) for part in PARTS}
    return {part: variance for part, variance in every.items() if variance is not None}


def components_case(components: VarianceComponents) -> ComponentsCase:
    """Decide what can be said about variance components."""
    if not known_components(components):
        return "unknown"
    return "constant" if components.total <= 0 else "shares"


def component_names(components: VarianceComponents) -> dict[str, str]:
    """Return the name of each component; the one that includes answers without repeats says so."""
    if components.answer is not None:
        return PARTS
    home = "question" if components.interaction is None else "interaction"
    return PARTS | {home: NOT_SEPARABLE.format(part=PARTS[home])}


def component_remedy(components: VarianceComponents, part: str) -> str:
    """Return the sentence about how to increase precision if this component is the largest."""
    return REMEDIES[part] if _is_separable(components, part) else UNTOLD


def part_remedy(components: VarianceComponents, part: str) -> str:
    """Return the sentence about how to reduce the effect of this component, be it the largest or not."""
    return PART_REMEDIES[part] if _is_separable(components, part) else PART_UNTOLD


def _is_separable(components: VarianceComponents, part: str) -> bool:
    return components.answer is not None or part == "judge"
