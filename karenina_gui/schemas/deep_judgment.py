"""Which traits a run judges deeply, trait by trait (mode `custom`)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer


class _AsGiven(BaseModel):
    """Written again with what was given, and under the same names: presets travel to programs that know no null."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_serializer(mode="wrap")
    def _given(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        written = ((name, value) for name, value in write(self).items() if name in self.model_fields_set)
        return {fields[name].alias or name: value for name, value in written}


class TraitDeepJudgment(_AsGiven):
    """How one trait is judged. None: as the trait itself says, else as the run does."""

    enabled: bool = True
    excerpt_enabled: bool | None = None
    max_excerpts: int | None = Field(default=None, ge=1)
    fuzzy_match_threshold: float | None = Field(default=None, ge=0, le=1)
    excerpt_retry_attempts: int | None = Field(default=None, ge=0)
    search_enabled: bool | None = None


class DeepJudgmentRubricConfig(_AsGiven):
    """`{"global": {trait: ...}, "question_specific": {question id: {trait: ...}}}`.

    What a question says of a trait goes before what is said of it for all questions. A trait that is not named is
    judged plainly.
    """

    of_benchmark: dict[str, TraitDeepJudgment] = Field(default_factory=dict, alias="global")
    of_questions: dict[str, dict[str, TraitDeepJudgment]] = Field(default_factory=dict, alias="question_specific")
