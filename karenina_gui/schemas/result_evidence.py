"""Evidence in a result: investigations of judging agents, and excerpts of deep judgment.

Unknown keys of a file are preserved.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Investigation(BaseModel):
    """One investigation by a judging agent."""

    model_config = ConfigDict(extra="allow")

    subject: Literal["template", "traits"]
    traits: list[str] = Field(default_factory=list)
    """Agentic traits whose scores rest on it, several if they share one; empty: the template does."""
    model: str | None = None
    """Name in the run."""
    messages: list[dict[str, Any]] = Field(default_factory=list)
    """Its prompt and actions, as in `trace_messages`."""
    turns: int = 0
    seconds: float = 0.0
    limit: str | None = None
    """Limit that ended it before its report ("15 turns", "120 seconds"); None: it finished."""
    error: str | None = None
    """Error; None: there was none."""


class ResultDeepJudgment(BaseModel):
    """Verbatim excerpts per template field."""

    model_config = ConfigDict(extra="allow")

    deep_judgment_mode: str = "disabled"
    deep_judgment_performed: bool = False
    extracted_excerpts: dict[str, list[dict[str, Any]]] | None = None
    attribute_reasoning: dict[str, str] | None = None
    deep_judgment_stages_completed: list[str] | None = None
    deep_judgment_model_calls: int = 0
    deep_judgment_excerpt_retry_count: int = 0
    attributes_without_excerpts: list[str] | None = None
    deep_judgment_search_enabled: bool = False
    hallucination_risk_assessment: dict[str, Any] | None = None


class ResultDeepJudgmentRubric(BaseModel):
    """Verbatim excerpts per rubric trait."""

    model_config = ConfigDict(extra="allow")

    deep_judgment_rubric_performed: bool = False
    extracted_rubric_excerpts: dict[str, Any] | None = None
    rubric_trait_reasoning: dict[str, str] | None = None
    deep_judgment_rubric_scores: dict[str, Any] | None = None
    standard_rubric_scores: dict[str, Any] | None = None
    trait_metadata: dict[str, Any] | None = None
    traits_without_valid_excerpts: list[str] | None = None
    rubric_hallucination_risk_assessment: dict[str, Any] | None = None
    total_deep_judgment_model_calls: int = 0
    total_traits_evaluated: int = 0
    total_excerpt_retries: int = 0
