"""Deep judgment of a run by trait (mode `custom`)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer


class _SetFields(BaseModel):
    """Dumps only given fields, under their aliases: presets also go to programs that reject null."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_serializer(mode="wrap")
    def _serialize_set(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        written = ((name, value) for name, value in write(self).items() if name in self.model_fields_set)
        return {fields[name].alias or name: value for name, value in written}


class TraitDeepJudgment(_SetFields):
    """Deep judgment of one trait. None: the trait's own setting, else the run's."""

    enabled: bool = True
    excerpt_enabled: bool | None = None
    max_excerpts: int | None = Field(default=None, ge=1)
    fuzzy_match_threshold: float | None = Field(default=None, ge=0, le=1)
    excerpt_retry_attempts: int | None = Field(default=None, ge=0)
    search_enabled: bool | None = None


class DeepJudgmentRubricConfig(_SetFields):
    """`{"global": {trait: ...}, "question_specific": {question id: {trait: ...}}}`.

    A question's settings take precedence over those for all questions. Traits that are not named get no deep judgment.
    """

    # `global` is a keyword of Python.
    of_benchmark: dict[str, TraitDeepJudgment] = Field(default_factory=dict, alias="global")
    of_questions: dict[str, dict[str, TraitDeepJudgment]] = Field(default_factory=dict, alias="question_specific")
