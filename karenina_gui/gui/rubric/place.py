"""Where a rubric belongs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RubricPlace:
    benchmark_id: int
    number: int | None = None
    """The question's; None: the rubric is the benchmark's own."""

    @property
    def record(self) -> str:
        """As drafts name it."""
        return f"question/{self.number}" if self.number else f"benchmark/{self.benchmark_id}"

    @property
    def drafts(self) -> str:
        """Under which what is incomplete is kept."""
        return f"{self.record}/traits"
