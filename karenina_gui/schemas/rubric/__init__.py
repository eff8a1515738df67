"""Rubrics: qualities of an answer beyond its correctness, as named traits of five types.

One trait type is one file here and one row of `TRAIT_TYPES`.
"""

from karenina_gui.schemas.rubric.agentic import AgenticRubricTrait
from karenina_gui.schemas.rubric.callable import CallableRubricTrait
from karenina_gui.schemas.rubric.llm import LLMRubricTrait
from karenina_gui.schemas.rubric.merge import merge_rubrics
from karenina_gui.schemas.rubric.metric import MetricRubricTrait
from karenina_gui.schemas.rubric.regex import RegexRubricTrait
from karenina_gui.schemas.rubric.rubric import TRAIT_TYPES, DynamicRubric, Rubric, Trait

__all__ = [
    "TRAIT_TYPES",
    "AgenticRubricTrait",
    "CallableRubricTrait",
    "DynamicRubric",
    "LLMRubricTrait",
    "MetricRubricTrait",
    "RegexRubricTrait",
    "Rubric",
    "Trait",
    "merge_rubrics",
]
