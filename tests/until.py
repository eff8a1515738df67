"""Waiting in tests for what happens in the background."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 10.0
"""Seconds."""


async def until(holds: Callable[[], object]) -> None:
    """Return once this holds; a test that waits in vain fails here."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "It did not happen."
        await asyncio.sleep(0.02)


def comes(holds: Callable[[], object]) -> bool:
    """Whether this holds soon, asked where no event loop runs."""
    deadline = time.monotonic() + PATIENCE
    while not (came := holds()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(came)
