"""From an address to what is shown for it, and what is said where there is nothing."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.parts.elements import button, empty_state

NO_PAGE = "There is no page at this address."


class Addresses(ui.sub_pages):
    """Shows what belongs to the address; for an unknown one it says so in the words of the application."""

    def _render_404(self) -> None:
        nothing_here(NO_PAGE)


def nothing_here(message: str, *, title: str = "Nothing here") -> None:
    with empty_state("search_off", title, message, level=1):
        button("Questions", lambda: ui.navigate.to("/"))
        button("All benchmarks", lambda: ui.navigate.to("/benchmarks"))
        button("Runs", lambda: ui.navigate.to("/runs"))
