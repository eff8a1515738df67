"""Parts of a page that can wait until what it was opened for stands."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

SETTLED = 0.03
"""Seconds after the connection: drawing at once would hold up the reply to it, and with it every key that is typed."""


def drawn_next(draw: Callable[[], object]) -> None:
    """Draw this part here as soon as the browser has built the page without it; at once in a window that is open."""
    if ui.context.client.has_socket_connection:
        draw()
        return
    place = ui.element("div").classes("drawn-next")

    def now() -> None:
        if not place.is_deleted:
            with place:
                draw()

    with place:
        ui.timer(SETTLED, now, once=True)
