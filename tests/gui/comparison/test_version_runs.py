"""The run form of a published version, and the pages of its run."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from tests.gui.comparison.test_comparison_page import texts
from tests.gui.desktop import Desktop
from tests.until import until


async def test_a_version_is_run_from_its_page_and_named_on_those_of_the_run(
    user: User, application: Application
) -> None:
    application.editor.set_finished(1, range(4, 13), False)  # three questions are enough
    application.editor.publishing.publish(1, "pilot")
    application.editor.edit(1, 1, {"question": "Other words?"})
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/versions")
    await desktop.press("Run v1")
    await until(lambda: "New run: Medicines: a first look v1 (pilot)" in texts(desktop))
    assert "Runs the 3 finished questions of v1 (pilot), as published." in texts(desktop)
    await until(lambda: "3 of 13 questions will run" in texts(desktop))
    await until(lambda: [each.enabled for each in desktop.elements(ui.button) if each.text == "Start run"] == [True])
    await desktop.press("Start run")
    await until(lambda: desktop.address == "/runs/1")
    assert application.runs.wait(1, 60)
    await until(lambda: "v1 (pilot)" in texts(desktop))
    await desktop.press("Run again")
    await until(lambda: "The earlier run used v1 (pilot). This one uses the current state." in texts(desktop))
    await desktop.press("Run v1 instead")
    await until(lambda: "Runs the 3 finished questions of v1 (pilot), as published." in texts(desktop))
    (first, *_) = application.library.results.page(1).rows
    await desktop.load(f"/runs/1/results/{first.id}")
    await until(lambda: "Benchmark v1 (pilot)" in texts(desktop))
