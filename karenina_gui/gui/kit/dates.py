"""Dates and times in the server's time zone, which they name."""

from __future__ import annotations

from datetime import datetime

from karenina_gui.text import zone_of


def clock(at: str) -> str:
    """Format an ISO 8601 time as `12:03:11 UTC`."""
    moment = _local(at)
    return f"{moment:%H:%M:%S} {zone_of(moment)}"


def day_and_time(at: str) -> str:
    """Format an ISO 8601 time as `Nov 21, 2026, 12:03 UTC`; other text is returned unchanged."""
    try:
        moment = _local(at)
    except ValueError:
        return at
    return f"{moment:%b} {moment.day}, {moment:%Y, %H:%M} {zone_of(moment)}"


def _local(at: str) -> datetime:
    # A time without a zone was noted in that of the server.
    return datetime.fromisoformat(at).astimezone()
