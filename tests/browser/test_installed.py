"""What people install: the wheel, built from the source distribution, in an environment with nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import karenina_gui
from tests.browser.conftest import answering
from tests.ports import free_port

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build("sdist", ROOT, folder)
    source = folder / f"karenina_gui-{karenina_gui.__version__}"
    with tarfile.open(f"{source}.tar.gz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # not in the first versions of Python 3.11
        archive.extractall(folder)
    build("wheel", source, folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that holds the wheel and what it needs, and nothing else."""
    environment = tmp_path_factory.mktemp("installed") / "environment"
    done(sys.executable, "-m", "venv", str(environment), cwd=wheel.parent)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    constraints = wheel.parent / "constraints.txt"  # with their hashes, pip would want one of the wheel too
    locked = re.findall(r"^[^\s#][^\\\n]*", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    constraints.write_text("\n".join(locked), "utf-8")
    install = ["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    done(str(programs / "python"), *install, "--constraint", str(constraints), str(wheel), cwd=wheel.parent)
    return programs


def test_the_wheel_holds_all_that_the_repository_has(wheel: Path) -> None:
    kept = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    tracked = subprocess.run(["git", "ls-files", "-z", "karenina_gui", "static"], cwd=ROOT, capture_output=True)
    if tracked.returncode != 0:
        pytest.skip("not a checkout")
    names = tracked.stdout.decode().strip("\0").split("\0")
    assert kept == {f"karenina_gui/{name}" if name.startswith("static/") else name for name in names}


def test_an_installed_application_runs_the_example(
    programs: Path, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    with installed(programs, tmp_path) as address:
        page = new_page(once=True)
        page.goto(address)
        page.get_by_role("link", name="New run", exact=True).click()
        expect(page.get_by_text("288 jobs =")).to_be_visible()
        page.get_by_role("button", name="Start run").click()
        expect(page.get_by_text("Completed")).to_be_visible(timeout=60_000)
        for rate in ("94%", "92%", "47%", "58%"):
            expect(page.get_by_role("region", name="Pass rates")).to_contain_text(rate)


@contextmanager
def installed(programs: Path, folder: Path) -> Iterator[str]:
    """The application as its command starts it, in a folder from which nothing of the repository is found."""
    port = free_port()
    command = [programs / "karenina-gui", "--data", folder / "data", "--port", str(port), "--no-browser"]
    with (folder / "log.txt").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=bare(), stdout=log, stderr=subprocess.STDOUT)
    with answering(server, port) as address:
        yield address


def bare() -> dict[str, str]:
    """The environment without what leads to this one."""
    misleading = ("PYTHON", "VIRTUAL_ENV", "PYTEST", "NICEGUI")
    return {name: value for name, value in os.environ.items() if not name.startswith(misleading)}


def build(kind: str, source: Path, folder: Path) -> None:
    done(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder), cwd=source)


def done(*command: str, cwd: Path) -> None:
    process = subprocess.run(command, cwd=cwd, env=bare(), capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
