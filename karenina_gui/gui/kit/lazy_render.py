"""Parts of a page that are built after its main content."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

SETTLED = 0.03
"""Seconds after the connection; an immediate build would delay the reply to it, and the first keystrokes."""


def lazy_render(draw: Callable[[], object]) -> None:
    """Build this part after the browser has shown the page, or immediately if the window is connected already."""
    if ui.context.client.has_socket_connection:
        draw()
        return
    container = ui.element("div").classes("drawn-next")

    def now() -> None:
        if not container.is_deleted:
            with container:
                draw()

    with container:
        ui.timer(SETTLED, now, once=True)
