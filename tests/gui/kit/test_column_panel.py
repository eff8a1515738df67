"""Columns that a person arranges, as they come from a browser and are kept."""

from __future__ import annotations

from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application
from karenina_gui.gui.kit.column_panel import ColumnPanel
from karenina_gui.gui.kit.grid import Grid
from karenina_gui.gui.session.window import Window


async def test_columns_are_kept_for_the_person_without_what_no_table_can_have(
    user: User, application: Application
) -> None:
    panels: list[ColumnPanel] = []
    services = application.services()

    @ui.page("/")
    def page() -> None:
        panel = ColumnPanel(Window(services).preferences, "results", {"why": "Why", "judge": "Judge"})
        panels.append(panel)
        panel.draw()
        panel.attach(Grid("run_tables", label="Results", empty=""))

    await user.open("/")
    await user.should_see("Judge", kind=ui.checkbox)
    sent = [
        {"colId": "judge", "hide": True, "pinned": None, "width": 120, "flex": None},
        {"colId": "why", "hide": False, "pinned": "above", "width": 10**9, "flex": "wide"},
        {"hide": True},
        "why",
    ]
    user.find(Grid).trigger("columns", sent)
    valid = [
        {"colId": "judge", "hide": True, "pinned": None, "width": 120, "flex": None},
        {"colId": "why", "hide": False, "pinned": None, "width": 2000, "flex": None},
    ]
    assert panels[-1].state() == valid
    await user.open("/")
    await user.should_see("Judge", kind=ui.checkbox)
    boxes = {box.text: box.value for box in user.find(ui.checkbox).elements}
    assert boxes == {"Why": True, "Judge": False}
    assert panels[-1].state() == valid
