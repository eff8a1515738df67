"""Rubric page of a benchmark: the traits for all its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.gui.kit.elements import heading, pane, scrolling, toolbar
from karenina_gui.gui.pages.rubric.trait_list import TraitList
from karenina_gui.gui.session.window import Window

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/benchmarks/{b}/rubric`; `?at=trait:depth` opens a trait."""
    with pane("Rubric"):
        with toolbar():
            heading("Rubric", 1)
            ui.label("traits for every question").classes("hint")
        with scrolling(), ui.element("div").classes("form form-wide"):
            traits = TraitList(window)
    window.register_places(None, lambda _, at: traits.reveal(at))
    if "at" in route.query:
        traits.reveal(route.query["at"])
