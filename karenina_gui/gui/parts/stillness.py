"""A part of the page is drawn anew only while nobody is in it: what is typed there may still be on its way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, ui

PATIENCE = 5.0
"""Seconds in which the browser must say whether somebody is there; otherwise it counts as if there were."""

AGAIN = 1.0
"""Seconds until it is asked once more."""


def when_still(place: ui.element, wanted: Callable[[], bool], draw: Callable[[], Any]) -> None:
    """Draw as soon as the browser says that nobody is in the place, for as long as it is `wanted`.

    Until it is drawn nobody can get in: the browser answers and closes the place in one step, so that no keystroke
    falls between.
    """

    async def ask() -> None:
        drawn = False
        while not (drawn or place.is_deleted) and wanted():
            if await _hold(place) and not place.is_deleted and wanted():
                draw()
                drawn = True
            if not place.is_deleted:
                place.client.run_javascript(f"letGo({place.id})")  # arrives after what was drawn
            await asyncio.sleep(0 if drawn else AGAIN)

    background_tasks.create(ask(), name="draw when nobody is there", context=place)


async def _hold(place: ui.element) -> bool:
    try:
        return bool(await place.client.run_javascript(f"holdStill({place.id})", timeout=PATIENCE))
    except TimeoutError:
        return False
