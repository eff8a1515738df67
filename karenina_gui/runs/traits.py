"""Which traits a run evaluates, and what they ask of a judge."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.rubric import Terms
from karenina_gui.runs.agents import investigations
from karenina_gui.schemas.rubric import AgenticRubricTrait, Rubric


@dataclass(frozen=True)
class TraitDemands:
    """What traits take for one answer."""

    calls: int = 0
    """Replies that they ask of a judge; 0: they need none."""
    searches: bool = False
    """Whether passages of any of them are looked up on the web."""
    agentic: tuple[AgenticRubricTrait, ...] = ()
    """Those that an agent investigates."""
    investigations: int = 0
    """How often an agent looks into the answer for them."""
    deep: tuple[str, ...] = ()
    """Names of those that are judged deeply."""
    only_plainly: tuple[str, ...] = ()
    """Names of those that ask to be judged deeply and are not, because the run has it otherwise."""


def trait_demands(rubric: Rubric | None, terms: Terms) -> TraitDemands:
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
