"""Menu commands and keyboard shortcuts of the trait list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karenina_gui.gui.rubric.trait_list import TraitList


def register_commands(traits: TraitList) -> None:
    """Offer the menu commands while the rubric is visible."""
    offers: dict[str, Callable[[], Any]] = {
        "trait.new": traits.ask_kind,
        "trait.from": traits.pick,
        "trait.duplicate": traits.duplicate,
        "trait.copy": traits.copy,
        "trait.paste": traits.paste,
        "trait.spread": traits.spread,
        "trait.up": lambda: traits.move(-1),
        "trait.down": lambda: traits.move(1),
        "trait.delete": traits.remove,
    }

    def here(action: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: action() if traits.shown() else traits.window.notify("Open the Rubric tab first.")

    for command, action in offers.items():
        traits.window.register_command(command, here(action))


def handle_key(traits: TraitList, key: str) -> None:
    """Run the command of a key pressed in the list."""
    done: dict[str, Callable[[], Any]] = {
        "Delete": traits.remove,
        "Enter": traits.into_form,
        "Ctrl+c": traits.copy,
        "Ctrl+v": traits.paste,
        "Ctrl+d": traits.duplicate,
    }
    done[key]()
