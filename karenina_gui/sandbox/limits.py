"""Limits of one cell."""

from __future__ import annotations

from dataclasses import dataclass

OUT_OF_MEMORY = 91
"""Exit code of a process that ran out of memory."""


@dataclass(frozen=True)
class Limits:
    """Limits of a cell, the process that runs one template's code."""

    wall_s: float = 5.0
    """Seconds until a request is stopped. A batch of several answers gets more, at most twice as much."""
    memory_mb: int = 512
    """Address space of a cell."""
    lifetime_cpu_s: int = 60
    """Processor seconds of a cell over all its requests; it is replaced after half of them."""
    lifetime_requests: int = 1000
    """Number of requests after which a cell is replaced."""
    reply_bytes: int = 8 << 20
    """Size in bytes of the largest reply. An outline holds the ground truth twice."""
    request_bytes: int = 32 << 20
    """Size in bytes of the largest request: a source together with the answers of one batch."""
    live_cells: int = 12
    """Number of cells that work, or wait for the next request of their template; each takes about 7 MB of its own."""
    idle_cell_mb: int = 96
    """A cell with more resident memory than this after a request is ended, not kept."""
    batch: int = 64
    """Answers per request."""
    stops_in_a_row: int = 3
    """Number of consecutive answers of one call that may be stopped before the rest is skipped."""

    def wall_of(self, items: int) -> float:
        """Seconds allowed to a request with this many answers."""
        return min(self.wall_s * 2, self.wall_s + 0.05 * max(0, items - 1))


DEFAULT_LIMITS = Limits()
