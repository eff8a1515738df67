"""Import path of the specification for questions, templates and traits.

The classes are in `karenina_gui.schemas`; these names let code that was written against `schemas.entities` run here.
"""

from karenina_gui.schemas.answer import BaseAnswer
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import (
    AgenticRubricTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
)
from karenina_gui.schemas.verified_field import VerifiedField

__all__ = [
    "AgenticRubricTrait",
    "BaseAnswer",
    "CallableRubricTrait",
    "LLMRubricTrait",
    "MetricRubricTrait",
    "Question",
    "RegexRubricTrait",
    "Rubric",
    "VerifiedField",
]
