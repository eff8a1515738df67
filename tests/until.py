"""Waiting in tests for background work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 30.0
"""Time limit in seconds."""


async def until(holds: Callable[[], object]) -> None:
    """Wait until the condition holds; fails the test at the time limit."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "It did not happen."
        await asyncio.sleep(0.02)


def comes(holds: Callable[[], object]) -> bool:
    """True if the condition holds soon, for callers without an event loop."""
    deadline = time.monotonic() + PATIENCE
    while not (came := holds()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(came)
