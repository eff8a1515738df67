"""What became of a workspace: which files an agent left changed, and how."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

RUN_COPY = re.compile(r"^(?P<workspace>.+)_run_\d{8}_\d{6}_pid(?P<process>\d+)(?:[^0-9].*)?$", re.DOTALL)
"""Name of a working copy that a run makes beside a workspace, or of the empty folder of a job without one.

`workspace` is the name of the workspace, or the id of the question; `process` is the number of the process that made
it. After that stands whatever tells copies of the same second apart.
"""

ChangeKind = Literal["added", "modified", "deleted"]
WorkspaceToolName = Literal["list_files", "read_file", "search_files", "write_file", "edit_file", "run_command"]
"""Built-in tools of a workspace."""
ClaudeCodeToolName = Literal["Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"]
"""Claude Code's own tools that may be switched on; never those that search the web or start helpers."""


class FileChange(BaseModel):
    """One file, or link, that is not as it was."""

    model_config = ConfigDict(frozen=True, extra="allow")

    path: str
    """Below the workspace, with `/` between its parts."""
    kind: ChangeKind
    size_before: int | None = None
    """Bytes; None: it was not there."""
    size_after: int | None = None
    """Bytes; None: it is not there any more."""
    diff: str | None = None
    """Unified diff; None: `note` says why there is none (no text, too long)."""
    whole: bool = False
    """Whether the diff holds every line of the file, so that both states can be read from it."""
    note: str | None = None


class ResultWorkspace(BaseModel):
    """A job's workspace as the answering agent left it, before any judge looked at it."""

    model_config = ConfigDict(extra="allow")

    path: str | None = None
    """The question's `workspace_path`; None: the agent began in an empty folder."""
    files: int = 0
    """Files in it when the agent was done."""
    size: int = 0
    """Bytes of all of them."""
    changes: list[FileChange] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    """One sentence for everything that is not shown here in full."""
    claude_code_tools: list[ClaudeCodeToolName] | None = Field(default=None, exclude_if=lambda tools: tools is None)
    """Claude Code's own tools that were on; empty: those chosen had to be off. None: none was chosen."""
    claude_code_sandboxed: bool | None = Field(default=None, exclude_if=lambda sandboxed: sandboxed is None)
    """False: nothing confined those tools; None: none was on."""
    kept_at: str | None = None
    """Name of the folder, below the workspace root, in which it still stands; None: it was removed after the job."""


class WorkspaceLimits(BaseModel):
    """How much an agent may use in its workspace, for one job."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    command_seconds: float = Field(default=60.0, gt=0, le=3600)
    """For one command."""
    memory_mb: int = Field(default=2048, ge=64)
    """Of a command with all its processes."""
    processes: int = Field(default=256, ge=4)
    """At the same time within one command."""
    disk_mb: int = Field(default=1024, ge=1)
    """Of the whole workspace, and of what is copied into it."""
    output_kb: int = Field(default=32, ge=1, le=1024)
    """Of what one call of a tool gives back to the model; of longer output the beginning and the end."""
    network: bool = False
    """Whether commands reach the network."""
