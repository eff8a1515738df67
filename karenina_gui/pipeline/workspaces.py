"""The workspace of one job: which folder it is, what its agents work with, and what becomes of it.

`agentic-evaluation.md`, sections 2 and 5. What the specification leaves open: several judges of one answer each get a
copy with the agent's work in it, agentic traits alone bring a workspace too, and a folder is never shared by two jobs.
"""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from karenina_gui.adapters.ports import OwnTools
from karenina_gui.errors import InputError, WorkspaceError
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder
from karenina_gui.sandbox.workspace.folder_removal import remove
from karenina_gui.sandbox.workspace.workspace_changes import Outcome, WorkLeft, compare, have_again, unknown_outcome
from karenina_gui.sandbox.workspace.workspace_copy import Manifest, make_copy, manifest
from karenina_gui.sandbox.workspace.workspace_tools import READING_TOOLS, workspace_tools
from karenina_gui.schemas.question import checked_workspace_path
from karenina_gui.schemas.tools import Tool
from karenina_gui.schemas.workspace import ClaudeCodeToolName

log = logging.getLogger(__name__)

ALL_TOOLS = (*READING_TOOLS, "write_file", "edit_file", "run_command")
"""What a runtime that is itself an agent works with, unless its model says otherwise."""


@dataclass(frozen=True)
class WorkspaceOrder:
    """What kind of workspace a job needs."""

    question_id: str
    path: str | None
    """The question's workspace, below the root; None: it begins with an empty folder."""
    root: Path | None
    """None: nobody has said where workspaces are."""
    replicate: int | None = None
    in_place: bool = False
    """Whether agents work in the question's own folder."""
    compared: bool = True
    """Whether it will be asked what has become of it."""
    needs_root: bool = False
    """Whether there must be a root, also for an empty folder."""


@dataclass
class JobWorkspace:
    """A folder in which the agents of one job work."""

    path: Path
    is_copy: bool
    """False: it is the author's own folder."""
    question_path: str | None = None
    was: Manifest = field(default_factory=Manifest)
    """Its files before the first agent."""
    before: Path | None = None
    """Where those files can still be read; None: there were none."""
    own_before: bool = False
    """Whether `before` was made for the comparison alone."""

    def compare(self) -> Outcome:
        """What has become of it. Where that cannot be found out, the outcome says so: the agent's words are kept."""
        try:
            return compare(self.before, self.was, self.path, self.question_path)
        except (OSError, InputError) as error:
            log.warning("What an agent left in %s could not be looked at", self.path, exc_info=True)
            why = error.strerror if isinstance(error, OSError) else error
            return unknown_outcome(self.question_path, f"The workspace could not be looked at afterwards: {why}.")
        finally:
            if self.own_before and self.before is not None:
                removed(self.before)


@dataclass(frozen=True)
class Workspaces:
    """Makes the workspaces of a run's jobs, and opens tools in them."""

    box: CommandBox
    """Where commands run."""
    disk_mb: int = 1024
    """Of one workspace."""

    @property
    def unconfined(self) -> bool:
        """Whether commands run here although nothing confines them."""
        return self.box.refusal is None and not self.box.confinement.confined

    def open(self, order: WorkspaceOrder) -> JobWorkspace:
        """A folder for one job. Errors: `WorkspaceError`: it cannot be had, and why."""
        place = _place(order)
        try:
            if place is None or place.source is None or not order.in_place:
                return self._copy(order, place)
            return self._itself(order, place.source)
        except InputError as error:
            raise WorkspaceError(str(error)) from error

    def put_back(self, workspace: JobWorkspace, left: WorkLeft) -> None:
        """The work of an agent that answered for another job. Errors: `WorkspaceError`."""
        try:
            have_again(left, workspace.path)
            self.box.admit(workspace.path)
        except InputError as error:
            raise WorkspaceError(str(error)) from error

    def tools(self, folder: Path, names: Collection[str]) -> Sequence[Tool]:
        """Errors: `WorkspaceError` where commands are asked for that this computer cannot confine."""
        if "run_command" in names and (refusal := self.box.refusal):
            raise WorkspaceError(refusal)
        return workspace_tools(folder, names, self.box)

    def own_tools(self, chosen: Sequence[ClaudeCodeToolName] | None) -> OwnTools | None:
        """Tools of its own that an agent runtime works with here; None: none. `chosen` None: nobody has chosen."""
        if chosen is None:
            return OwnTools() if self.unconfined else None
        box = self.box.program_box if chosen else None
        if not chosen or (box is None and not self.box.allow_unconfined):
            return None
        return OwnTools(tuple(chosen), box)

    def judging_tools(self, folder: Path) -> Sequence[Tool]:
        """For a judging agent; without commands where they cannot be confined."""
        names = READING_TOOLS if self.box.refusal else (*READING_TOOLS, "run_command")
        return workspace_tools(folder, names, self.box)

    def _copy(self, order: WorkspaceOrder, place: _Place | None) -> JobWorkspace:
        source = place.source if place else None
        parent = place.parent if place else Path(tempfile.gettempdir())
        path = make_copy(source, parent, place.name if place else "karenina", order.replicate, self.disk_mb)
        was = manifest(path)
        self.box.admit(path)
        return JobWorkspace(path, True, order.path, was, source)

    def _itself(self, order: WorkspaceOrder, source: Path) -> JobWorkspace:
        if not order.compared:
            return JobWorkspace(source, False, order.path)
        before = make_copy(source, Path(tempfile.gettempdir()), "karenina", None, self.disk_mb)
        return JobWorkspace(source, False, order.path, manifest(before), before, own_before=True)


def removed(folder: Path) -> None:
    """Remove a folder that was made for a job; a failure is logged only."""
    try:
        remove(folder)
    except Exception:
        log.warning("Failed to clean up workspace: %s", folder, exc_info=True)


@dataclass(frozen=True)
class _Place:
    parent: Path
    """The folder in which copies are made."""
    name: str
    source: Path | None
    """None: the question has no workspace."""


def _place(order: WorkspaceOrder) -> _Place | None:
    """None: nobody has said where workspaces are, and none is needed to begin with. Errors: `WorkspaceError`."""
    path, root = order.path, order.root
    if root is None:
        if order.needs_root or path:
            raise WorkspaceError(
                "This job needs a workspace, but no workspace root is set. Set the folder that holds the workspaces: "
                "in the benchmark's details, as workspace_root in Python, or as --workspace-root on the command line."
            )
        return None
    if not root.is_dir():
        raise WorkspaceError(f"The workspace root {root} is not there. Was it moved, or is a disk missing?")
    if not path:
        return _Place(root.resolve(), _as_name(order.question_id), None)
    try:
        folder = ConfinedFolder(root).below(checked_workspace_path(path) or path)
        with folder.folder():
            source = folder.path
    except (InputError, ValueError) as error:
        raise WorkspaceError(f"The question's workspace {path} cannot be used below {root}. {error}") from error
    if source == ConfinedFolder(root).path:
        raise WorkspaceError(f"The question's workspace {path} leads to the workspace root itself.")
    return _Place(source.parent, source.name, source)


def _as_name(question_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", question_id).strip(".-")[:80] or "question"
