"""The tour of the window, and the ways to start."""

from __future__ import annotations

from nicegui import ui
from nicegui.elements.upload_files import SmallFileUpload
from nicegui.testing import User, UserInteraction

from karenina_gui.app import Application
from karenina_gui.gui.kit.uploads import Uploader
from karenina_gui.gui.shell.commands import BY_ID
from karenina_gui.gui.shell.tour import STEPS
from tests.gui.desktop import Desktop
from tests.until import until


async def test_the_tour_goes_forth_and_back_and_starts_again(user: User, application: Application) -> None:
    desktop = await at(user, application, "/benchmarks/1/questions")
    await take_tour(desktop)
    for step in STEPS[:-1]:
        await until(lambda step=step: step.title in headings(desktop))
        await desktop.press("Next")
    await until(lambda: f"Step {len(STEPS)} of {len(STEPS)}" in labels(desktop))
    await desktop.press("Back")
    await until(lambda: STEPS[-2].title in headings(desktop))
    await desktop.press("End tour")
    await until(lambda: not panel_is_shown(desktop))
    await take_tour(desktop)
    await until(lambda: panel_is_shown(desktop) and STEPS[0].text in labels(desktop))


async def test_an_empty_library_offers_all_ways_to_start(user: User, application: Application) -> None:
    for number in application.library.benchmarks.numbers():
        application.editor.delete_benchmark(number)
    desktop = await at(user, application, "/benchmarks")
    for way in ("Medicines example", "Import questions…", "New benchmark", "Import benchmark file…", "Take the tour"):
        await user.should_see(way)
    (card,) = with_label(desktop, ui.button, "Import questions…")
    UserInteraction(user, {card}, None).click()
    await until(lambda: len(desktop.elements(Uploader)) > 1)
    table = SmallFileUpload("spring exam.csv", "", b"Question,Answer\nWhy?,So\n")
    await desktop.elements(Uploader)[-1].handle_uploads([table])
    await until(lambda: desktop.address.partition("?")[0].endswith("/questions"))
    assert [each.name for each in application.library.benchmarks.summaries()] == ["spring exam"]
    await user.should_see("Import questions from")


async def test_the_ways_to_start_are_in_the_help_menu_beside_other_benchmarks(
    user: User, application: Application
) -> None:
    await at(user, application, "/benchmarks?start=1")
    await user.should_see("Import questions…")
    await user.should_see("Last saved")
    assert BY_ID["help.start"].menu == BY_ID["help.tour"].menu == "Help"


async def at(user: User, application: Application, address: str) -> Desktop:
    desktop = Desktop(user, application.services())
    await desktop.load(address)
    return desktop


async def take_tour(desktop: Desktop) -> None:
    """Start the tour from the palette."""
    await desktop.press("Find a command")
    await until(lambda: with_label(desktop, ui.item, "Take the tour"))
    UserInteraction(desktop.user, {with_label(desktop, ui.item, "Take the tour")[-1]}, None).click()


def with_label(desktop: Desktop, kind: type[ui.element], text: str) -> list[ui.element]:
    found = desktop.elements(kind)
    return [each for each in found if any(getattr(part, "text", "") == text for part in each.descendants())]


def headings(desktop: Desktop) -> list[str]:
    return [each.text for each in desktop.elements(ui.label) if each.props.get("role") == "heading"]


def labels(desktop: Desktop) -> list[str]:
    return [each.text for each in desktop.elements(ui.label)]


def panel_is_shown(desktop: Desktop) -> bool:
    return any(each.props.get("aria-label") == "Tour" for each in desktop.elements(ui.element))
