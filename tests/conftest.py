"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.examples import THOROUGH

if TYPE_CHECKING:
    from karenina_gui.sandbox import Sandbox
    from karenina_gui.store.library import Library

HERE = Path(__file__).parent
LONG = (
    "gui/test_forms", "adapters/test_claude_agent_sdk", "test_command", "runs/test_outages", "sandbox/test_cells",
    "adapters/test_claude_code_own_tools", "runs/test_resume", "gui/run_setup/test_option_groups",
    "sandbox/test_hostile_templates", "adapters/test_mcp_servers", "test_documented_commands",
    "gui/calibration/test_calibration_page", "gui/run_setup/test_run_plan", "sandbox/test_judge_commands",
    "sandbox/test_data_templates", "authoring/test_nothing_is_lost", "adapters/test_provider_faults",
    "cluster/test_cluster_faults", "cluster/test_cluster_runs", "cluster/test_cluster_checks",
    "sandbox/test_monty_templates", "runs/test_cancel", "gui/runs/test_exports", "figures/test_figures_agree",
    "gui/test_memory", "test_published_verdicts", "sandbox/test_pool", "analysis/test_coverage",
)  # fmt: skip
"""Slowest test files, the slowest first."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort slow files first, so that no worker is left with one at the end.

    Tests marked `thorough` are left out unless all tests are requested (`tests/examples.py`) or the test is named.
    """
    if not THOROUGH and not any("::" in each for each in config.args):
        left_out = [each for each in items if each.get_closest_marker("thorough")]
        items[:] = [each for each in items if not each.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=left_out)
    places = {HERE / f"{name}.py": place for place, name in enumerate(LONG)}
    items.sort(key=lambda each: places.get(each.path, len(LONG)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Collect no garbage while tests are collected, since everything that is loaded stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Collect garbage as rarely as the served application, and never look through what is loaded."""
    gc.freeze()
    gc.set_threshold(5_000)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of specifications, oracles and published data next to the checkout. Tests skip if it is missing."""
    folder = Path(os.environ.get("KARENINA_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not folder.is_dir():
        pytest.skip(f"needs the shared data at {folder} (or wherever KARENINA_SHARED says)")
    return folder


@pytest.fixture
def interfaces() -> Iterator[None]:
    """Interfaces that the test registers are gone after it."""
    from karenina_gui.adapters.registry import AdapterRegistry  # loaded for those who use it

    with AdapterRegistry.scope():
        yield


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One slot is enough for a test."""
    from karenina_gui.sandbox import Sandbox  # loaded for those who use it

    with Sandbox(slots=1) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def new_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of an empty library. Copying it takes a hundredth of the time of creating one."""
    from karenina_gui.store.library import FILE_NAME, Library

    folder = tmp_path_factory.mktemp("new")
    Library.open(folder).close()
    return folder / FILE_NAME


@pytest.fixture
def library(tmp_path: Path, new_library: Path) -> Iterator[Library]:
    """A new library in the folder `data`."""
    from karenina_gui.store.library import Library

    (tmp_path / "data").mkdir(exist_ok=True)
    shutil.copy(new_library, tmp_path / "data")
    with Library.open(tmp_path / "data") as library:
        yield library


@dataclass
class Said:
    """Output and exit code of a command."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Run a command in the test process, where an unexpected exception fails the test."""
    from karenina_gui.__main__ import main  # loaded for those who use it

    def perform(folder: Path, *arguments: str) -> Said:
        for name, value in of_a_person(folder).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(folder)
        try:
            code = main(arguments)
        except SystemExit as ended:  # so the parser ends, also after its help
            code = int(ended.code or 0)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return perform


def of_a_person(folder: Path) -> dict[str, str]:
    """Environment of a user with this home folder."""
    return {"HOME": str(folder), "COLUMNS": "200"}
