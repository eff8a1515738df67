"""`from karenina_gui.schemas.entities.rubric import ...`, the path that the specification names for traits."""

from karenina_gui.schemas.rubric import (
    AgenticRubricTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)

__all__ = [
    "AgenticRubricTrait",
    "CallableRubricTrait",
    "LLMRubricTrait",
    "MetricRubricTrait",
    "RegexRubricTrait",
    "Rubric",
]
