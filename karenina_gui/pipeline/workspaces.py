"""Workspace of one job: creation, tools and comparison with its state before the job.

`agentic-evaluation.md`, sections 2 and 5. Decisions that the specification leaves open: several judges of one answer
each get a copy with the agent's work in it, agent traits alone also create a workspace, and two jobs never share a
folder.
"""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from karenina_gui.adapters.ports import OwnTools
from karenina_gui.errors import InputError, WorkspaceError
from karenina_gui.judging.investigation import JudgingView
from karenina_gui.private_folders import folder_problem
from karenina_gui.sandbox.commands.command_box import CommandBox
from karenina_gui.sandbox.workspace.confined_folder import ConfinedFolder
from karenina_gui.sandbox.workspace.safe_removal import remove
from karenina_gui.sandbox.workspace.workspace_changes import Outcome, WorkLeft, compare, have_again, unknown_outcome
from karenina_gui.sandbox.workspace.workspace_copy import Manifest, judging_copy, make_copy, manifest
from karenina_gui.sandbox.workspace.workspace_tools import READING_TOOLS, workspace_tools
from karenina_gui.schemas.question import checked_workspace_path
from karenina_gui.schemas.tools import Tool
from karenina_gui.schemas.workspace import ClaudeCodeToolName

log = logging.getLogger(__name__)

JUDGING_TOOLS = (*READING_TOOLS, "run_command")
ALL_TOOLS = (*READING_TOOLS, "write_file", "edit_file", "run_command")
"""Default tools of an agent runtime."""


@dataclass(frozen=True)
class WorkspaceOrder:
    """Requirements for the workspace of a job."""

    question_id: str
    path: str | None
    """Path of the question's workspace below the root; None: the job starts with an empty folder."""
    root: Path | None
    """Workspace root; None: not set."""
    replicate: int | None = None
    in_place: bool = False
    """True: agents work in the question's own folder instead of a copy."""
    compared: bool = True
    """True: changes will be compared with the initial state."""
    needs_root: bool = False
    """True: a root must be set even for an empty folder."""


@dataclass
class JobWorkspace:
    """Folder of one job's agents."""

    path: Path
    is_copy: bool
    """False: it is the author's own folder."""
    question_path: str | None = None
    was: Manifest = field(default_factory=Manifest)
    """Files before the first agent started."""
    before: Path | None = None
    """Folder with those files; None: there were none."""
    own_before: bool = False
    """True if `before` was created only for the comparison."""

    def compare(self) -> Outcome:
        """Changes since the start. If they cannot be determined, the outcome says so, and the answer is kept."""
        try:
            return compare(self.before, self.was, self.path, self.question_path)
        except (OSError, InputError) as error:
            log.warning("What an agent left in %s could not be looked at", self.path, exc_info=True)
            why = error.strerror if isinstance(error, OSError) else error
            return unknown_outcome(self.question_path, f"Couldn’t read the workspace after the agent’s work: {why}.")
        finally:
            if self.own_before and self.before is not None:
                remove_folder(self.before)


