"""What a run was made of, so that it can be repeated, and so that whoever reads it knows what cannot be.

What is fixed, what only as far as possible, and what not at all follows `evaluation-methodology.md`.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from karenina_gui.schemas.workspace import ClaudeCodeToolName, WorkspaceToolName

_READS_MORE = ConfigDict(extra="ignore", protected_namespaces=())


class QuestionVersion(BaseModel):
    """One question as the run asked it."""

    model_config = _READS_MORE

    sha256: str
    """Of its canonical form (`schemas.canonical`)."""
    template_id: str = ""
    """MD5 of its answer template, as every result names it; empty: it has none."""
    fields: dict[str, str] = Field(default_factory=dict)
    """{field: the first 12 digits of its SHA-256} of the fields with content."""


class BenchmarkVersion(BaseModel):
    """The benchmark as the run found it."""

    model_config = _READS_MORE

    name: str = ""
    version: str = ""
    sha256: str
    """Of the canonical form of all of it."""
    questions: int = 0
    """How many it had; the run may have asked some of them only."""
    rubric_sha256: str | None = None
    """None: it had no traits for all questions."""
    traits: dict[str, str] = Field(default_factory=dict)
    """{trait for all questions: the first 12 digits of its SHA-256}"""


class ModelSettings(BaseModel):
    """A model as it was asked. Never a key, nor an address."""

    model_config = _READS_MORE

    label: str
    """As results name it."""
    condition: str | None = None
    """None: the run has none, or it is a judge."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """{name: value} as in `ModelConfig`; None: it was not sent, or left to the provider."""
    tool_servers: list[str] = Field(default_factory=list)
    """Names of its MCP servers."""
    workspace_tools: list[WorkspaceToolName] = Field(default_factory=list)
    claude_code_tools: list[ClaudeCodeToolName] = Field(default_factory=list, exclude_if=lambda tools: not tools)
    """Claude Code's own tools that are on; those chosen (`settings`) may have to be off on this computer."""
    claude_code_sandboxed: bool | None = Field(default=None, exclude_if=lambda sandboxed: sandboxed is None)
    """False: nothing confines those tools; None: none is on."""
    recorded_answers_sha256: str | None = None
    """Of the answers that it plays back (interface `manual`); None: it plays back none."""
    seed: int | None = None
    """None: none was given."""


class Connection(BaseModel):
    """Where a model was reached."""

    model_config = _READS_MORE

    model: str
    """Its name in the run's configuration."""
    address: str
    since: str
    """ISO 8601 in UTC."""


class ConditionVersion(BaseModel):
    """What a condition asks for beyond the settings of its models."""

    model_config = _READS_MORE

    name: str
    description: str | None = None
    require_mcp_tool_use: bool = False
    require_mcp_tool_success: bool = False


class Reproducibility(BaseModel):
    """The record of one run."""

    model_config = _READS_MORE

    format: int = 1
    started: str
    """ISO 8601 in UTC."""
    benchmark: BenchmarkVersion
    questions_sha256: str
    """Of the canonical forms of the questions that the run asked, in the order of their ids."""
    questions: dict[str, QuestionVersion] = Field(default_factory=dict)
    """{question id: version} of the questions that the run asked."""
    conditions: list[ConditionVersion] = Field(default_factory=list)
    """The baseline first; empty: the models were asked as they are."""
    answering: list[ModelSettings] = Field(default_factory=list)
    """Every answering model under every condition."""
    judges: list[ModelSettings] = Field(default_factory=list)
    connections: list[Connection] = Field(default_factory=list)
    """Where the models were reached: when the run began, and again when it went on with another address."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """The run's other settings, as in `VerificationConfig`."""
    software: dict[str, str] = Field(default_factory=dict)
    """{package: version}, Python and the operating system among them."""
    sandbox_level: str = ""
    """How author-written code was confined."""
    trusted: bool = Field(default=False, exclude_if=lambda trusted: not trusted)
    """The benchmark was trusted: with sandbox level `none`, code that needs all of Python ran without a lock."""
    templates: dict[str, int] = Field(default_factory=dict, exclude_if=lambda counts: not counts)
    """How many of the questions' templates are `data`, of which nothing runs, and how many `code`."""
    fixed: list[str] = Field(default_factory=list)
    """What is guaranteed to be the same in a repetition, in sentences."""
    best_effort: list[str] = Field(default_factory=list)
    """What is set to be the same, but without a guarantee."""
    uncontrolled: list[str] = Field(default_factory=list)
    """What may come out otherwise each time."""

    @property
    def tool_servers(self) -> list[str]:
        """Names of all MCP servers that took part."""
        return sorted({name for model in self.answering for name in model.tool_servers})
