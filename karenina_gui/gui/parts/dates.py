"""Times for people, by this computer's clock."""

from __future__ import annotations

from datetime import datetime


def clock(at: str) -> str:
    """ISO 8601 as `12:03:11`."""
    return f"{_local(at):%H:%M:%S}"


def day_and_time(at: str) -> str:
    """ISO 8601 as `21 Nov 2026, 12:03`; what is no such time stays as it is."""
    try:
        moment = _local(at)
    except ValueError:
        return at
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def _local(at: str) -> datetime:
    moment = datetime.fromisoformat(at)
    return moment.astimezone() if moment.tzinfo else moment
