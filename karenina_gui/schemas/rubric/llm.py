"""A trait that a judge decides."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from karenina_gui.schemas.rubric.trait import (
    RubricTrait,
    ScalarKind,
    checked_classes,
    checked_direction,
    checked_kind,
    literal_range,
)


class LLMRubricTrait(RubricTrait):
    """A yes or no, a score, one class of several, or a filled template, as judged by a model."""

    kind: ScalarKind | dict[str, Any]
    """A dict is a template kind: `{"type": "template", "schema": <JSON Schema>}`; a pydantic class becomes one."""
    min_score: int = 1
    max_score: int = 5
    """Range of a score (the order is not checked); class indices 0 to n-1 for a literal; unused otherwise."""
    classes: dict[str, str] | None = None
    """{class: description} of a literal trait, 2 to 20; the order gives the score."""
    deep_judgment_enabled: bool = False
    deep_judgment_excerpt_enabled: bool = True
    deep_judgment_max_excerpts: int | None = None
    """None: the run's setting, as for the two below."""
    deep_judgment_fuzzy_match_threshold: float | None = None
    deep_judgment_excerpt_retry_attempts: int | None = None
    deep_judgment_search_enabled: bool = False
    include_ground_truth: bool = False
    """Whether the judge of this trait sees the reference answer."""
    higher_is_better: bool | None = Field(default=True)
    """Direction for analysis, never for scoring; None: neither (always so for template kinds)."""

    @field_validator("kind", mode="before")
    @classmethod
    def _known_kind(cls, kind: Any) -> Any:
        return checked_kind(kind)

    @field_validator("min_score", mode="before")
    @classmethod
    def _lowest_by_default(cls, score: Any) -> Any:
        return 1 if score is None else score

    @field_validator("max_score", mode="before")
    @classmethod
    def _highest_by_default(cls, score: Any) -> Any:
        return 5 if score is None else score

    @field_validator("classes")
    @classmethod
    def _usable_classes(cls, classes: dict[str, str] | None) -> dict[str, str] | None:
        return checked_classes(classes)

    @field_validator("higher_is_better")
    @classmethod
    def _direction(cls, value: bool | None, info: ValidationInfo) -> bool | None:
        return checked_direction(value, info.data.get("kind"))

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        literal_range(self)
        if isinstance(self.kind, dict):
            self.__dict__["higher_is_better"] = None
            if self.deep_judgment_enabled:
                raise ValueError("deep_judgment_enabled must be False for template kind")
        return self
