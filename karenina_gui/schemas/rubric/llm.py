"""Traits that a judge decides."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from karenina_gui.schemas.problems import prescribed_error
from karenina_gui.schemas.rubric.trait import Classes, Direction, Kind, RubricTrait, literal_range


class LLMRubricTrait(RubricTrait):
    """A yes or no, a score, one class of several, or a filled template, as judged by a model."""

    kind: Kind
    min_score: int = 1
    max_score: int = 5
    """Range of a score (the order is not checked); class indices 0 to n-1 for a literal; unused otherwise."""
    classes: Classes | None = None
    deep_judgment_enabled: bool = False
    deep_judgment_excerpt_enabled: bool = True
    deep_judgment_max_excerpts: int | None = None
    """None: the run's setting, also for the two below."""
    deep_judgment_fuzzy_match_threshold: float | None = None
    deep_judgment_excerpt_retry_attempts: int | None = None
    deep_judgment_search_enabled: bool = False
    include_ground_truth: bool = False
    """Show the reference answer to the judge of this trait."""
    higher_is_better: Direction = Field(default=True)

    @field_validator("min_score", "max_score", mode="before")
    @classmethod
    def _default_for_null(cls, score: Any, info: ValidationInfo) -> Any:
        return cls.model_fields[str(info.field_name)].default if score is None else score

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        literal_range(self)
        if isinstance(self.kind, dict):
            self.__dict__["higher_is_better"] = None
            if self.deep_judgment_enabled:
                raise prescribed_error(
                    "deep_judgment_enabled must be False for template kind",
                    "A structured score can’t have deep judgment (deep_judgment_enabled).",
                )
        return self
