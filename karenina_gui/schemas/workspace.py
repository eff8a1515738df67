"""Changes of an agent in its workspace."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

RUN_COPY = re.compile(r"^(?P<workspace>.+)_run_\d{8}_\d{6}_pid(?P<process>\d+)(?:[^0-9].*)?$", re.DOTALL)
"""Name of a working copy next to its workspace, or of the empty folder of a job without one.

`workspace`: name of the workspace, or id of the question; `process`: id of the process that created it. A suffix
distinguishes copies of the same second.
"""

ChangeKind = Literal["added", "modified", "deleted"]
WorkspaceToolName = Literal["list_files", "read_file", "search_files", "write_file", "edit_file", "run_command"]
"""Built-in tools of a workspace."""
ClaudeCodeToolName = Literal["Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"]
"""Claude Code's own tools that may be turned on; never web search or subagents."""


class FileChange(BaseModel):
    """One changed file or link."""

    model_config = ConfigDict(frozen=True, extra="allow")

    path: str
    """Path below the workspace, with `/` between its parts."""
    kind: ChangeKind
    size_before: int | None = None
    """Bytes; None: it did not exist."""
    size_after: int | None = None
    """Bytes; None: it no longer exists."""
    diff: str | None = None
    """Unified diff; None: `note` says why there is none (not text, too long)."""
    whole: bool = False
    """True if the diff contains every line of the file, so that both states can be read from it."""
    note: str | None = None


class ResultWorkspace(BaseModel):
    """A job's workspace after the answering agent, before any judge looked at it."""

    model_config = ConfigDict(extra="allow")

    path: str | None = None
    """The question's `workspace_path`; None: the agent began in an empty folder."""
    files: int = 0
    """Number of files when the agent finished."""
    size: int = 0
    """Size of all files in bytes."""
    changes: list[FileChange] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    """One sentence for everything that is not shown here completely."""
    claude_code_tools: list[ClaudeCodeToolName] | None = Field(default=None, exclude_if=lambda tools: tools is None)
    """Claude Code's own tools that were on; empty: the chosen ones had to be off. None: none was chosen."""
    claude_code_sandboxed: bool | None = Field(default=None, exclude_if=lambda sandboxed: sandboxed is None)
    """False: those tools were unsandboxed; None: none was on."""
    kept_at: str | None = None
    """Name of the folder, below the workspace root, in which it is kept; None: it was deleted after the job."""


class WorkspaceLimits(BaseModel):
    """Limits of an agent in its workspace, for one job."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    command_seconds: float = Field(default=60.0, gt=0, le=3600)
    """Seconds for one command."""
    memory_mb: int = Field(default=2048, ge=64)
    """Memory of a command with all its processes."""
    processes: int = Field(default=256, ge=4)
    """Concurrent processes of one command."""
    disk_mb: int = Field(default=1024, ge=1)
    """Size of the whole workspace, and of the files copied into it."""
    output_kb: int = Field(default=32, ge=1, le=1024)
    """Output of one tool call that the model gets; of longer output, the beginning and the end."""
    network: bool = False
    """Allow commands to use the network."""
