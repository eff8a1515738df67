"""A write that the computer refuses for now, for display to users."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WriteDelay:
    cause: str
    """Clause for display, such as "the disk is full"."""
    since: float
    """Time when the first waiting write was refused, in seconds since the epoch."""
    waiting: int
    """Number of waiting writes, at least 1."""
