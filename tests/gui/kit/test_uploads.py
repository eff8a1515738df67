"""Folders of uploads: those of killed processes go at the next start, all others stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from karenina_gui.gui.kit.uploads import PREFIX, remove_abandoned


@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells no process by a signal")
def test_folders_of_killed_processes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = tmp_path / f"karenina-upload-{ended.pid}-abc"
    others = [tmp_path / f"{PREFIX}abc", tmp_path / f"karenina-upload-{os.getppid()}-abc", tmp_path / "other"]
    for folder in (left, *others):
        (folder / "inside").mkdir(parents=True)
    remove_abandoned()
    assert sorted(tmp_path.iterdir()) == sorted(others)
