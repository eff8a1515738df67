"""History of everything that belongs to no benchmark: models, presets, prices, and the list of benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karenina_gui.gui.pages.history.page import HistoryPage

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute
    from karenina_gui.gui.session.window import Window


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/history`; `?command=3` opens a command."""
    HistoryPage(window, None, None).draw(route.query.get("command"))
