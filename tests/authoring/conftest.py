from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.workspace_files import WorkspaceFiles
from karenina_gui.sandbox import Sandbox
from karenina_gui.store.library import Library

SECRET = "not for you"


@pytest.fixture
def editor(library: Library, sandbox: Sandbox) -> BenchmarkEditor:
    return BenchmarkEditor(library, sandbox)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one workspace, and a secret beside it."""
    (tmp_path / "root" / "task_01").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text(SECRET)
    return tmp_path / "root"


@pytest.fixture
def task(root: Path) -> Path:
    return root / "task_01"


@pytest.fixture
def files(editor: BenchmarkEditor, root: Path) -> WorkspaceFiles:
    return editor.workspaces.open(root, "task_01")


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())