@dataclass(frozen=True)
class JobWorkspaces:
    """Factory of workspaces and of tools in them."""

    box: CommandBox
    """Sandbox of commands."""
    disk_mb: int = 1024
    """Size limit of one workspace."""

    @property
    def unconfined(self) -> bool:
        """True if commands run here outside a sandbox."""
        return self.box.refusal is None and not self.box.confinement.confined

    def open(self, order: WorkspaceOrder) -> JobWorkspace:
        """Create the folder of one job. Raises `WorkspaceError` with the reason if that fails."""
        location = _locate(order)
        try:
            if location is None or location.source is None or not order.in_place:
                return self._copy(order, location)
            return self._in_place(order, location.source)
        except InputError as error:
            raise WorkspaceError(str(error)) from error

    def put_back(self, workspace: JobWorkspace, work: WorkLeft) -> None:
        """Restore the files of an agent that answered in another job. Raises `WorkspaceError`."""
        try:
            have_again(work, workspace.path)
            self.box.admit(workspace.path)
        except InputError as error:
            raise WorkspaceError(str(error)) from error

    def tools(self, folder: Path, names: Collection[str]) -> Sequence[Tool]:
        """Built-in tools by name. Raises `WorkspaceError` if commands are requested but cannot be sandboxed."""
        if "run_command" in names and (refusal := self.box.refusal):
            raise WorkspaceError(refusal)
        return workspace_tools(folder, names, self.box)

    def own_tools(self, chosen: Sequence[ClaudeCodeToolName] | None) -> OwnTools | None:
        """Own tools of an agent runtime on this computer; None: none. `chosen` None: the user has not chosen any."""
        if chosen is None:
            return OwnTools() if self.unconfined else None
        box = self.box.program_box if chosen else None
        if not chosen or (box is None and not self.box.allow_unconfined):
            return None
        return OwnTools(tuple(chosen), box)

    @contextmanager
    def judging_view(self, folder: Path) -> Iterator[JudgingView]:
        """View of a folder for one investigation: of a copy if its tools can change it, so that judges are independent.

        Commands are left out if they cannot be sandboxed, or if the folder cannot be copied.
        """
        if self.box.refusal:
            yield self.view_without_copy(folder, READING_TOOLS)
            return
        try:
            copy = judging_copy(folder, self.disk_mb)
        except InputError as error:
            problem = f"A judge could read the workspace, but run no commands in it: {error}"
            yield replace(self.view_without_copy(folder, READING_TOOLS), problem=problem)
            return
        try:
            self.box.admit(copy)
            yield self.view_without_copy(copy)
        finally:
            remove_folder(copy)

    def view_without_copy(self, folder: Path, names: Collection[str] = JUDGING_TOOLS) -> JudgingView:
        """View of the folder itself."""
        return JudgingView(folder, workspace_tools(folder, names, self.box.for_judges()))

    def _copy(self, order: WorkspaceOrder, location: _Location | None) -> JobWorkspace:
        source = location.source if location else None
        parent = location.parent if location else Path(tempfile.gettempdir())
        path = make_copy(source, parent, location.name if location else "karenina", order.replicate, self.disk_mb)
        was = manifest(path)
        # Sandboxed commands may run as another user, who needs access to the copy.
        self.box.admit(path)
        return JobWorkspace(path, True, order.path, was, source)

    def _in_place(self, order: WorkspaceOrder, source: Path) -> JobWorkspace:
        if not order.compared:
            return JobWorkspace(source, False, order.path)
        # The author's folder itself will change, so the comparison needs a copy of its initial state.
        before = make_copy(source, Path(tempfile.gettempdir()), "karenina", None, self.disk_mb)
        return JobWorkspace(source, False, order.path, manifest(before), before, own_before=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder that was created for a job. Errors are only logged."""
    try:
        remove(folder)
    except Exception:
        log.warning("Failed to clean up workspace: %s", folder, exc_info=True)


@dataclass(frozen=True)
class _Location:
    parent: Path
    """Folder in which copies are created."""
    name: str
    source: Path | None
    """None: the question has no workspace."""


def _locate(order: WorkspaceOrder) -> _Location | None:
    """Location of the workspace; None: no root is set and none is needed. Raises `WorkspaceError`."""
    path, root = order.path, order.root
    if root is None:
        if order.needs_root or path:
            raise WorkspaceError(
                "This job needs a workspace, but no workspace root is set. Set it in Benchmark details, as "
                "workspace_root in Python, or as --workspace-root on the command line."
            )
        return None
    if not root.is_dir():
        raise WorkspaceError(f"The workspace root {root} doesn’t exist. Was it moved, or is a disk missing?")
    if problem := folder_problem(root):
        raise WorkspaceError(f"Couldn’t use the workspace root {root}. {problem}")
    if not path:
        return _Location(root.resolve(), _folder_name(order.question_id), None)
    try:
        folder = ConfinedFolder(root).below(checked_workspace_path(path) or path)
        with folder.folder():
            source = folder.path
    except (InputError, ValueError) as error:
        raise WorkspaceError(f"Couldn’t use the question’s workspace {path} in {root}. {error}") from error
    # A copy of the root would contain the workspaces of all questions, and their solutions.
    if source == ConfinedFolder(root).path:
        raise WorkspaceError(f"The question’s workspace {path} is the workspace root itself. Choose a folder in it.")
    return _Location(source.parent, source.name, source)


def _folder_name(question_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", question_id).strip(".-")[:80] or "question"
