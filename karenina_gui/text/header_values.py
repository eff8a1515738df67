"""Values of HTTP headers."""

from __future__ import annotations


def is_sendable(value: str) -> bool:
    """True if an HTTP header can contain it."""
    # A line break would start another header, and clients disagree about the encoding of other characters.
    return value.isascii() and value.isprintable()
