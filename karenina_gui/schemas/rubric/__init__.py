"""Rubrics: qualities of an answer beyond correctness, as named traits of five built-in types and external ones.

The built-in types are those of upstream's files. Any other is a class based on `OtherRubricTrait`, in one file with its
evaluator, which that file registers (`karenina_gui.rubric.register`), as the guide shows.
"""

from karenina_gui.schemas.rubric.agentic import AgenticRubricTrait
from karenina_gui.schemas.rubric.callable import CallableRubricTrait
from karenina_gui.schemas.rubric.llm import LLMRubricTrait
from karenina_gui.schemas.rubric.methodology import methodology_judge
from karenina_gui.schemas.rubric.metric import MetricRubricTrait
from karenina_gui.schemas.rubric.other import (
    KeptRubricTrait,
    OtherRubricTrait,
    add_type,
    misfit_of_type,
    other_types,
    trait_of,
    trait_type,
)
from karenina_gui.schemas.rubric.regex import RegexRubricTrait
from karenina_gui.schemas.rubric.rubric import DynamicRubric, Rubric, Trait, merge_rubrics
from karenina_gui.schemas.rubric.types import OTHER_TRAITS, TRAIT_FIELDS, TRAIT_TYPES, field_of

__all__ = [
    "OTHER_TRAITS",
    "TRAIT_FIELDS",
    "TRAIT_TYPES",
    "AgenticRubricTrait",
    "CallableRubricTrait",
    "DynamicRubric",
    "KeptRubricTrait",
    "LLMRubricTrait",
    "MetricRubricTrait",
    "OtherRubricTrait",
    "RegexRubricTrait",
    "Rubric",
    "Trait",
    "add_type",
    "field_of",
    "merge_rubrics",
    "methodology_judge",
    "misfit_of_type",
    "other_types",
    "trait_of",
    "trait_type",
]
