"""That something is being tried, while it takes its time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from karenina_gui.gui.parts.markup import tag

PATIENCE = 0.4
"""Seconds after which an answer is late."""


@contextmanager
def said_when_late(place: ui.html) -> Iterator[None]:
    """Says below that it goes on, once what is done inside takes longer than a glance."""

    def say() -> None:
        if not place.is_deleted:
            place.content = tag("div", "Trying …", class_="hint")

    late = asyncio.get_running_loop().call_later(PATIENCE, say)
    try:
        yield
    finally:
        late.cancel()
