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


def update_when_unfocused(element: ui.element, is_due: Callable[[], bool], draw: Callable[[], Any]) -> None:
    """Redraw once the focus is not in `element`, as long as `is_due` returns True."""

    async def ask() -> None:
        drawn = False
        while not (drawn or element.is_deleted) and is_due():
            # A redraw would drop keystrokes that are still on their way. The browser answers and blocks `element` in
            # one step, so that the focus cannot enter before the redraw.
            if await _hold(element) and not element.is_deleted and is_due():
                draw()
                drawn = True
            if not element.is_deleted:
                element.client.run_javascript(f"letGo({element.id})")  # messages arrive in order: after the redraw
            await asyncio.sleep(0 if drawn else AGAIN)

    background_tasks.create(ask(), name="draw when nobody is there", context=element)


async def _hold(element: ui.element) -> bool:
    try:
        return bool(await element.client.run_javascript(f"holdStill({element.id})", timeout=PATIENCE))
    except TimeoutError:
        return False
