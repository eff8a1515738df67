"""Redrawing of parts of a page while the user is not in them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, ui

PATIENCE = 5.0
"""Seconds for the browser's answer; without one, the focus counts as inside."""

AGAIN = 1.0
"""Seconds until the next question to the browser."""


def update_when_unfocused(place: ui.element, wanted: Callable[[], bool], draw: Callable[[], Any]) -> None:
    """Redraw once the focus is not in `place`, as long as `wanted` returns True."""

    async def ask() -> None:
        drawn = False
        while not (drawn or place.is_deleted) and wanted():
            # A redraw would drop keystrokes that are still on their way. The browser answers and blocks `place` in one
            # step, so that the focus cannot enter before the redraw.
            if await _hold(place) and not place.is_deleted and wanted():
                draw()
                drawn = True
            if not place.is_deleted:
                place.client.run_javascript(f"letGo({place.id})")  # messages arrive in order: after the redraw
            await asyncio.sleep(0 if drawn else AGAIN)

    background_tasks.create(ask(), name="draw when nobody is there", context=place)


async def _hold(place: ui.element) -> bool:
    try:
        return bool(await place.client.run_javascript(f"holdStill({place.id})", timeout=PATIENCE))
    except TimeoutError:
        return False
