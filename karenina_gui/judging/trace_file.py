"""Trace of an answer as a file, for judging agents that search it with their tools."""

from __future__ import annotations

import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from karenina_gui.judging.investigation import WORKSPACE

HOME = (".karenina", "traces")
"""Folders below a workspace that contain trace files."""


@dataclass(frozen=True)
class TraceFile:
    """Trace file. `workspace` None: the file is in a temporary folder."""

    path: Path
    workspace: Path | None

    def seen_from(self, folder: Path) -> str:
        """Path as seen by an agent that works in `folder`. Raises `ValueError` if the file is not below it."""
        return f"{WORKSPACE}/{self.path.relative_to(folder).as_posix()}"

    def remove(self) -> None:
        """Delete the file, and the folders created for it if they are empty. Raises `OSError`."""
        self.path.unlink(missing_ok=True)
        with suppress(OSError):
            self.path.parent.rmdir()
            if self.workspace is not None:
                self.path.parent.parent.rmdir()


def write_trace_file(trace: str, workspace: Path | None, question_id: str, scenario_turn: int | None = None) -> Path:
    """Write the trace below the workspace, or into a temporary folder if there is none.

    The fictional workspace of a preview does not exist; nothing is written there. Raises `OSError` if the file cannot
    be written, or if an agent has put something in its place, such as a link to elsewhere.
    """
    turn = "" if scenario_turn is None else f"_turn{scenario_turn}"
    name = f"trace_{re.sub(r'[^A-Za-z0-9._-]+', '-', question_id)[:100]}{turn}.txt"
    if workspace is not None and not workspace.is_dir():
        return workspace.joinpath(*HOME, name)
    path = (_trace_folder(workspace) if workspace else _temporary_folder()) / name
    # Exclusive creation: an agent may have left a link here that leads out of its workspace.
    path.unlink(missing_ok=True)
    with path.open("x", encoding="utf-8", errors="replace") as file:
        file.write(trace)
    path.chmod(0o644)  # sandboxed commands run as another user
    return path


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="karenina-trace-"))
    # Readable for the user of sandboxed commands; mkdtemp creates mode 0700.
    folder.chmod(0o755)
    return folder


def _trace_folder(workspace: Path) -> Path:
    folder = workspace
    for name in HOME:
        folder = folder / name
        if folder.is_symlink():
            raise OSError(f"{'/'.join(HOME)} is a link, and leads elsewhere")
        folder.mkdir(mode=0o755, exist_ok=True)
    return folder
