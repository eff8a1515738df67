"""Undo and redo of the open page: which commands they concern, and what the menu says."""

from __future__ import annotations

import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.gui.shell.menus import Menu
from karenina_gui.gui.shell.undo import scope_in
from tests.gui.desktop import Desktop
from tests.until import until


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("/benchmarks/3/questions", "benchmark/3"),
        ("/benchmarks/3/questions/12?tab=template#text=a", "benchmark/3"),
        ("/benchmarks/3/details", "benchmark/3"),
        ("/benchmarks/3/rubric", "benchmark/3"),
        ("/benchmarks/3/history?command=4", "benchmark/3"),
        ("/benchmarks/3/run", None),
        ("/benchmarks", "benchmarks"),
        ("/models?id=3", "models"),
        ("/presets", "presets"),
        ("/prices", "prices"),
        ("/runs/3", None),
        ("/", None),
    ],
)
def test_a_page_has_the_commands_of_what_it_shows(path: str, scope: str | None) -> None:
    assert scope_in(path) == scope


def entries(desktop: Desktop) -> dict[str, ui.element]:
    """Entries of the Edit menu by title, as when it opens."""
    menus = [each for each in desktop.client.elements.values() if isinstance(each, Menu)]
    (menu,) = [menu for menu in menus if menu.commands[0].id == "edit.undo"]
    with desktop.client:
        menu.refresh()
    return {title.text: item for item, title in menu.entries.values()}


def press(desktop: Desktop, title: str) -> None:
    UserInteraction(desktop.user, {entries(desktop)[title]}, None).click()


async def test_the_menu_names_what_it_undoes_and_redoes(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/benchmarks/1/questions/1?tab=question")
    await until(lambda: desktop.fields("Reference answer"))
    assert entries(desktop)["Undo"].props["aria-description"] == "You have nothing to undo here."
    before = desktop.text("Reference answer")
    await desktop.type("Reference answer", "other words")
    await until(lambda: "Undo edit reference answer" in entries(desktop))
    press(desktop, "Undo edit reference answer")
    await until(lambda: desktop.text("Reference answer") == before)
    assert {"Undo", "Redo edit reference answer"} <= entries(desktop).keys()
    press(desktop, "Redo edit reference answer")
    await until(lambda: desktop.text("Reference answer") == "other words")
    await desktop.follow("/guide")
    assert entries(desktop)["Undo"].props["aria-description"].startswith("Open a benchmark first")


async def test_models_and_presets_are_undone_on_their_pages(user: User, application: Application) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/models")
    await desktop.press("New model")
    await until(lambda: "new model" in desktop.entries())
    await until(lambda: "Undo add model" in entries(desktop))
    press(desktop, "Undo add model")
    await until(lambda: "new model" not in desktop.entries())
    press(desktop, "Redo add model")
    await until(lambda: "new model" in desktop.entries())
    await desktop.follow("/benchmarks/1/questions")
    assert "Undo" in entries(desktop)
