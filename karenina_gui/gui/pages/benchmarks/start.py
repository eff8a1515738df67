"""Ways to begin: the examples, a spreadsheet, a new benchmark, a benchmark file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import background_tasks, ui

from karenina_gui.formats.file_kinds import TABLES
from karenina_gui.gui.kit.dialogs import FileDialog
from karenina_gui.gui.kit.elements import hold_typing, one_at_a_time
from karenina_gui.gui.kit.routing import navigate_if_present
from karenina_gui.gui.session.window import Window

NAME_OF_BENCHMARK = '.q-dialog input[aria-label="Name"]'
"""CSS selector of the name in the dialog for a new benchmark."""


@dataclass(frozen=True)
class StartWays:
    """Actions of the cards. `container`: element of their dialogs."""

    window: Window
    container: ui.element
    medicines: Callable[[], Any]
    agents: Callable[[], Any]
    new: Callable[[], Any]
    file: Callable[[], Any]


def start_cards(ways: StartWays) -> None:
    """Draw a card for each way to begin."""
    with ui.element("div").classes("start-cards").props('role="group" aria-label="Ways to start"'):
        _card("science", "Medicines example", "Explore questions and run them without an API key.", ways.medicines)
        _card("smart_toy", "Agents example", "See how a task with files is judged.", ways.agents)
        _card(
            "upload_file",
            "Import questions…",
            "Turn a table of questions and answers into a benchmark, with templates.",
            lambda: ask_spreadsheet(ways.window, ways.container),
        )
        hold_typing(_card("add", "New benchmark", "Write questions one by one.", ways.new), NAME_OF_BENCHMARK)
        _card("inventory_2", "Import benchmark file…", "Open a checkpoint of karenina (.jsonld).", ways.file)
        if ways.window.command_action("help.tour"):
            _card("explore", "Take the tour", "See in a minute where everything is.", lambda: _take_tour(ways.window))


def ask_spreadsheet(window: Window, container: ui.element) -> None:
    """Ask for a table, and import it into a new benchmark of its name."""

    async def use(path: Path) -> None:
        file_dialog.close()
        await import_spreadsheet(window, path, container)

    with container:
        file_dialog = FileDialog(
            "Import questions",
            "A table with one question per row: XLSX, CSV, TSV, JSON, or JSON Lines. It becomes a new benchmark. "
            "You’ll see a preview before anything is imported.",
            TABLES,
            use,
        )


async def import_spreadsheet(window: Window, path: Path, container: ui.element) -> None:
    """Create a benchmark named after a table, and open the import of its questions."""
    name = path.stem.strip() or "Questions"
    benchmark_id = await window.write(window.services.editor.create_benchmark, name)
    window.note_saved()
    window.stage_file(path)
    navigate_if_present(container, f"/benchmarks/{benchmark_id}/questions?import=1")


def import_dropped(window: Window, path: Path) -> None:
    """Import a table that was dropped while no benchmark is open."""
    layout = ui.context.client.layout
    background_tasks.create(import_spreadsheet(window, path, layout), name="import a dropped table", context=layout)


def _take_tour(window: Window) -> None:
    if action := window.command_action("help.tour"):
        action()


def _card(icon: str, title: str, about: str, on_click: Callable[[], Any]) -> ui.button:
    with (
        ui.button(color=None, on_click=one_at_a_time(on_click)).props("flat no-caps").classes("start-card card") as card
    ):
        ui.icon(icon).classes("start-icon")
        with ui.element("span").classes("start-words"):
            ui.label(title).classes("start-title")
            ui.label(about).classes("start-about")
    return card
