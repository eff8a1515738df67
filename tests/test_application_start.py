"""Application start: the first page appears at once and loads only what it needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.app import build, use_own_temporary_folder
from karenina_gui.private_folders import TEMPORARY
from karenina_gui.settings import Settings
from tests.ports import free_port
from tests.until import comes

STARTED = """
import gc, json, os, sys, threading, time, urllib.request
from urllib.error import URLError

def ask():
    while True:
        try:
            page = urllib.request.urlopen("http://127.0.0.1:{port}/").read().decode()
            break
        except URLError:
            time.sleep(0.05)
    print("\\n" + json.dumps({{"page": page, "loaded": sorted(sys.modules), "collects": gc.isenabled()}}), flush=True)
    os._exit(0)

threading.Thread(target=ask, daemon=True).start()
from karenina_gui.__main__ import main
main(["--data", {data!r}, "--port", "{port}", "--no-browser"])
"""

LATER = {
    *(
        "aiohttp",
        "requests",
        "anthropic",
        "openai",
        "numpy",
        "scipy",
        "statsmodels",
        "krippendorff",
        "openpyxl",
        "pyte",
        "yaml",
    ),
    "karenina_gui.formats.tables.question_import",
    "karenina_gui.gui.charts.page",
    "karenina_gui.gui.pages.questions.editor",
    "karenina_gui.gui.pages.results.page",
    "karenina_gui.gui.pages.run_setup.form",
    "karenina_gui.pipeline.verify_job",
    "karenina_gui.rubric.evaluators",
    "karenina_gui.sandbox.inside.loaded_template",
}
"""Modules loaded on demand; together they take as long as all others."""


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """First page of an existing library, and the state of the process after it."""
    data = tmp_path_factory.mktemp("started") / "data"
    build(Settings(data=data)).close()
    code = STARTED.format(port=free_port(), data=str(data))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NICEGUI"))}
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, check=True, env=environment, text=True, timeout=60, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


def test_the_first_page_needs_nothing_that_takes_long_to_load(started: dict[str, Any]) -> None:
    assert LATER & {*started["loaded"]} == set()


def test_the_list_of_questions_comes_with_the_window(started: dict[str, Any]) -> None:
    assert "Question list" in started["page"]


def test_packages_that_nicegui_does_without_can_be_imported_afterwards() -> None:
    """A module that is already loaded stays as it is."""
    code = """
import sys
import tempfile
from karenina_gui.gui.session.nicegui_internals import hide
left_out = {"aiohttp", "requests"} & {*sys.modules}
import aiohttp, requests
with hide(["aiohttp", "requests"]):
    pass
print(left_out == set(), sys.modules["aiohttp"] is aiohttp, sys.modules["requests"] is requests)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60)
    assert said.stdout == "True True True\n"


def test_garbage_is_collected_again_once_pages_are_served(started: dict[str, Any]) -> None:
    assert started["collects"]


def test_temporary_files_lie_in_the_data_folder_and_are_swept_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", "")
    use_own_temporary_folder(tmp_path)
    left_behind = Path(tempfile.mkdtemp())
    (left_behind / "file").write_text("large")
    assert left_behind.is_relative_to(tmp_path)
    use_own_temporary_folder(tmp_path)
    assert comes(lambda: [path.name for path in tmp_path.iterdir()] == [TEMPORARY])
    assert not left_behind.exists()
