"""Table of the built-in trait types."""

from __future__ import annotations

from karenina_gui.schemas.rubric.agentic import AgenticRubricTrait
from karenina_gui.schemas.rubric.callable import CallableRubricTrait
from karenina_gui.schemas.rubric.llm import LLMRubricTrait
from karenina_gui.schemas.rubric.metric import MetricRubricTrait
from karenina_gui.schemas.rubric.regex import RegexRubricTrait

BuiltInTrait = LLMRubricTrait | RegexRubricTrait | CallableRubricTrait | MetricRubricTrait | AgenticRubricTrait

TRAIT_TYPES: dict[str, type[BuiltInTrait]] = {
    "llm": LLMRubricTrait,
    "regex": RegexRubricTrait,
    "callable": CallableRubricTrait,
    "metric": MetricRubricTrait,
    "agentic": AgenticRubricTrait,
}
"""{short name: class}; a rubric keeps the traits of a type in its field `<short name>_traits`."""

OTHER_TRAITS = "other_traits"
"""Field in which a rubric keeps the traits of all types from outside the package."""

TRAIT_FIELDS = (*(f"{name}_traits" for name in TRAIT_TYPES), OTHER_TRAITS)
"""All lists of a rubric."""


def field_of(type_name: str) -> str:
    """Field in which a rubric keeps traits of this type."""
    return f"{type_name}_traits" if type_name in TRAIT_TYPES else OTHER_TRAITS
