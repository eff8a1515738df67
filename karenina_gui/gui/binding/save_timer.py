"""Pause between typing and saving."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from nicegui import background_tasks

QUIET = 0.3
"""Seconds without a keystroke until a field is saved."""
LATEST = 0.6
"""Seconds from the first keystroke until a field is saved even during typing."""


class SaveTimer:
    """Timer that each keystroke restarts; `save` is called when it ends."""

    def __init__(self, save: Callable[[], Any]) -> None:
        self._save = save
        self._task: asyncio.Task[None] | None = None
        self._typed_first = 0.0

    def restart(self) -> None:
        """Wait for a pause, but no longer than `LATEST` since the first keystroke."""
        now = asyncio.get_running_loop().time()
        if self._task is None or self._task.done():
            self._typed_first = now
        else:
            self._task.cancel()
        pause = max(0.0, min(QUIET, self._typed_first + LATEST - now))
        # Without an element as context, so that the last input is saved even if the user leaves the page.
        self._task = background_tasks.create(self._save_after(pause), name="save what is typed")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _save_after(self, pause: float) -> None:
        await asyncio.sleep(pause)
        self._task = None
        self._save()
