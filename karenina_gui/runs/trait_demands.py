"""Traits that a run evaluates, and the calls that they need."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.rubric import TraitSettings
from karenina_gui.runs.agent_safety import investigations
from karenina_gui.schemas.rubric import AgenticRubricTrait, Rubric


@dataclass(frozen=True)
class TraitDemands:
    """Calls and options of the traits of one answer."""

    calls: int = 0
    """Judge calls; 0: none."""
    searches: bool = False
    """True if quotes of any of them are checked by web search."""
    agentic: tuple[AgenticRubricTrait, ...] = ()
    """Agent traits."""
    investigations: int = 0
    """Agent investigations."""
    deep: tuple[str, ...] = ()
    """Names of traits with deep judgment."""
    only_plainly: tuple[str, ...] = ()
    """Names of traits that request deep judgment but do not get it because of the run's settings."""


def trait_demands(rubric: Rubric | None, terms: TraitSettings) -> TraitDemands:
    if rubric is None:
        return TraitDemands()
    from karenina_gui.rubric import judge_calls

    names = terms.config.rubric_trait_names
    rated = rubric if names is None else rubric.only(names)
    depths = {trait.name: depth for trait in rated.llm_traits if (depth := terms.depth(trait))}
    asking = [trait.name for trait in rated.llm_traits if trait.deep_judgment_enabled]
    return TraitDemands(
        judge_calls(rated, terms),
        any(depth.search for depth in depths.values()),
        tuple(rated.agentic_traits),
        investigations(rated.agentic_traits, terms.config),
        deep=tuple(depths),
        only_plainly=tuple(name for name in asking if name not in depths),
    )
