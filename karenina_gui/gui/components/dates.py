"""Dates and times in the server's time zone."""

from __future__ import annotations

from datetime import datetime


def clock(at: str) -> str:
    """Format an ISO 8601 time as `12:03:11`."""
    return f"{_local(at):%H:%M:%S}"


def day_and_time(at: str) -> str:
    """Format an ISO 8601 time as `Nov 21, 2026, 12:03`; other text is returned unchanged."""
    try:
        moment = _local(at)
    except ValueError:
        return at
    return f"{moment:%b} {moment.day}, {moment:%Y, %H:%M}"


def _local(at: str) -> datetime:
    moment = datetime.fromisoformat(at)
    return moment.astimezone() if moment.tzinfo else moment
