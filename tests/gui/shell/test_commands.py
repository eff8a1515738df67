"""One table of commands: what the menus, the shortcuts, the sheet and the palette have in common."""

from __future__ import annotations

import re
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User, user_simulation

from karenina_gui.app import Application
from karenina_gui.gui.pages.rubric.trait_list import ROW_MENU
from karenina_gui.gui.shell import commands, menus
from karenina_gui.gui.shell.commands import COMMANDS, MENUS, ROW_COMMANDS
from karenina_gui.gui.shell.menus import SYNONYMS
from karenina_gui.gui.shell.row_menu import TITLES
from tests.gui.desktop import Desktop

OF_THE_BROWSER = {f"Ctrl+{key}" for key in "WTRNL"} | {f"Ctrl+Shift+{key}" for key in "WTN"} | {"F5", "F11", "Alt+F4"}
WRITTEN = re.compile(r"(Ctrl\+)?(Alt\+)?(Shift\+)?(Enter|Arrow(Up|Down)|F\d{1,2}|[A-Z]|[,/?])")


class Nothing:
    """A window just opened: no benchmark, and nothing is offered by a page."""

    benchmark_id = None
    path = "/guide"
    chapter = ""

    def command_action(self, command: str) -> None:
        return None


def test_no_two_commands_share_a_name_a_title_or_a_shortcut() -> None:
    for of in ("id", "title"):
        names = [getattr(command, of) for command in COMMANDS]
        assert len(set(names)) == len(names)
    both = [(command.shortcut, command.second_shortcut) for command in COMMANDS]
    shortcuts = [shortcut for pair in both for shortcut in pair if shortcut]
    assert len(set(shortcuts)) == len(shortcuts)


def test_shortcuts_are_written_as_the_browser_writes_them_and_leave_it_its_own() -> None:
    for command in COMMANDS:
        assert not command.shortcut or WRITTEN.fullmatch(command.shortcut), command
        assert not {command.shortcut, command.second_shortcut} & OF_THE_BROWSER, command


def test_every_command_stands_in_a_menu() -> None:
    assert {command.menu for command in COMMANDS} == set(MENUS)


def test_what_cannot_be_done_says_why() -> None:
    window: Any = Nothing()
    for command in COMMANDS:
        if command.run is None and not command.script:
            assert command.obstacle(window), command
    held = {command.id for command in COMMANDS if command.run and command.obstacle(window)}
    assert held == commands.NEEDS_BENCHMARK | {"edit.undo", "edit.redo"}


def test_what_needs_a_benchmark_is_held_back_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(ui.navigate, "to", shown.append)
    window: Any = Nothing()
    for command in COMMANDS:
        if command.run and command.obstacle(window) is None and not command.id.startswith("view."):
            command.run(window)
    assert shown and not any("None" in address for address in shown)


@pytest.mark.parametrize("arrival", ["mouseenter.once", "focusin.once"])
async def test_entries_of_the_menus_come_with_the_pointer_or_the_focus(
    user: User, application: Application, arrival: str
) -> None:
    desktop = Desktop(user, application.services())
    await desktop.load("/models")
    closed = desktop.elements(menus.Menu)
    assert [len(menu.entries) for menu in closed] == [0] * len(MENUS)
    desktop.reach_menus(arrival)
    assert [len(menu.entries) for menu in closed] == [len(menu.commands) for menu in closed]


async def test_menus_sheet_and_palette_show_the_same_commands() -> None:
    drawn: dict[str, list[list[str]]] = {}

    def draw() -> None:
        window: Any = Nothing()
        menus.menu_bar(window)
        sheet, palette = menus.ShortcutSheet(), menus.Palette(window)
        palette.fill()
        sheet.show()
        for menu in [each for each in ui.context.client.elements.values() if isinstance(each, menus.Menu)]:
            menu.refresh()
        items = [each for each in ui.context.client.elements.values() if isinstance(each, ui.menu_item)]
        drawn["menus"] = [_labels(item)[:2] for item in items]
        drawn["palette"] = [[row[0], row[2]] for row in map(_labels, palette.rows.default_slot.children)]
        words = _labels(sheet)
        drawn["sheet"] = [[words[at + 1], words[at]] for at in range(1, len(words) - 1, 2)]

    async with user_simulation(root=draw) as user:
        await user.open("/")
    everything = [[command.title, command.keys] for command in COMMANDS]
    assert drawn["palette"] == everything
    assert sorted(drawn["menus"]) == sorted(everything)
    assert drawn["sheet"] == [each for each in everything if each[1]]


def _labels(place: ui.element) -> list[str]:
    return [each.text for each in place.descendants() if type(each) is ui.label]


def test_commands_are_found_by_the_names_that_other_programs_use() -> None:
    assert set(SYNONYMS) <= {command.id for command in commands.COMMANDS}
    window: Any = Nothing()
    found = {
        words: {each.id for each in menus.matching(words, window)} for words in ("undo", "theme", "compare", "history")
    }
    assert found["undo"] == {"edit.undo"}
    assert {"questions.restore", "benchmark.restore"} <= {each.id for each in menus.matching("undelete", window)}
    assert {"view.dark", "view.light", "view.system"} <= found["theme"]
    assert [command.id for command in menus.matching("run again", window)] == ["run.again"]
    for name, command in {"replicates": "run.configure", "report": "run.list", "temperature": "run.models"}.items():
        assert command in {match.id for match in menus.matching(name, window)}
    assert "run.list" in found["compare"] & found["history"]
    assert "questions.search" in {each.id for each in menus.matching("search", window)}
    assert menus.matching("guide", window)[0].id == "help.contents"


def test_context_menus_have_commands_of_the_table_and_no_title_twice() -> None:
    titles = [command.title for command in (*COMMANDS, *ROW_COMMANDS)]
    assert len(set(titles)) == len(titles)
    assert set(ROW_MENU) <= TITLES.keys()
