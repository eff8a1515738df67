"""Parts of a configuration of k-eval, with k-eval's own names and limits."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from karenina_gui.schemas.tool_server import ToolServer
from karenina_gui.schemas.verification_config import MOST_REPLICATES

REPETITIONS = 3
"""Answers to each question under each condition, where the file does not say it (`evaluation-methodology.md`)."""


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, coerce_numbers_to_str=True)


class Dataset(Part):
    """Place of the questions; the path is relative to the configuration."""

    path: str = Field(min_length=1)
    question_key: str = Field(min_length=1)
    answer_key: str = Field(min_length=1)


class AgentPart(Part):
    type: Literal["claude_code_sdk"]
    model: str = Field(min_length=1)


class JudgePart(Part):
    model: str = Field(min_length=1)
    temperature: float = Field(default=0.0, ge=0, le=2)


class ConditionPart(Part):
    mcp_servers: list[str] = Field(default_factory=list)
    system_prompt: str = Field(min_length=1)
    require_mcp_tool_use: bool = False
    require_mcp_tool_success: bool = False
    allowed_tools: list[str] = Field(default_factory=list)


class RetryPart(Part):
    max_attempts: int = Field(ge=1)
    """Calls altogether, the first one included."""
    initial_backoff_seconds: float = Field(ge=0)
    backoff_multiplier: float = Field(ge=1)


class ExecutionPart(Part):
    num_repetitions: int = Field(default=REPETITIONS, ge=1, le=MOST_REPLICATES)
    max_concurrent: int = Field(default=2, ge=1)
    retry: RetryPart | None = None


class WholeFile(Part):
    name: str = Field(min_length=1)
    version: str = Field(min_length=1)
    dataset: Dataset
    agent: AgentPart
    judge: JudgePart
    mcp_servers: dict[str, ToolServer] = Field(default_factory=dict)
    conditions: dict[str, ConditionPart] = Field(min_length=1)
    execution: ExecutionPart = ExecutionPart()
