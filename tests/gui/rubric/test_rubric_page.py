"""The Rubric page of a benchmark, and the ways that lead there."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User

from karenina_gui.gui.pages.history.places import place_of_command
from karenina_gui.gui.session.app_context import AppContext
from karenina_gui.schemas.command import Actor, LoggedCommand
from tests.gui.desktop import Desktop
from tests.until import until


def titles(desktop: Desktop) -> list[str]:
    return [each.text for each in desktop.elements(ui.label) if each.props.get("role") == "heading"]


async def test_a_place_opens_its_trait_whose_title_follows_its_name(user: User, services: AppContext) -> None:
    desktop = Desktop(user, services)
    await desktop.load("/benchmarks/1/rubric?at=trait:sends to a professional")
    await until(lambda: titles(desktop) == ["Rubric", "sends to a professional"])
    await desktop.type("Name", "sends to a doctor")
    await until(lambda: titles(desktop) == ["Rubric", "sends to a doctor"])
    await desktop.choose("Copy trait")
    await until(lambda: any("Copied “sends to a doctor”." in each.text for each in desktop.elements(ui.label)))


def test_the_history_of_a_trait_leads_to_its_page() -> None:
    def place(*fields: str) -> str:
        data = {"fields": list(fields)}
        command = LoggedCommand(1, "benchmark/3", "benchmark.edit", data, Actor(), "2026-01-01", "done")
        return place_of_command(command, is_there=False)

    assert place("rubric", "trait_edits") == "/benchmarks/3/rubric"
    assert place("name", "rubric") == place("name") == "/benchmarks/3/details"
