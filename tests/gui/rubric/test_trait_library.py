"""Traits in the library, saved from one rubric and added to another."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.session.app_context import AppContext
from tests.calibrated import judged_benchmark
from tests.gui.desktop import Desktop
from tests.until import until


async def test_a_trait_is_saved_added_and_removed(user: User, services: AppContext) -> None:
    benchmark = judged_benchmark(services.library)
    desktop = Desktop(user, services)
    await desktop.load(f"/benchmarks/{benchmark}/rubric")
    await desktop.choose("Save to library")
    await until(lambda: [each.name for each in services.library.shelf.all("trait")] == ["depth"])
    other = services.editor.create_benchmark("Other")
    await desktop.load(f"/benchmarks/{other}/rubric")
    await desktop.press("Add existing traits…")
    await until(lambda: boxes(desktop, "depth, Score · library"))
    boxes(desktop, "depth, Score · library")[0].value = True
    boxes(desktop, "completeness, Score · ready-made")[0].value = True
    await desktop.press("Add 2 traits")
    await until(lambda: names(services, other) == ["depth", "completeness"])
    await desktop.press("Add existing traits")
    await until(lambda: boxes(desktop, "depth, Score · library"))
    boxes(desktop, "depth, Score · library")[-1].value = True
    await desktop.press("Remove from library")
    await until(lambda: not services.library.shelf.all("trait"))
    assert names(services, other) == ["depth", "completeness"], "copies stay"


def boxes(desktop: Desktop, name: str) -> list[ui.checkbox]:
    return [each for each in desktop.elements(ui.checkbox) if each.props.get("aria-label") == name]


def names(services: AppContext, benchmark: int) -> list[str]:
    rubric = services.library.benchmarks.frame(benchmark).rubric
    return rubric.names if rubric else []
