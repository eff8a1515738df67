"""`from karenina_gui.schemas.entities.question import Question`, as in the specification of questions."""

from karenina_gui.schemas.question import Question

__all__ = ["Question"]
