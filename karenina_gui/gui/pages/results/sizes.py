"""Sizes of texts and files in words."""

from __future__ import annotations


def size(length: int) -> str:
    """Format a size: `840 B`, `1.2 kB`, `3.4 MB`."""
    if length < 1000:
        return f"{length} B"
    return f"{length / 1000:.1f} kB" if length < 1_000_000 else f"{length / 1_000_000:.1f} MB"
