"""A write that the computer refuses for now, for the people who wait for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WriteDelay:
    cause: str
    """A clause for people, such as "the disk is full"."""
    since: float
    """When the first of the waiting writes was refused, in seconds since the epoch."""
    waiting: int
    """Number of writes that wait, at least 1."""
