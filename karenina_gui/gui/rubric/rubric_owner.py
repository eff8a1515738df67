"""Owner of a rubric."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RubricOwner:
    benchmark_id: int
    number: int | None = None
    """Number of the question. None: the rubric of the benchmark."""

    @property
    def record(self) -> str:
        """Name of the owner in the drafts."""
        return f"question/{self.number}" if self.number else f"benchmark/{self.benchmark_id}"

    @property
    def drafts(self) -> str:
        """Name under which incomplete traits are stored in the drafts."""
        return f"{self.record}/traits"
