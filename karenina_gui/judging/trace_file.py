"""The trace of an answer as a file that a judging agent searches, where it is too long for a prompt."""

from __future__ import annotations

import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from karenina_gui.judging.investigation import WORKSPACE

HOME = (".karenina", "traces")
"""Folders below a workspace in which traces stand."""


@dataclass(frozen=True)
class TraceFile:
    """`workspace` None: the file stands in a folder of its own, outside of any workspace."""

    path: Path
    workspace: Path | None

    def seen_from(self, folder: Path) -> str:
        """Its place, as an agent that works in `folder` has it. Errors: `ValueError`: it is not below that folder."""
        return f"{WORKSPACE}/{self.path.relative_to(folder).as_posix()}"

    def remove(self) -> None:
        """The file, and the folders that were made for it, as far as they are empty. Errors: `OSError`."""
        self.path.unlink(missing_ok=True)
        with suppress(OSError):
            self.path.parent.rmdir()
            if self.workspace is not None:
                self.path.parent.parent.rmdir()


def write_trace_file(trace: str, workspace: Path | None, question_id: str, scenario_turn: int | None = None) -> Path:
    """Write the trace below the workspace, or into a temporary folder where there is none.

    A workspace that is not there is one that a preview speaks of; then nothing is written. Errors: `OSError`: it
    cannot be written, or something of an agent's stands in the way, such as a link that leads elsewhere.
    """
    turn = "" if scenario_turn is None else f"_turn{scenario_turn}"
    name = f"trace_{re.sub(r'[^A-Za-z0-9._-]+', '-', question_id)[:100]}{turn}.txt"
    if workspace is not None and not workspace.is_dir():
        return workspace.joinpath(*HOME, name)
    path = (_home(workspace) if workspace else _temporary()) / name
    path.unlink(missing_ok=True)
    with path.open("x", encoding="utf-8", errors="replace") as file:
        file.write(trace)
    path.chmod(0o644)  # whoever commands run as has to read it
    return path


def _temporary() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="karenina-trace-"))
    folder.chmod(0o755)
    return folder


def _home(workspace: Path) -> Path:
    folder = workspace
    for name in HOME:
        folder = folder / name
        if folder.is_symlink():
            raise OSError(f"{'/'.join(HOME)} is a link, and leads elsewhere")
        folder.mkdir(mode=0o755, exist_ok=True)
    return folder
