"""Record of a run's ingredients, for its repetition and for readers who need to know its limits.

The division into fixed, best effort and uncontrolled follows `evaluation-methodology.md`.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from karenina_gui.schemas.workspace import ClaudeCodeToolName, WorkspaceToolName

# Records of newer versions must stay readable.
UNCONFINED = "none"
"""Name of the sandbox level at which code that needs all of Python has no sandbox."""
_READS_MORE = ConfigDict(extra="ignore", protected_namespaces=())


class QuestionVersion(BaseModel):
    """One question as the run asked it."""

    model_config = _READS_MORE

    sha256: str
    """Hash of its canonical form (`schemas.canonical`)."""
    template_id: str = ""
    """MD5 of its answer template, as in results; empty: it has none."""
    fields: dict[str, str] = Field(default_factory=dict)
    """{field: first 12 digits of its SHA-256} of the fields with content."""


class BenchmarkVersion(BaseModel):
    """The benchmark at the start of the run."""

    model_config = _READS_MORE

    name: str = ""
    version: str = ""
    sha256: str
    """Hash of the canonical form of the whole benchmark."""
    questions: int = 0
    """Number of its questions; the run may have asked only some of them."""
    rubric_sha256: str | None = None
    """None: it had no traits for all questions."""
    published: str = Field(default="", exclude_if=lambda text: not text)
    """Published version that it equals, or the last one before and that it has changed since; empty: none."""
    traits: dict[str, str] = Field(default_factory=dict)
    """{trait for all questions: first 12 digits of its SHA-256}"""


class ModelSettings(BaseModel):
    """Settings with which a model was asked. Never contains a key or a URL."""

    model_config = _READS_MORE

    label: str
    """Name in results."""
    condition: str | None = None
    """None: the run has no conditions, or this is a judge."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """{name: value} as in `ModelConfig`; None: not sent, or left to the provider."""
    tool_servers: list[str] = Field(default_factory=list)
    """Names of its MCP servers."""
    workspace_tools: list[WorkspaceToolName] = Field(default_factory=list)
    claude_code_tools: list[ClaudeCodeToolName] = Field(default_factory=list, exclude_if=lambda tools: not tools)
    """Claude Code's own tools that were on; those chosen (`settings`) may have to be off on this computer."""
    claude_code_sandboxed: bool | None = Field(default=None, exclude_if=lambda sandboxed: sandboxed is None)
    """False: those tools are unsandboxed; None: none is on."""
    recorded_answers_sha256: str | None = None
    """Hash of the answers that it plays back (interface `manual`); None: it plays back none."""
    seed: int | None = None
    """None: no seed was set."""


class Connection(BaseModel):
    """URL at which a model was reached."""

    model_config = _READS_MORE

    model: str
    """Its name in the run's configuration."""
    address: str
    since: str
    """ISO 8601 in UTC."""


class ConditionVersion(BaseModel):
    """Requirements of a condition in addition to its models' settings."""

    model_config = _READS_MORE

    name: str
    description: str | None = None
    require_mcp_tool_use: bool = False
    require_mcp_tool_success: bool = False


class Reproducibility(BaseModel):
    """Reproducibility record of one run."""

    model_config = _READS_MORE

    format: int = 1
    started: str
    """ISO 8601 in UTC."""
    benchmark: BenchmarkVersion
    questions_sha256: str
    """Hash of the canonical forms of the questions that the run asked, in the order of their ids."""
    questions: dict[str, QuestionVersion] = Field(default_factory=dict)
    """{question id: version} of the questions that the run asked."""
    conditions: list[ConditionVersion] = Field(default_factory=list)
    """The baseline first; empty: there were no conditions."""
    answering: list[ModelSettings] = Field(default_factory=list)
    """Every answering model under every condition."""
    judges: list[ModelSettings] = Field(default_factory=list)
    connections: list[Connection] = Field(default_factory=list)
    """URLs of the models at the start of the run, and again when it was resumed with another URL."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """The run's other settings, as in `VerificationConfig`."""
    software: dict[str, str] = Field(default_factory=dict)
    """{package: version}, including Python and the operating system."""
    sandbox_level: str = ""
    """Confinement of author-written code; `UNCONFINED`: none."""
    trusted: bool = Field(default=False, exclude_if=lambda trusted: not trusted)
    """The benchmark was trusted: at sandbox level `none`, code that needs all of Python ran unconfined."""
    templates: dict[str, int] = Field(default_factory=dict, exclude_if=lambda counts: not counts)
    """Number of questions whose template is `data`, which never runs code, and number with `code`."""
    fixed: list[str] = Field(default_factory=list)
    """Sentences about what is guaranteed to be equal in a repetition."""
    best_effort: list[str] = Field(default_factory=list)
    """Sentences about what is set to be equal, without a guarantee."""
    uncontrolled: list[str] = Field(default_factory=list)
    """Sentences about what may differ each time."""

    @property
    def tool_servers(self) -> list[str]:
        """Names of all MCP servers that took part."""
        return sorted({name for model in self.answering for name in model.tool_servers})
