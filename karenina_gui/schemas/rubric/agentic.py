"""Traits that an agent investigates."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.problems import prescribed_error
from karenina_gui.schemas.rubric.trait import Classes, Direction, Kind, RubricTrait, literal_range

_KEYS = ("endpoint_api_key", "anthropic_api_key")


class AgenticRubricTrait(RubricTrait):
    """Judged by an agent that may look at the workspace, the trace, or both (`agentic-rubric-evaluation.md`)."""

    kind: Kind
    higher_is_better: Direction
    """Must be given."""
    min_score: int = 1
    max_score: int = 5
    classes: Classes | None = None
    context_mode: Literal["trace_and_workspace", "workspace_only", "trace_only"] = "trace_and_workspace"
    materialize_trace: bool = False
    """Let the agent read the trace from a file instead of its prompt."""
    persist_trace: bool = False
    max_turns: int = Field(default=15, ge=1)
    timeout_seconds: int = Field(default=120, ge=1)
    """Seconds for the whole investigation."""
    model_override: dict[str, Any] | None = None
    """A `ModelConfig` dump, without keys; None: the run's judge."""

    @field_validator("model_override", mode="before")
    @classmethod
    def _without_keys(cls, override: Any) -> Any:
        if override is None:
            return None
        if isinstance(override, ModelConfig):
            return override.model_dump(mode="json")
        # For its errors only: the dump is kept as given, without defaults.
        ModelConfig.model_validate(override)
        return {name: None if name in _KEYS else value for name, value in override.items()}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        literal_range(self)
        if self.materialize_trace and self.context_mode == "workspace_only":
            raise prescribed_error(
                "materialize_trace=True requires a trace, but context_mode='workspace_only' has none. "
                "Choose 'trace_only' or 'trace_and_workspace'.",
                "The agent sees only the workspace files, so it can’t read the trace from a file. Turn off "
                "materialize_trace, or change the agent context (context_mode).",
            )
        return self
