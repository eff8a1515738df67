"""A benchmark file of a name that is taken: an update with undo, or a second copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nicegui.elements.upload_files import SmallFileUpload
from nicegui.testing import User

from karenina_gui import example
from karenina_gui.app import Application
from karenina_gui.gui.kit.uploads import Uploader
from karenina_gui.gui.session.app_context import AppContext
from tests.gui.desktop import Desktop
from tests.until import until


@pytest.fixture
def changed_file(tmp_path: Path) -> Path:
    """The example with another reference answer of its first question."""
    file = json.loads(example.BENCHMARK.read_text())
    file["dataFeedElement"][0]["item"]["acceptedAnswer"]["text"] = "Yes."
    path = tmp_path / "changed.jsonld"
    path.write_text(json.dumps(file))
    return path


async def test_a_newer_file_updates_the_benchmark_and_is_undone(
    user: User, application: Application, changed_file: Path
) -> None:
    desktop = await importing(user, application.services(), changed_file)
    before = application.library.questions.entry(1, 1).question.raw_answer
    await user.should_see("The file has 0 new questions, 1 changed, 12 the same.")
    await desktop.press("Update benchmark")
    await until(lambda: application.library.questions.entry(1, 1).question.raw_answer == "Yes.")
    await until(lambda: desktop.address == "/benchmarks/1/questions")
    assert [each.name for each in application.library.benchmarks.summaries()].count(example_name(application)) == 1
    await desktop.press("Undo")
    await until(lambda: application.library.questions.entry(1, 1).question.raw_answer == before)


async def test_a_newer_file_is_compared_before_anything_is_taken_over(
    user: User, application: Application, changed_file: Path
) -> None:
    desktop = await importing(user, application.services(), changed_file)
    before = application.library.questions.entry(1, 1).question.raw_answer
    await desktop.press("Compare…")
    await until(lambda: desktop.address.startswith("/benchmarks/1/versions/compare?with=file:"))
    await user.should_see("Compare with changed.jsonld")
    assert application.library.questions.entry(1, 1).question.raw_answer == before
    await desktop.press("Apply all fields")
    await until(lambda: application.library.questions.entry(1, 1).question.raw_answer == "Yes.")


async def test_a_second_copy_gets_a_number(user: User, application: Application, changed_file: Path) -> None:
    name = example_name(application)
    desktop = await importing(user, application.services(), changed_file)
    await desktop.press("Import second copy")
    await user.should_see(f"Imported a second copy as “{name} (2)”.")
    assert {name, f"{name} (2)"} <= {each.name for each in application.library.benchmarks.summaries()}


async def test_the_same_file_has_nothing_new(user: User, application: Application) -> None:
    desktop = await importing(user, application.services(), example.BENCHMARK)
    await user.should_see("The file has nothing new")
    await desktop.press("Open benchmark")
    await until(lambda: desktop.address == "/benchmarks/1/questions")


async def importing(user: User, services: AppContext, file: Path) -> Desktop:
    """The window after this file was chosen."""
    desktop = Desktop(user, services)
    await desktop.load("/benchmarks?import=1")
    await until(lambda: len(desktop.elements(Uploader)) > 1)
    await desktop.elements(Uploader)[-1].handle_uploads([SmallFileUpload(file.name, "", file.read_bytes())])
    await user.should_see("already exists")
    return desktop


def example_name(application: Application) -> str:
    return application.library.benchmarks.summary(1).name
