"""Menu and cards to choose the kind of a new trait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from karenina_gui.gui.components.elements import button
from karenina_gui.gui.rubric.kinds import READY, ReadyTrait, TraitKind, kinds

OnChoose = Callable[[TraitKind | ReadyTrait], Any]


class NewTraitMenu:
    """Button with a menu. Arrow keys, Home and End move through it."""

    def __init__(self, on_choose: OnChoose) -> None:
        self._on_choose = on_choose
        self._chosen: TraitKind | ReadyTrait | None = None
        with button("New trait", icon="add", look="main").props('aria-haspopup="menu"'):
            self.menu = ui.menu().props('auto-close transition-duration="80" aria-label="New trait"')
            with self.menu.classes("trait-menu"), ui.element("div") as rows:
                rows.on("keydown", js_handler=_ARROWS)
                for number, kind in enumerate(kinds()):
                    self._row(kind, kind.title, kind.line, number == 0)
                ui.separator()
                for ready in READY:
                    self._row(ready, ready.title, ready.line)
        self.menu.on("hide", self._on_hide, args=[])

    def open(self) -> None:
        self.menu.open()

    def _choose(self, kind: TraitKind | ReadyTrait) -> None:
        self._chosen = kind

    def _on_hide(self) -> Any:
        # Only now: a menu that closes gives the focus back to its button.
        chosen, self._chosen = self._chosen, None
        return None if chosen is None else self._on_choose(chosen)

    def _row(self, kind: TraitKind | ReadyTrait, title: str, about: str, first: bool = False) -> None:
        with ui.menu_item(on_click=lambda: self._choose(kind)).classes("menu-item trait-menu-item") as item:
            item.props('role="menuitem"' + (" autofocus" if first else ""))
            ui.icon(kind.icon)
            with ui.element("div"):
                ui.label(title)
                ui.label(about).classes("hint")


def kind_cards(on_choose: OnChoose) -> None:
    """Draw the kinds as cards, for an empty rubric."""
    with ui.element("div").classes("starter-grid trait-cards"):
        offers: list[TraitKind | ReadyTrait] = [*kinds(), *READY]
        for kind in offers:
            with ui.element("button").props('type="button"').classes("starter") as card:
                ui.icon(kind.icon)
                with ui.element("span"):
                    ui.label(kind.title).classes("starter-title")
                    ui.label(kind.line).classes("hint")
            card.on("click", lambda kind=kind: on_choose(kind), args=[])


_ARROWS = """(event) => {
  const items = [...event.currentTarget.querySelectorAll(".q-item")], here = items.indexOf(document.activeElement);
  const there = {ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: items.length - 1}[event.key];
  if (there === undefined) return;
  event.preventDefault();
  items[(there + items.length) % items.length].focus();
}"""
