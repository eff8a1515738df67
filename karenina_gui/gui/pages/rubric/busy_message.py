"""Progress message for trials that take long."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from karenina_gui.gui.kit.html import tag

PATIENCE = 0.4
"""Seconds before the progress message appears."""


@contextmanager
def busy_when_slow(message: ui.html) -> Iterator[None]:
    """Show a progress message if the body takes longer than `PATIENCE`."""

    def say() -> None:
        if not message.is_deleted:
            message.content = tag("div", "Trying …", class_="hint")

    late = asyncio.get_running_loop().call_later(PATIENCE, say)
    try:
        yield
    finally:
        late.cancel()
