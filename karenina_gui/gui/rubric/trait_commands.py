"""Menu commands and keyboard shortcuts of the trait list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from karenina_gui.gui.session.window import Window


class TraitActions(Protocol):
    """Actions on the selected trait, and those that add one."""

    def choose_key(self, key: int) -> None: ...

    def ask_kind(self) -> None: ...

    def suggest(self) -> None: ...

    def pick(self) -> None: ...

    def paste(self) -> object: ...

    def duplicate(self) -> object: ...

    def copy(self) -> None: ...

    def spread(self) -> None: ...

    def calibrate(self) -> None: ...

    def shelve(self) -> object: ...

    def move(self, step: int) -> object: ...

    def remove(self) -> object: ...

    def into_form(self) -> None: ...


ROW_MENU = (
    *("trait.duplicate", "trait.copy", "trait.paste", "trait.spread", "trait.shelve"),
    *("trait.calibrate", "trait.up", "trait.down", "trait.new", "trait.delete"),
)
"""Commands of the context menu of a trait."""


def register_commands(window: Window, actions: TraitActions, is_shown: Callable[[], bool]) -> None:
    """Offer the menu commands while the rubric is visible."""
    offers: dict[str, Callable[[], Any]] = {
        "trait.new": actions.ask_kind,
        "trait.suggest": actions.suggest,
        "trait.from": actions.pick,
        "trait.duplicate": actions.duplicate,
        "trait.copy": actions.copy,
        "trait.paste": actions.paste,
        "trait.spread": actions.spread,
        "trait.shelve": actions.shelve,
        "trait.calibrate": actions.calibrate,
        "trait.up": lambda: actions.move(-1),
        "trait.down": lambda: actions.move(1),
        "trait.delete": actions.remove,
    }

    def here(action: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: action() if is_shown() else window.notify("Open the Rubric tab first.")

    for command, action in offers.items():
        window.register_command(command, here(action))

    def on_row(action: Callable[[], Any]) -> Callable[[int], Any]:
        def act(key: int) -> Any:
            actions.choose_key(key)
            return action()

        return act

    window.register_row_menu("trait", {command: on_row(offers[command]) for command in ROW_MENU})


def handle_key(actions: TraitActions, key: str) -> Any:
    """Run the command of a key pressed in the list."""
    commands: dict[str, Callable[[], Any]] = {
        "Delete": actions.remove,
        "Enter": actions.into_form,
        "Ctrl+c": actions.copy,
        "Ctrl+v": actions.paste,
        "Ctrl+d": actions.duplicate,
    }
    return commands[key]()
